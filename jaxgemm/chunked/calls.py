"""The custom calls around chunked products, and what is allowed between them.

Between a start and its join the array exists before its contents arrive. Only a product
that waits for its signals may read it. Anything else, such as a cast or a transpose,
would read rows that have not arrived, without any error at run time. So the join's
lowering finds all operations lowered so far that read the array or its signals, through
reshapes, function calls, loops and branches. Allowed are

  * "jaxgemm_chunked_gemm", as lhs and as signals;
  * the join;
  * `jaxgemm_arrived` (primitive.py), which gives derivatives an lhs that has arrived.
"""

import re

import jax
from jax.interpreters import mlir
import numpy as np

from jaxgemm.call.lower import CHUNKED_TARGET, fenced

ir = mlir.ir

# The primitives of these calls are pure, so jax may drop a start together with its join. For
# XLA the calls have side effects. Without them it might move a start out of a loop or a branch
# and leave its join there, or drop the join alone.
START_TARGET = "jaxgemm_chunks_start"
JOIN_TARGET = "jaxgemm_chunks_join"

COPIES = -1  # in place of an epoch: the producer is a copy of start_copy
_SAME_BYTES = ("stablehlo.reshape", "stablehlo.optimization_barrier")
_ARRIVED = "jaxgemm_arrived"
_RETURNS = ("func.return", "stablehlo.return")


def _operation(op):
  return getattr(op, "operation", op)


def call_target(op) -> str | None:
  """The target of a custom call, or None."""
  op = _operation(op)
  if op.name != "stablehlo.custom_call":
    return None
  return op.attributes["call_target_name"].value


def origin(value):
  """The value from which reshapes and barriers make this one."""
  while not isinstance(value, ir.BlockArgument):
    op = _operation(value.owner)
    if op.name not in _SAME_BYTES:
      break
    value = op.operands[value.result_number]
  return value


def start_of(signals):
  """The start call that gave these signals, or None if it cannot be found."""
  value = origin(signals)
  if isinstance(value, ir.BlockArgument):
    return None
  op = _operation(value.owner)
  return op if call_target(op) == START_TARGET else None


def are_of_others(signals, module) -> bool:
  """Whether it is certain that no copy of start_copy sets these signals.

  A start is lowered before the operations that depend on it, so a module without a start has
  no copies yet. Newer jax lowers every jitted function separately: there the signals may be
  an argument of unknown origin.
  """
  value = origin(signals)
  if not isinstance(value, ir.BlockArgument):
    return call_target(value.owner) not in (None, START_TARGET)
  function = _operation(value.owner.owner)
  if function.name == "func.func" and function.attributes["sym_name"].value == "main":
    return True
  return not any(call_target(op) == START_TARGET for op in _walk(module.operation))


def _walk(op):
  """All operations inside an operation."""
  for region in op.regions:
    for block in region.blocks:
      for inner in block.operations:
        yield _operation(inner)
        yield from _walk(_operation(inner))


def lower_join(ctx, operands, avals, *, num_sources: int, epoch: int, timeout_ns: int):
  """Lowers a join. Its operands are data, signals, the sources, then one for each result."""
  first = 2 + num_sources
  ctx = ctx.replace(avals_in=avals, avals_out=avals[first:])
  aliases = {first + i: i for i in range(len(operands) - first)}
  rule = jax.ffi.ffi_lowering(JOIN_TARGET, operand_output_aliases=aliases,
                              has_side_effect=True)
  return fenced(rule(ctx, *operands[:first], *fenced(operands[first:]),
                     num_sources=np.int64(num_sources), epoch=np.int64(epoch),
                     timeout_ns=np.int64(timeout_ns)))


def keep_source(ctx, operands, outs):
  """The results of a product. The source of its chunks is kept until the product has ended.

  The join keeps it, too. But if jax.checkpoint computes only derivatives again, the join may have
  been dropped.
  """
  start = start_of(operands[2])
  if start is None:
    return outs
  *outs, status = outs  # the status is not joined: XLA would copy it, because it is a slice
  values = [*start.results, *start.operands, *outs]
  avals = [jax.core.ShapedArray(tuple(t.shape), np.dtype(np.uint8)) for t in
           (x.type for x in values[:-len(outs)])]
  return [*lower_join(ctx, values, [*avals, *ctx.avals_out[:-1]], num_sources=1,
                      epoch=COPIES, timeout_ns=1), status]


def check_readers(start) -> None:
  """Raises ValueError if an operation may read a start's results before they arrive."""
  search = _Search()
  for value, name in zip(start.results, ("data", "signals")):
    search.visit(value, name, ())
  if search.wrong:
    found = "; ".join(dict.fromkeys(search.wrong))
    raise ValueError(
        f"{found}. Between start_copy and join, as inside jaxgemm.overlap, only "
        "jaxgemm.chunked_matmul may read them: data as its lhs, signals as its chunk_signals. "
        "Use the source x, which is complete, or the product's result. A producer of your own "
        "can write another dtype or layout.")


class _Search:
  """Finds the operations that read values, also in called functions, loops and branches.

  Attributes:
    wrong: descriptions of the operations that read what may not have arrived.
  """

  def __init__(self):
    self.wrong: list[str] = []
    self._seen = set()

  def visit(self, value, name: str, calls: tuple) -> None:
    """Visits all uses of a value. `calls` are the function calls around it, the innermost last."""
    for use in value.uses:
      op, index = _operation(use.owner), use.operand_number
      key = (hash(op), index, name, tuple(hash(call) for call in calls))
      if key not in self._seen:
        self._seen.add(key)
        self._use(op, index, name, calls)

  def _use(self, op, index: int, name: str, calls: tuple) -> None:
    if op.name in _SAME_BYTES:
      self.visit(op.results[index], name, calls)
    elif op.name in _RETURNS:
      self._returned(op, index, name, calls)
    elif op.name == "func.call":
      if not op.attributes["callee"].value.startswith(_ARRIVED):
        self.visit(_entry(op).arguments[index], name, (*calls, op))
    elif op.name == "stablehlo.while":
      for region in op.regions:
        self.visit(region.blocks[0].arguments[index], name, calls)
      self.visit(op.results[index], name, calls)
    elif not self._waits(op, index, name, calls):
      self.wrong.append(
          f"{_words(op)} reads {name} of the copy, which may not have arrived")

  def _returned(self, op, index, name, calls) -> None:
    parent = _operation(op.parent)
    if parent.name == "func.func":
      if calls:
        self.visit(calls[-1].results[index], name, calls[:-1])
      else:
        self.wrong.append(f"the function returns {name} of the copy")
    elif parent.name == "stablehlo.while":
      if op.operands[index].type != parent.results[index].type:
        return  # this is the return of the loop's condition
      for region in parent.regions:
        self.visit(region.blocks[0].arguments[index], name, calls)
      self.visit(parent.results[index], name, calls)
    else:  # this is a branch of lax.cond, whose results XLA copies
      self.wrong.append(f"a branch of lax.cond returns {name} of the copy")

  def _waits(self, op, index, name, calls) -> bool:
    places = {JOIN_TARGET: {"data": 0, "signals": 1}, CHUNKED_TARGET: {"data": 0, "signals": 2}}
    return places.get(call_target(op) or "", {}).get(name) == index


def _entry(call):
  """The first block of the function that is called."""
  module = call
  while module.name != "builtin.module":
    module = _operation(module.parent)
  callee = call.attributes["callee"].value
  return _operation(ir.SymbolTable(module)[callee]).regions[0].blocks[0]


def _words(op) -> str:
  """The primitive that an operation was lowered from, and its line in the user's file."""
  text = str(op.location)
  names = re.findall(r'loc\("([^"]*)"\(', text) or re.findall(r'"([^"]*)"\(', text)
  name = names[0].rsplit("/", 1)[-1].rstrip(":") if names else call_target(op) or op.name
  lines = re.findall(r'"([^"]+\.py)":(\d+)', text)
  lines = [x for x in lines if "/jaxgemm/" not in x[0]] or lines
  return f"{name} ({lines[0][0]}:{lines[0][1]})" if lines else name
