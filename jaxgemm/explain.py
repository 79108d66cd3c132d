"""supports, explain and workspace_size: what a call would do. They do not run it.

The call is traced. If it has a product of the kernels, the reasons are those of its plan
(ffi/plan/reasons.cc) and of a tuned entry (tune/choice.py), and `_planned` adds those of copies
and shardings. If XLA computes it:

* `_of_product` asks `supports`, which traces the call with implementation="jaxgemm" and returns
  the error's reason. Without an error it is the plan's "faster_by_xla", or that k is 1.
* `_of_function` reads the reason from the named scope of XLA's product (`on_xla` in fallback.py).
"""

from collections.abc import Callable
import dataclasses
import functools
import inspect
import math
import pathlib
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi, program
from jaxgemm.chunked.api import chunked_matmul
from jaxgemm.chunked.primitive import chunked_p, plan_chunked
from jaxgemm.config import did_you_mean
from jaxgemm.dense import layout
from jaxgemm.dense.api import dot_general, matmul
from jaxgemm.dense.dimensions import dot_general_product, matmul_product
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.plan import plan_contraction
from jaxgemm.dtypes import is_float4
from jaxgemm.fallback import NOTHING_TO_SUM, XLA_WAS_ASKED, Unsupported
from jaxgemm.grouped import layout as grouped_layout
from jaxgemm.grouped.api import ragged_dot, ragged_dot_general, ragged_gated_linear_unit
from jaxgemm.grouped.call import BASIC, ragged_result
from jaxgemm.grouped.primitive import plan_ragged, ragged_p
from jaxgemm.options import array_argument, dtype_argument, emulated_arch, operand_argument
from jaxgemm.precision import hashable
from jaxgemm.scaled import api as scaled
from jaxgemm.scaled.primitive import plan_scaled, scaled_p


@dataclasses.dataclass(frozen=True)
class Explanation:
  """The plan of a call: `str()` gives it in words, `data` as a dictionary.

  data has these keys:

  * implementation: "jaxgemm", "xla", or "emulated:" and a GPU target or chip;
  * target: "cpu" or a GPU target; chip; num_cus: the chip's number of compute units,
    multiprocessors or processors;
  * kernel: its name; schedule; reduction;
  * tile: sizes of an output tile along m, n and k; tiles: the number of tiles along each of
    these, in each batch; batch: the number of batches; sizes: m, n and k of a batch;
  * num_workgroups; num_queues; group_m: tile rows that are visited together; num_xcds;
  * cut_tiles: the number of tiles that stream-K cuts; num_shares: that of the shares into
    which it cuts them;
  * workspace_bytes; zeroed_bytes: how many of these, from the start, are set to zero;
  * relayouts: the arrays that are transposed or padded by a copy; gradients: the arrays that
    the gradient of each operand transposes by a copy;
  * fused_epilogue: whether the kernel applies bias, scales and activation;
  * reasons: sentences on why the plan is as it is;
  * predicted_cycles: on Hopper, else None: an estimate that ranks the candidates;
  * predicted_us: on AMD GPUs, else None: microseconds by a model, not measured;
  * tuned: the entry of the tuning file that decided, with its key, or None;
  * candidates: all that could have been chosen, the chosen one first. Each has kernel, tile,
    schedule, form (the version of a Hopper kernel), cost (predicted, divided by that of the
    chosen one), predicted_us, and config: fields of GemmConfig with which the plan chooses it.

  Grouped products also have ragged ("m" or "k"), groups and local_groups; their tiles are
  the most that any group sizes give. Products that wait for chunks also have chunk_rows.
  If implementation is "xla", there are only implementation and reasons.

  The data of a function has the key calls: a list of such dictionaries in the order of
  the program. Each also has operands and results (their dtypes and shapes, as str), within
  (the functions and loops around the call, the outermost first), count (how many equal
  calls there are), steps (how often the scans around it run it) and operations (the
  multiplications and additions of one of them). In a function the copies of a grouped product
  into another layout are operations of their own, so its relayouts and gradients do not have
  them. If the function has products, there is the key summary, too, with sums over all of them.
  Each counts as often as scans run it; a while loop counts once, and each branch of a cond
  does. The summary has

  * jaxgemm, left_to_xla and others: the numbers of products by the kernels, by XLA in their
    place, and of jax's own products, which are not in calls;
  * operations, and operations_jaxgemm: those by the kernels;
  * predicted_us: the sum of the predicted times of the kernels, or None if one is not predicted;
  * slowest: the number of the call, counted from 1, whose predicted time is the longest in all,
    or without predictions the one with the most operations; None without calls.
  """

  data: dict[str, Any]

  def __str__(self) -> str:
    if "calls" not in self.data:
      return "\n".join(_lines(self.data))
    lines = []
    for number, call in enumerate(self.data["calls"], 1):
      times = f", {call['count']} times" if call["count"] > 1 else ""
      within = f", in {' / '.join(call['within'])}" if call["within"] else ""
      lines.append(f"{number}. {', '.join(call['operands'])} -> "
                   f"{', '.join(call['results'])}{times}{within}")
      lines += [f"   {line}" for line in _lines(call)]
    if not lines:
      lines.append("no product of jaxgemm")
    return "\n".join(lines + _summed_up(self.data))

  def draw(self, path: str | pathlib.Path) -> None:
    """Draws which workgroup (a CU, multiprocessor or thread) computes which tile, and when.

    The unit of time is a k tile, as if all took the same time: nothing is measured. Each call
    of the kernels has a picture of its own, one below the other. This needs matplotlib.

    Args:
      path: file to write, for example a .png or .svg.

    Raises:
      ValueError: no call runs a kernel.
      ImportError: matplotlib is not installed.
    """
    from jaxgemm import timeline  # pylint: disable=g-import-not-at-top

    timeline.draw(self.data.get("calls", [self.data]), path)


# Measured times on an H100 follow the predicted cycles best at this clock.
_HOPPER_MHZ = 1755


def _predicted_us(call: dict[str, Any]) -> float | None:
  """The predicted microseconds of one call of the kernels, or None."""
  cycles = call.get("predicted_cycles")
  return cycles / _HOPPER_MHZ if cycles else call.get("predicted_us")


def _runs(call: dict[str, Any]) -> int:
  return call["count"] * call["steps"]


def _summary(calls: list[dict[str, Any]], others: list[tuple[int, int]]) -> dict[str, Any]:
  """The data's summary. others: how often jax's own products run, and their operations."""
  ours = [call for call in calls if call["implementation"] != "xla"]
  operations = [_runs(call) * call["operations"] for call in calls]
  times = [_predicted_us(call) for call in ours]
  predicted = [_runs(call) * us for call, us in zip(ours, times) if us is not None]
  is_predicted = bool(ours) and len(predicted) == len(ours)
  slowest = None
  if calls:
    most = (ours[predicted.index(max(predicted))] if is_predicted
            else calls[operations.index(max(operations))])
    slowest = calls.index(most) + 1
  return {
      "jaxgemm": sum(map(_runs, ours)),
      "left_to_xla": sum(_runs(call) for call in calls if call["implementation"] == "xla"),
      "others": sum(steps for steps, _ in others),
      "operations": sum(operations) + sum(steps * each for steps, each in others),
      "operations_jaxgemm": sum(_runs(call) * call["operations"] for call in ours),
      "predicted_us": sum(predicted) if is_predicted else None,
      "slowest": slowest,
  }


def _summed_up(data: dict[str, Any]) -> list[str]:
  """The summary in words; [] if there are no products."""
  if "summary" not in data:
    return []
  summary = data["summary"]
  ours, left, others = (summary[key] for key in ("jaxgemm", "left_to_xla", "others"))
  share = summary["operations_jaxgemm"] / max(summary["operations"], 1)
  count = ours + left + others
  plural = "s" if count != 1 else ""
  lines = [f"summary: {count} product{plural}: {ours} by jaxgemm, {left} left to XLA, "
           f"{others} of jax's own"]
  shares = f"operations: {share:.0%} by jaxgemm"
  if (number := summary["slowest"]) is None:
    return [*lines, shares]
  call = data["calls"][number - 1]
  if summary["predicted_us"] is not None:
    return [*lines, shares,
            f"predicted for jaxgemm's: {summary['predicted_us']:.1f} us in all, by a model; number "
            f"{number} is the slowest, {_runs(call) * (_predicted_us(call) or 0):.1f} us"]
  part = _runs(call) * call["operations"] / max(summary["operations"], 1)
  return [*lines, f"{shares}; number {number} has the most, {part:.0%}"]


def _lines(data: dict[str, Any]) -> list[str]:
  """The plan of a call in words."""
  lines = [f"implementation: {data['implementation']}"]
  if data["implementation"] != "xla":
    words = {key: " x ".join(map(str, data[key])) for key in ("tile", "tiles")}
    lines += [
        f"kernel: {data['kernel']} on {data['target']}",
        f"schedule: {data['schedule']}, reduction {data['reduction']}",
        f"tile: {words['tile']}; tiles along m, n, k: {words['tiles']}",
        *([f"batches: {data['batch']}"] if data["batch"] > 1 else []),
        f"workgroups: {data['num_workgroups']}, queues {data['num_queues']}",
        f"workspace: {data['workspace_bytes']} bytes, of which "
        f"{data['zeroed_bytes']} are zeroed",
    ]
    if data["predicted_cycles"]:
      cycles = data["predicted_cycles"]
      lines.append(f"predicted: {cycles:.0f} cycles, {cycles / _HOPPER_MHZ:.1f} us at "
                   f"{_HOPPER_MHZ} MHz, by a model")
    if data["predicted_us"]:
      lines.append(f"predicted: {data['predicted_us']:.1f} us on {data['chip']}, by a model")
    lines += _rejected(data["candidates"])
  if "ragged" in data:
    lines.append(f"groups along {data['ragged']}: {data['local_groups']} of "
                 f"{data['groups']}; tiles are the most that any group sizes give")
  return [*lines, *(f"- {reason}" for reason in data["reasons"])]


def _rejected(candidates: list[dict[str, Any]]) -> list[str]:
  """A line that names the next candidates, which cost more, or [] if there are none."""
  costs: dict[str, str] = {}
  for each in candidates:
    name = f"{each['schedule']} {' x '.join(map(str, each['tile']))}"
    time = each["predicted_us"]
    costs.setdefault(name, f"predicted {time:.1f} us" if time else
                     f"{each['cost']:.2f} times the cost")
  others = list(costs.items())[1:]
  if not others:
    return []
  more = f", and {len(others) - 2} more" if len(others) > 2 else ""
  nearest = ", ".join(f"{name} ({cost})" for name, cost in others[:2])
  return [f"rejected: {nearest}{more}"]


_NAMES = ("precision", "preferred_element_type", "out_sharding")
_RAGGED = ("gated", "ragged_dot_dimension_numbers", "num_local_groups", "group_offset",
           "accumulate", "rhs_grad")
_CHUNKED = ("tiles_per_chunk_m", "tile_idx_pivot_m", "epoch", "chunk_rows", "timeout")
_ARRAYS = ("group_sizes", "group_offset", "chunk_signals", "epoch", "bias", "scale",
           "scale_lhs", "scale_rhs", "lhs_scales", "rhs_scales", "accumulate", "rhs_grad")


def _function(kwargs):
  """(function to explain, function of a and b that gives the result's type, kwargs of both)."""
  kwargs = dict(kwargs)
  known = {name for f in (dot_general, ragged_dot, ragged_dot_general, chunked_matmul)
           for name in inspect.signature(f).parameters} | {
               "gated", "gradients"} | inspect.signature(scaled.scaled_ragged_dot).parameters.keys()
  for name in kwargs.keys() - known:
    raise TypeError(
        f"got an unexpected keyword argument {name!r}; the arguments of the products and of "
        f"explain are allowed. Correct or remove it.{did_you_mean(name, sorted(known))}")
  if kwargs.get("preferred_element_type") is not None:
    dtype_argument("preferred_element_type", kwargs["preferred_element_type"])
  shared = {name: kwargs[name] for name in _NAMES if name in kwargs}
  if "lhs_scales" in kwargs or "rhs_scales" in kwargs:
    return (scaled.scaled_ragged_dot if "group_sizes" in kwargs else scaled.scaled_matmul,
            lambda a, b: None, kwargs)
  if "group_sizes" not in kwargs:
    for name in _RAGGED:
      given = kwargs.pop(name, None)
      if given is not None and given is not False:
        raise TypeError(
            f"{name} was given without group_sizes; it is allowed for a grouped product. "
            "Pass group_sizes=..., an array or a jax.ShapeDtypeStruct.")
  else:
    for name in ("group_sizes", "group_offset", "num_local_groups"):
      if kwargs.get(name) is not None:
        shared[name] = kwargs[name]
    function: Callable = ragged_dot
    numbers = BASIC
    gated = kwargs.pop("gated", False)
    if not isinstance(gated, (bool, np.bool_)):
      raise TypeError(f"gated={gated!r} was given; True or False is allowed. Pass one of these.")
    if gated:
      function = ragged_gated_linear_unit
    elif "ragged_dot_dimension_numbers" in kwargs:
      function, numbers = ragged_dot_general, kwargs["ragged_dot_dimension_numbers"]
    if kwargs.get("accumulate") is not None:
      shared["preferred_element_type"] = jnp.float32
    return function, lambda a, b: ragged_result(
        a, b, numbers=numbers, gated=gated, **shared)[0], kwargs
  waits = kwargs.get("chunk_signals") is not None
  without = "chunk_signals" in kwargs and not waits  # chunk_signals=None, as in chunked_matmul
  if without:
    del kwargs["chunk_signals"]
  for name in _CHUNKED if not waits else ():
    if kwargs.pop(name, None) is not None and not without:
      raise TypeError(
          f"{name} was given without chunk_signals; it is allowed for "
          "jaxgemm.chunked_matmul. Pass chunk_signals=..., an array or a "
          "jax.ShapeDtypeStruct.")
  function = chunked_matmul if waits else dot_general if "dimension_numbers" in kwargs else matmul
  if function is not dot_general and kwargs.get("dimension_numbers") is None:
    return function, lambda a, b: matmul_product(a, b, **shared).result, kwargs
  shared["dimension_numbers"] = kwargs["dimension_numbers"]
  return function, lambda a, b: dot_general_product(a, b, **shared).result, kwargs


def _operands_by_name(function):
  """Lets `function(a, b, ...)` take lhs= and rhs=, too, as most products call their operands."""
  @functools.wraps(function)
  def wrapped(*args, **kwargs):
    names = {"lhs": "a", "rhs": "b"}
    given = {names.get(name, name): x for name, x in kwargs.items()}
    for name in names.keys() & kwargs.keys():
      if names[name] in kwargs:
        raise TypeError(f"{name} and {names[name]} were given, which are the same operand; one of "
                        "them is allowed. Remove the other.")
    if missing := [name for name in ("a", "b")[len(args):] if name not in given]:
      raise TypeError(f"{' and '.join(missing)} was not given; two operands are needed, a and b or "
                      "lhs and rhs, each an array or a jax.ShapeDtypeStruct. Pass both.")
    return function(*args, **given)
  return wrapped


def _with_names(more, kwargs) -> dict[str, Any]:
  """The arguments after the operands, all by name: `more` are those without one.

  The first one of these, and the names, tell which product takes them.
  """
  if not more:
    return kwargs
  first, second = (*more, None)[:2]
  function: Callable = dot_general
  if "tiles_per_chunk_m" in kwargs:
    function = chunked_matmul
  elif hasattr(first, "dtype") and jnp.issubdtype(first.dtype, jnp.integer):
    function = ragged_dot
    if isinstance(second, jax.lax.RaggedDotDimensionNumbers) or (
        "ragged_dot_dimension_numbers" in kwargs):
      function = ragged_dot_general
    elif hasattr(second, "dtype") or "lhs_scales" in kwargs:
      function = scaled.scaled_ragged_dot
  elif hasattr(first, "dtype"):
    function = scaled.scaled_matmul
  _, _, *names = (
      name for name, x in inspect.signature(function).parameters.items()
      if x.kind == x.POSITIONAL_OR_KEYWORD)
  if len(more) > len(names):
    raise TypeError(
        f"{len(more) + 2} arguments without names were given; {function.__name__} takes "
        f"{len(names) + 2}. Pass the others by name.")
  given = dict(zip(names, more))
  for name in given.keys() & kwargs.keys():
    raise TypeError(
        f"{name} was given twice, without its name as argument {names.index(name) + 3} of "
        f"{function.__name__}; once is allowed. Remove one.")
  return given | kwargs


def _abstract(name: str, x):
  """An argument for tracing; an array in host memory becomes a `jax.ShapeDtypeStruct`."""
  if not isinstance(x, jax.ShapeDtypeStruct):
    may_be_number = name in ("bias", "scale", "scale_lhs", "scale_rhs")
    x = (array_argument if may_be_number else operand_argument)(name, x)
  if not isinstance(x, jax.Array):
    return x
  aval = jax.typeof(x)
  if aval.memory_space == jax.memory.Space.Device:
    return x
  sharding = None if aval.sharding.mesh.empty else aval.sharding
  return jax.ShapeDtypeStruct(
      aval.shape, aval.dtype, weak_type=aval.weak_type, sharding=sharding)


def _described(a, b, kwargs):
  """(a, b, kwargs) that can be traced: arrays in any memory, and a precision that can be hashed."""
  arrays = {name: _abstract(name, kwargs[name]) for name in _ARRAYS
            if kwargs.get(name) is not None and name != "epoch"}
  if "precision" in kwargs:
    arrays["precision"] = hashable(kwargs["precision"])
  return _abstract("a", a), _abstract("b", b), kwargs | arrays


def _devices_reason(a, b) -> list[str]:
  """Sentences that say whether a sharded product's plan is for one device's part or for all."""
  sharded = [x for x in (a, b) if isinstance(x, jax.Array) and
             not isinstance(x, jax.core.Tracer) and not x.is_fully_replicated]
  if not sharded:
    return []
  if any(axes for x in sharded for axes in jax.typeof(x).sharding.spec):
    return ["the operands are sharded on explicit axes: the plan is for one device's part"]
  return ["the operands are sharded on automatic axes: the plan is for the whole product, "
          "and each device's part is planned when XLA has partitioned it"]


def _trace(a, b, kwargs):
  """The equation of the kernels' call that a call becomes, or None if XLA computes it."""
  function, _, kwargs = _function(kwargs)
  arrays = {key: kwargs.pop(key) for key in _ARRAYS if kwargs.get(key) is not None}
  function = functools.partial(function, **kwargs)
  jaxpr = program.trace(lambda a, b, arrays: function(a, b, **arrays), (a, b, arrays))
  return next((call.eqn for call in program.calls(jaxpr) if not call.reason), None)


def _plan(eqn):
  """(layout or None, plan) of a call."""
  operands = [x.aval for x in eqn.invars]
  platform = _ffi.default_platform()
  spec = eqn.params["spec"]
  target = spec.target(platform if platform in _ffi.platforms() else "cpu")
  if eqn.primitive is ragged_p:
    return None, plan_ragged(operands, eqn.params["form"], spec, target)
  if eqn.primitive is chunked_p:
    return None, plan_chunked(operands, eqn.params["form"], spec, target)
  if eqn.primitive is scaled_p:
    return None, plan_scaled(operands, eqn.params["form"], spec, target)
  return plan_contraction(operands, eqn.params["labels"], spec, target)


def _dtype_reasons(plan, operands, swap: bool) -> list[str]:
  """Sentences on operands that are converted, or split in three passes, before the kernel."""
  dtypes = plan["operand_dtypes"][::-1] if swap else plan["operand_dtypes"]
  if plan["passes"] == 3:
    parts = "bfloat16" if dtypes[0] == jnp.bfloat16 else "tf32"
    return [f"float32 is multiplied in three passes of {parts} parts, as one product "
            "of three times k: the operands are split by copies"]
  why = "the kernels do not take the operands' types together"
  if any(is_float4(x.dtype) for x in operands[:2]):
    why = "the kernels of this target do not read float4"
  return [f"{name} is converted from {x.dtype.name} to {dtype.name} by a copy: {why}"
          for name, x, dtype in zip(("lhs", "rhs"), operands, dtypes)
          if x.dtype != dtype]


def _gradients(dims: Dims, sizes, lhs, rhs) -> dict[str, tuple[str, ...]]:
  """By operand: the arrays that its gradient transposes; "out" is the gradient itself."""
  found = {}
  for name, x, contraction, names in (
      ("lhs", lhs, Dims(dims.out, dims.rhs, dims.lhs), {"lhs": "cotangent"}),
      ("rhs", rhs, Dims(dims.lhs, dims.out, dims.rhs), {"rhs": "cotangent"}),
  ):
    if jnp.issubdtype(x.dtype, jnp.inexact):
      chosen = layout.of_product(contraction, sizes)
      found[name] = tuple(names.get(r, r) for r in chosen.relayouts)
  return found


@_operands_by_name
def supports(a, b, *args, **kwargs) -> tuple[bool, str]:
  """Whether this package's kernels compute a call, and why not.

  Args:
    a: the first operand, an array or `jax.ShapeDtypeStruct`.
    b: the second operand, the same.
    *args: the arguments of a product that follow the operands: (x, experts, sizes) or
      (x, w, dimension_numbers), for example.
    **kwargs: the other arguments of a product. They tell which product it is. group_sizes:
      `jaxgemm.ragged_dot`; with gated=True `jaxgemm.ragged_gated_linear_unit`; with
      ragged_dot_dimension_numbers `jaxgemm.ragged_dot_general`. lhs_scales and rhs_scales:
      `jaxgemm.scaled_matmul`; with group_sizes `jaxgemm.scaled_ragged_dot`. chunk_signals:
      `jaxgemm.chunked_matmul`. dimension_numbers: `jaxgemm.dot_general`. None of these:
      `jaxgemm.matmul`. Each array may be a `jax.ShapeDtypeStruct`.

  Returns:
    (True, "") if the kernels compute the call, else (False, the reason).

  Raises:
    ValueError, TypeError: jax's own errors for operands that do not fit each other; or
      an argument or an implementation is unknown.
  """
  kwargs = _with_names(args, kwargs)
  emulated_arch(kwargs.get("implementation"))
  a, b, kwargs = _described(a, b, kwargs)
  function, result_of, given = _function(kwargs)
  inspect.signature(function).bind(a, b, **given)
  result_of(a, b)
  if kwargs.get("chunk_signals") is not None and (
      kwargs.get("implementation") == "xla"):
    return False, "implementation='xla' was given, and XLA does not wait for chunks"
  if kwargs.get("implementation") in (None, "xla"):
    kwargs = kwargs | {"implementation": "jaxgemm"}
  try:
    _trace(a, b, kwargs)
  except Unsupported as error:
    return False, error.reason
  except (ValueError, TypeError, NotImplementedError) as error:
    return False, str(error)
  return True, ""


@overload
def explain(a, b, *args, gradients: bool = False, **kwargs) -> Explanation: ...
@overload
def explain(function: Callable, /, *args, **kwargs) -> Explanation: ...


def explain(*args, **kwargs) -> Explanation:
  """The plan of a call, or of every call in a function, in words and as data.

  `explain(a, b, **options)` takes the arguments of a product:

  Args:
    a, b: the operands, arrays or `jax.ShapeDtypeStruct`.
    gradients: whether the reasons also name the copies that the gradients need.
    *args: the arguments of a product that follow the operands; see `supports`.
    **kwargs: the other arguments of a product.

  `explain(function, *args, **kwargs)` takes a function, which may be jitted, and its
  arguments: arrays, or `jax.ShapeDtypeStruct` in their places. The function is traced, not
  run. Every product of jaxgemm in it is listed, also within jit, scan, while, cond,
  shard_map, remat and functions with derivatives of their own, and also those that were
  left to XLA. `jax.grad` of a function has the products of the gradients, too. On automatic
  meshes the shapes and plans are those of whole arrays.

  Returns:
    An `Explanation`.

  Raises:
    ValueError, TypeError: the errors that the call itself would raise.
  """
  if args and callable(args[0]):
    return _of_function(*args, **kwargs)
  return _of_product(*args, **kwargs)


def _of_function(function: Callable, /, *args, **kwargs) -> Explanation:
  leaves, tree = jax.tree.flatten((args, kwargs))
  traced = [_abstract("", x) if isinstance(x, jax.Array) else x for x in leaves]
  if any(x is not y for x, y in zip(traced, leaves)):  # else modules stay the same objects
    args, kwargs = jax.tree.unflatten(tree, traced)
  found: list[dict[str, Any]] = []
  others: list[tuple[int, int]] = []  # how often each runs, and its operations
  for call in program.calls(program.trace(function, args, kwargs), others=True):
    if call.reason == program.NOT_OURS:
      others.append((call.steps, _operations(call.eqn)))
      continue
    data = _of_call(call)
    same = next((x for x in found if x | {"count": 1} == data), None)
    if same is None:
      found.append(data)
    else:
      same["count"] += 1
  summary = {"summary": _summary(found, others)} if found or others else {}
  return Explanation({"calls": found} | summary)


def _operations(eqn) -> int:
  """The multiplications and additions of a product that XLA computes."""
  numbers = eqn.params.get("ragged_dot_dimension_numbers")
  groups = numbers.rhs_group_dimensions if numbers else ()
  (_, contracting), (_, batch) = (
      numbers.dot_dimension_numbers if numbers else eqn.params["dimension_numbers"])
  lhs, rhs = (x.aval.shape for x in eqn.invars[:2])
  columns = (n for i, n in enumerate(rhs) if i not in (*contracting, *batch, *groups))
  return 2 * math.prod(lhs) * math.prod(columns)


def _of_call(call: program.Call) -> dict[str, Any]:
  """The data of one call in a function."""
  eqn = call.eqn
  if call.reason:
    data = {"implementation": "xla", "reasons": [call.reason], "operations": _operations(eqn)}
  else:
    data = _planned(eqn)
  types = [[f"{x.aval.dtype}[{','.join(map(str, x.aval.shape))}]" for x in xs]
           for xs in (eqn.invars, eqn.outvars)]
  return data | {"operands": types[0], "results": types[1], "within": call.within,
                 "count": 1, "steps": call.steps}


@_operands_by_name
def _of_product(a, b, *args, gradients: bool = False, **kwargs) -> Explanation:
  kwargs = _with_names(args, kwargs)
  devices = _devices_reason(a, b)
  a, b, kwargs = _described(a, b, kwargs)
  eqn = _trace(a, b, kwargs)
  if eqn is None:
    reason = XLA_WAS_ASKED
    if kwargs.get("implementation") is None:
      reason = supports(a, b, **kwargs)[1]
      if not reason:
        forced = _plan(_trace(a, b, kwargs | {"implementation": "jaxgemm"}))[1]
        reason = forced["faster_by_xla"] or NOTHING_TO_SUM
    return Explanation({"implementation": "xla", "reasons": [reason]})
  if kwargs.get("lhs_scales") is not None:
    devices = [*devices, *scaled.reasons(a, b, **kwargs)]
  arranged = _ragged_layout(a, b, eqn, kwargs) if eqn.primitive is ragged_p else None
  return Explanation(_planned(eqn, arranged, kwargs, devices, gradients))


def _planned(eqn, arranged: grouped_layout.RaggedLayout | None = None, kwargs=None,
             devices=(), gradients: bool = False) -> dict[str, Any]:
  """The data of a call of the kernels.

  Args:
    eqn: the equation of the call.
    arranged: the layout of a grouped product's operands, if it is known.
    kwargs: the arguments of the public function.
    devices: reasons that come from the operands' shardings.
    gradients: see `explain`.
  """
  kwargs = kwargs or {}
  chosen, plan = _plan(eqn)
  operands, spec = [x.aval for x in eqn.invars], eqn.params["spec"]
  swap, fused = False, True
  transposed: tuple[str, ...] = ()
  copied: dict[str, tuple[str, ...]] = {}
  if arranged is not None:
    transposed, copied = arranged.relayouts, arranged.gradient_relayouts(*operands[:2])
  elif eqn.primitive is chunked_p:
    form, (lhs, rhs) = eqn.params["form"], operands[:2]
    shape = form.geometry(lhs.shape, rhs.shape, operands[2].shape).out_shape()
    dims = form.dims(lhs.shape, rhs.shape, None, None, shape)
    sizes = layout.label_sizes(dims, lhs.shape, rhs.shape)
    copied = _gradients(dims, sizes, lhs, rhs)
  elif eqn.primitive not in (ragged_p, scaled_p):
    dims = eqn.params["labels"]
    sizes = layout.label_sizes(dims, *(x.shape for x in operands))
    how = chosen or layout.of_product(dims, sizes)
    swap, fused, transposed = how.swap, chosen is not None, how.relayouts
    copied = _gradients(dims, sizes, *operands[:2])
  names = {"lhs": "rhs", "rhs": "lhs"} if swap else {}
  moved = {names.get(x, x): done for x, done in plan["copies"].items()}
  reasons = list(plan["reasons"])
  reasons += _dtype_reasons(plan, operands, swap)
  reasons += [f"{name} is {done}" for name, done in moved.items()]
  reasons += [f"{name} is transposed by a copy: its dimensions are not in an order "
              "that a kernel reads or writes" for name in transposed]
  if arranged is not None:
    reasons += _ragged_reasons(arranged, kwargs)
  reasons += devices
  if not fused:
    reasons.append("the epilogue runs outside the kernel: bias or scale varies "
                   "along rows of one matrix")
  if gradients:
    saves = spec.activation is not None or bool(kwargs.get("gated"))
    reasons += _gradient_reasons(copied, saves)
  form = eqn.params.get("form")
  keys = ("target", "chip", "num_cus", "candidates", "kernel", "schedule", "reduction", "tile",
          "tiles", "num_workgroups", "num_queues", "workspace_bytes", "zeroed_bytes",
          "predicted_cycles", "predicted_us")
  chosen_keys = "group_m", "num_xcds", "cut_tiles", "num_shares"
  data = {
      "implementation": (f"emulated:{spec.emulated}" if spec.emulated
                         else "jaxgemm"),
      **{key: plan[key] for key in keys},
      **{key: plan["attrs"][key] for key in chosen_keys},
      "tuned": plan.get("tuned"),
      "relayouts": tuple(dict.fromkeys((*transposed, *moved))),
      "batch": plan["batch"],
      "sizes": tuple(plan["problem"][name] for name in ("m", "n", "k")),
      "operations": _operations_of_plan(plan),
      "fused_epilogue": fused,
      "gradients": copied,
      "reasons": reasons,
  }
  if eqn.primitive is ragged_p or (eqn.primitive is scaled_p and form.mode != "none"):
    data |= {"ragged": form.mode, "groups": operands[2].shape[-1],
             "local_groups": form.local_groups}
  if eqn.primitive is chunked_p:
    data["chunk_rows"] = plan["tile"][0] * form.tiles_per_chunk
  return data


def _operations_of_plan(plan) -> int:
  """The multiplications and additions of a product that the kernels compute."""
  problem = plan["problem"]
  sizes = (problem[name] for name in ("batch", "m", "n", "k"))
  return 2 * math.prod(sizes) * (2 if problem["gated"] else 1) // plan["passes"]


def _ragged_layout(a, b, eqn, kwargs):
  numbers = kwargs.get("ragged_dot_dimension_numbers", BASIC)
  form = eqn.params["form"]
  return grouped_layout.arrange(a.shape, b.shape, numbers, form.local_groups, form.gated)


def _gradient_reasons(copied: dict[str, tuple[str, ...]], saves: bool) -> list[str]:
  reasons = [
      f"the gradient of {name} transposes {' and '.join(arrays)} by a copy" if arrays
      else f"the gradient of {name} reads arrays in other layouts, without a copy"
      for name, arrays in copied.items()]
  if saves:
    reasons.append("under differentiation the value before the activation is saved")
  return reasons


def _ragged_reasons(how, kwargs) -> list[str]:
  reasons = []
  if how.repeats_rhs:
    reasons.append("rhs is repeated by a copy: the group sizes have more dimensions "
                   "than its batch")
  if kwargs.get("accumulate") is not None:
    reasons.append("accumulate is added outside the kernel: the result is a sum of "
                   "several products of the kernel" if how.is_summed else
                   "the kernel adds to accumulate, in place if jax may overwrite it")
  if kwargs.get("rhs_grad") is not None:
    reasons.append("rhs is a constant; the kernel adds the gradient of rhs to rhs_grad")
  return reasons


@_operands_by_name
def workspace_size(a, b, *args, **kwargs) -> int:
  """The exact number of bytes that a call needs beside its result.

  Args:
    a, b: the operands, arrays or `jax.ShapeDtypeStruct`.
    *args: the arguments of a product that follow the operands; see `supports`.
    **kwargs: the other arguments of a product.

  Returns:
    The size of the workspace in bytes; 0 if XLA computes the call.

  Raises:
    ValueError, TypeError: the errors that the call itself would raise.
  """
  eqn = _trace(*_described(a, b, _with_names(args, kwargs)))
  return 0 if eqn is None else _plan(eqn)[1]["workspace_bytes"]
