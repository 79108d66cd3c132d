"""Checks what XLA's ROCm compiler makes of each public function, without a device:

    python -m jaxgemm.emulator.rocm -m tests.emulator.deviceless_programs NAME...

Programs are compiled for a chip that is only described. Their optimised HLO, the thunks
that XLA would run and the buffers that it assigns are checked; nothing runs. Each NAME is a
function here, which prints its name if its checks pass.
"""

import functools
import os
import pathlib
import re
import sys
import tempfile
from types import SimpleNamespace
from typing import NamedTuple

import flax.linen
import flax.nnx
import jax
from jax import lax
from jax.experimental import topologies
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
import jaxgemm.flax

BF16, F32, I32, U32 = jnp.bfloat16, jnp.float32, jnp.int32, jnp.uint32
PRODUCTS = ("jaxgemm_gemm", "jaxgemm_chunked_gemm")
WANTED = os.environ.get("JAXGEMM_COMMAND_BUFFERS") != "0"
OURS = {"implementation": "jaxgemm"}

# What XLA's compiler has to know about a GPU (GpuTargetConfigProto).
TARGET = """
platform_name: "ROCM"
dnn_version_info {{ major: 1 minor: 3 }}
runtime_version {{ major: 7 }}
gpu_device_info {{
  rocm_compute_capability {{ gcn_arch_name: "{arch}:sramecc+:xnack-" }}
  threads_per_block_limit: 1024 threads_per_warp: 64 threads_per_core_limit: 2048
  shared_memory_per_block: {lds} shared_memory_per_core: {lds}
  shared_memory_per_block_optin: {lds} core_count: {cus} fpus_per_core: 128
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65536 block_dim_limit_z: 65536
  thread_dim_limit_x: 1024 thread_dim_limit_y: 1024 thread_dim_limit_z: 1024
  memory_bandwidth: 2662400000000 l2_cache_size: 4194304 clock_rate_ghz: 2.1
  device_memory_size: 206158430208 registers_per_core_limit: 65536
  registers_per_block_limit: 65536 device_address_bits: 64
}}
"""


def chips(arch: str, count: int):
  """Devices that do not exist, for compilation."""
  lds, cus = {"gfx942": (65536, 304), "gfx950": (163840, 256)}[arch]
  topology = topologies.get_topology_desc(
      "", platform="rocm", topology=f"1x1x{count}",
      target_config=TARGET.format(arch=arch, lds=lds, cus=cus))
  return topology.devices


def chip(arch: str):
  """A sharding on one device that does not exist."""
  return jax.sharding.SingleDeviceSharding(chips(arch, 1)[0])


class Compiled(NamedTuple):
  """Attributes:
    hlo: the optimised HLO without metadata, which has words such as "transpose" in it.
    thunks: the operations that XLA runs; those in a command buffer are indented.
    buffers: the allocation of each value.
  """

  hlo: str
  thunks: str
  buffers: str


def compile_for(device, f, *shapes, donate=()) -> Compiled:
  """Compiles f for arrays of these (shape, dtype)."""
  types = [jax.ShapeDtypeStruct(shape, dtype, sharding=device) for shape, dtype in shapes]
  with tempfile.TemporaryDirectory() as folder:
    program = jax.jit(f, donate_argnums=donate).lower(*types).compile(compiler_options={
        "xla_dump_to": folder, "xla_dump_hlo_as_text": True,
        "xla_gpu_graph_min_graph_size": 1})
    def dump(ending):
      return "".join(path.read_text() for path in pathlib.Path(folder).glob(
          f"*jit_*{ending}.txt"))

    hlo = re.sub(r", metadata=\{[^}]*\}", "", program.as_text())
    # XLA writes the thunks again if putting them into command buffers changed them.
    thunks = dump("thunk_sequence_after_thunk_passes") or dump("thunk_sequence")
    return Compiled(hlo, thunks, dump("after_optimizations-buffer-assignment"))


def product_lines(hlo: str) -> list[str]:
  return [line for line in hlo.splitlines()
          if any(f'custom_call_target="{target}"' in line for target in PRODUCTS)]


def check(made: Compiled, calls: int, transposes: int = 0) -> None:
  """Raises AssertionError if a compiled program is not as it should be.

  It must have `calls` custom calls, one for each product. No operand is copied, and exactly
  `transposes` arrays are transposed. XLA assigns the workspace, and puts the calls into command
  buffers if JAXGEMM_COMMAND_BUFFERS says so.
  """
  lines = made.hlo.splitlines()
  products = product_lines(made.hlo)
  assert len(products) == calls, f"{len(products)} calls for {calls} products\n{made.hlo}"
  # The bytes of scales in an MX format are put into the order in which gfx950's kernels read them.
  transposed = [line for line in lines if " transpose(" in line and " = u8[" not in line]
  assert len(transposed) == transposes, made.hlo
  for line in lines:
    assert " copy-start(" not in line, made.hlo
    # Before a loop its counter and x are copied: a loop may not overwrite a parameter. The integers
    # of a routing table may be copied, too.
    if " copy(" in line and " = s32[" not in line:
      assert re.search(r" copy\(%(constant|x)[._]", line), line
  # XLA assigns memory to the workspace, the last result of a call. It may be temporary memory, or
  # that of a result that is written later.
  for line in products:
    name, size = re.search(r"%([\w.]+) = \(.*u8\[(\d+)\]\{0\}\) custom-call", line).groups()
    workspace = line.split(" custom-call")[0].count("[") - 1
    value = rf" {re.escape(name)}\{{{workspace}\}} @\d+> \(size={size},offset=\d+\): u8"
    assert re.search(value, made.buffers), f"{line}\n{made.buffers}"
  # Calls that begin or wait for copies are never recorded.
  names = ("gemm|routing_table|top_k|gated_gradient|quantize_rows|quantized_gradient|"
           "quantize_columns")
  recordable = len(re.findall(f'custom_call_target="jaxgemm_(?:{names})"', made.hlo))
  recordable = recordable if WANTED else 0
  assert recorded_calls(made.thunks) == recordable, made.thunks


def recorded_calls(thunks: str) -> int:
  """How many custom calls are in command buffers."""
  recorded, buffer = 0, None  # the indentation of the command buffer around a line
  for line in thunks.splitlines():
    indentation = len(line) - len(line.lstrip())
    if buffer is not None and indentation <= buffer:
      buffer = None
    if buffer is None and "kCommandBuffer" in line:
      buffer = indentation
    recorded += buffer is not None and "kCustomCall" in line
  return recorded


def pullback(f, differentiable: int):
  """A function of f's arguments and its result's gradient, with the gradients of the first ones."""
  def gradients(*args):
    *args, out = args
    wanted, others = args[:differentiable], args[differentiable:]
    return jax.vjp(lambda *wanted: f(*wanted, *others), *wanted)[1](out)
  return gradients


def matmul(a, b, bias=None, **options):
  return jaxgemm.matmul(a, b, bias=bias, **OURS, **options)


def with_epilogue(a, b, bias):
  return matmul(a, b, bias, activation="gelu")


def scaled(a, b, scale):
  return matmul(a, b, scale=scale)


def transposed(a, b):
  return jaxgemm.dot_general(a, b, (((0,), (1,)), ((), ())), **OURS)


def batched(a, b):
  return jaxgemm.dot_general(a, b, (((2,), (2,)), ((0,), (0,))), **OURS)


def ragged(a, b, sizes, **options):
  return jaxgemm.ragged_dot(a, b, sizes, **OURS, **options)


def gated(a, b, sizes):
  return jaxgemm.ragged_gated_linear_unit(a, b, sizes, **OURS)


def ragged_general(contracting, group_dimensions):
  numbers = lax.RaggedDotDimensionNumbers((contracting, ((), ())), [0], group_dimensions)
  return lambda a, b, sizes, **options: jaxgemm.ragged_dot_general(
      a, b, sizes, numbers, **OURS, **options)


ragged_transposed = ragged_general(((1,), (2,)), [0])
ragged_k = ragged_general(((0,), (0,)), [])

CHUNKS = dict(tiles_per_chunk_m=1, config=jaxgemm.GemmConfig(tile_m=128), **OURS)


def chunked(a, b, signals):
  return jaxgemm.chunked_matmul(a, b, signals, **CHUNKS)


def overlapped(a, b):
  return jaxgemm.overlap(a, lambda data, signals: jaxgemm.chunked_matmul(
      data, b, signals, chunk_rows=128, **CHUNKS), chunk_rows=128)


def overlapped_by_hand(a, b):
  """The same as jaxgemm.overlap, by start_copy and join."""
  chunks = jaxgemm.start_copy(a, chunk_rows=128)
  return jaxgemm.join(chunks, jaxgemm.chunked_matmul(
      chunks.data, b, chunks.signals, chunk_rows=128, **CHUNKS))


A, B, OUT, BIAS = ((256, 128), BF16), ((128, 64), BF16), ((256, 64), BF16), ((64,), BF16)
SIZES, EXPERTS, GATED = ((4,), I32), ((4, 128, 64), BF16), ((4, 128, 2, 64), BF16)
STACK = ((3, 256, 128), BF16), ((3, 64, 128), BF16), ((3, 256, 64), BF16)
FP8, E8M0 = jnp.float8_e4m3fn, jnp.float8_e8m0fnu


def quantized(a, b, scale_lhs, scale_rhs):
  return matmul(a, b, scale_lhs=scale_lhs, scale_rhs=scale_rhs)


def scaled_blocks(a, b, scale_a, scale_b):
  return jaxgemm.scaled_matmul(a, b, scale_a, scale_b, **OURS)


def scaled_experts(a, b, sizes, scale_a, scale_b):
  return jaxgemm.scaled_ragged_dot(a, b, sizes, scale_a, scale_b, **OURS)


def gmm(a, b, sizes):
  return jaxgemm.megablox.gmm(a, b, sizes, BF16, **OURS)


def tgmm(a, b, sizes):
  return jaxgemm.megablox.tgmm(a, b, sizes, BF16, **OURS)


def quantized_array(a, scale, b):
  """An operand as Qwix has it, with scales of blocks along k."""
  lhs = SimpleNamespace(qvalue=a, scale=scale, zero_point=None)
  return jaxgemm.qarray.dot_general(lhs, b, (((1,), (0,)), ((), ())), **OURS)


def fp8_product(a, b, **options):
  return jaxgemm.fp8.dot_general(a, b, (((1,), (0,)), ((), ())), **OURS, **options)


def fp8_experts(a, b, sizes):
  return jaxgemm.fp8.ragged_dot(a, b, sizes, **OURS)


def layer(apply, variables):
  """The function of x and all variables of a layer, their number, and their types."""
  leaves, tree = jax.tree.flatten(variables)
  types = [(leaf.shape, leaf.dtype) for leaf in leaves]
  return lambda x, *leaves: apply(tree.unflatten(leaves), x), 1 + len(leaves), types


X, MOE = ((64, 128), BF16), dict(hidden_features=64, num_experts=4, top_k=2, param_dtype=BF16)


def nnx_moe():
  return nnx_layer(lambda: jaxgemm.flax.nnx.MoE(
      features=X[0][1], **MOE, rngs=flax.nnx.Rngs(0)), lambda y: y[0])


def linen_moe():
  return linen_layer(jaxgemm.flax.linen.MoE(**MOE), lambda y: y[0])


def linen_fp8(op):
  return linen_layer(
      flax.linen.Dense(64, param_dtype=BF16, dot_general_cls=op), lambda y: y)


def nnx_fp8(op):
  return nnx_layer(lambda: flax.nnx.Linear(
      X[0][1], 64, param_dtype=BF16, dot_general=op(), rngs=flax.nnx.Rngs(0)), lambda y: y)


def nnx_layer(make, result):
  graph, state = flax.nnx.split(flax.nnx.eval_shape(make))
  return layer(lambda state, x: result(flax.nnx.merge(graph, state)(x)), state)


def linen_layer(module, result):
  variables = jax.eval_shape(
      module.init, jax.random.key(0), jax.ShapeDtypeStruct(*X))
  return layer(lambda variables, x: result(module.apply(variables, x)), variables)


def layer_program(made, out, forward, backward):
  f, differentiable, types = made
  return f, differentiable, [X, *types], out, forward, backward


# gfx950 does not read the FNUZ dtypes of the last one.
FP8_OPERATIONS = ["Fp8DotGeneralOp", "Fp8DirectDotGeneralOp", "NANOOFp8DotGeneralOp"][
    :2 if os.environ.get("JAXGEMM_ROCM_ARCH") == "gfx950" else 3]


@functools.cache
def programs():
  """A dictionary of programs by public function, with a variant after a colon.

  The values are (the program, the number of arguments that have gradients, the arguments, the
  result, the number of products in the program, and that in its gradients).
  """
  return {
    "matmul": (matmul, 2, [A, B], OUT, 1, 2),
    "matmul: float32": (matmul, 2, [(A[0], F32), (B[0], F32)], (OUT[0], F32), 1, 2),
    "matmul: epilogue": (with_epilogue, 3, [A, B, BIAS], OUT, 1, 3),
    "matmul: scale": (scaled, 3, [A, B, BIAS], OUT, 1, 3),
    "matmul: work_stealing": (lambda a, b: matmul(a, b, schedule="work_stealing"), 2, [A, B],
                              OUT, 1, 2),
    "matmul: stream_k": (lambda a, b: matmul(a, b, schedule="stream_k"), 2,
                         [((256, 4096), BF16), ((4096, 64), BF16)], OUT, 1, 2),
    "matmul: float8": (quantized, 2, [(A[0], FP8), (B[0], FP8), ((256, 1), F32), ((1, 64), F32)],
                       (OUT[0], F32), 1, 2),
    "dot_general": (transposed, 2, [((128, 256), BF16), ((64, 128), BF16)], OUT, 1, 2),
    "dot_general: batched": (batched, 2, [STACK[0], STACK[1]], STACK[2], 1, 2),
    "ragged_dot": (ragged, 2, [A, EXPERTS, SIZES], OUT, 1, 2),
    "ragged_dot_general": (ragged_transposed, 2, [A, ((4, 64, 128), BF16), SIZES], OUT, 1, 2),
    "ragged_dot_general: k": (ragged_k, 2, [A, OUT, SIZES], EXPERTS, 1, 2),
    "ragged_gated_linear_unit": (gated, 2, [A, GATED, SIZES], OUT, 1, 3),
    "scaled_matmul": (scaled_blocks, 2, [((1, 256, 128), FP8), ((1, 64, 128), FP8),
                                         ((1, 256, 4), E8M0), ((1, 64, 4), E8M0)],
                      ((1, 256, 64), F32), 1, 2),
    "scaled_ragged_dot": (scaled_experts, 2, [(A[0], FP8), ((4, 64, 128), FP8), SIZES,
                                              ((256, 4), E8M0), ((4, 64, 4), E8M0)],
                          (OUT[0], F32), 1, 2),
    "chunked_matmul": (chunked, 2, [A, B, ((2,), U32)], OUT, 1, 3),
    "overlap": (overlapped, 2, [A, B], OUT, 1, 3),
    "start_copy, join": (overlapped_by_hand, 0, [A, B], OUT, 1, 0),
    "megablox.gmm": (gmm, 2, [A, EXPERTS, SIZES], OUT, 1, 2),
    "megablox.tgmm": (tgmm, 2, [((128, 256), BF16), OUT, SIZES], EXPERTS, 1, 2),
    "qarray.dot_general": (quantized_array, 0, [(A[0], FP8), ((256, 4), F32), B], OUT, 1, 0),
    **{f"fp8.dot_general: {recipe}": (
        functools.partial(fp8_product, recipe=recipe), 2, [A, B], OUT, 1, 2)
       for recipe in ("tensorwise", "rowwise")},
    "fp8.ragged_dot": (fp8_experts, 2, [A, EXPERTS, SIZES], OUT, 1, 2),
    # The backward pass needs no result of the product of down.
    "flax.nnx.MoE, flax.moe": layer_program(nnx_moe(), X, 3, 8),
    "flax.linen.MoE": layer_program(linen_moe(), X, 3, 8),
    **{f"flax.{kind}.{name}": layer_program(
        layer_of(getattr(getattr(jaxgemm.flax, kind), name)), ((64, 64), BF16), 1, 2)
       for kind, layer_of in (("linen", linen_fp8), ("nnx", nnx_fp8)) for name in FP8_OPERATIONS},
  }


RINGS = {"allgather_matmul": ((P("x"), P(None, "x")), P(None, "x")),
         "matmul_reduce_scatter": ((P(None, "x"), P("x")), P("x"))}


def covered() -> set[str]:
  """The public functions that are compiled here, with their gradients."""
  return {name for key in programs() for name in key.split(":")[0].split(", ")} | {*RINGS}


# The number of arrays that XLA transposes for a gradient. tgmm's lhs is [k, m], and its gradient is
# computed as [m, k].
TRANSPOSED = {"megablox.tgmm": 1}


def functions(device):
  """Each product is one call, forward and backward, with no copy and no other transposition.

  Float8 products whose kernels this build lacks are left out, and printed.
  """
  left_out = []

  def check_compiled(name, function, types, *expected):
    try:
      text = compile_for(device, function, *types)
    except ValueError as error:
      if "this build has no code object" not in str(error):
        raise
      assert "fp8" in name.lower(), error
      left_out.append(name)
    else:
      check(text, *expected)

  for name, (f, differentiable, args, out, forward, backward) in programs().items():
    check_compiled(f"{name}, forward", f, args, forward)
    if differentiable:
      check_compiled(f"{name}, backward", pullback(f, differentiable), (*args, out), backward,
                     TRANSPOSED.get(name, 0))
  print("left out, because this build lacks their kernels:", "; ".join(left_out) or "none")


def workspace(device):
  """The workspace of these schedules is not empty, and XLA allocates it beforehand."""
  for name in ("work_stealing", "stream_k"):
    f, _, args, *_ = programs()[f"matmul: {name}"]
    call, = product_lines(compile_for(device, f, *args).hlo)
    assert re.search(r"u8\[[1-9]\d*\]\{0\}\) custom-call", call), call


def accumulate(device):
  """A gradient is accumulated in its own memory: no array is copied, not even in a scan."""
  def add(gradient, lhs, out, sizes):
    return ragged_k(lhs, out, sizes, accumulate=gradient, preferred_element_type=F32)

  so_far = EXPERTS[0], F32
  made = compile_for(device, add, so_far, A, OUT, SIZES, donate=(0,))
  check(made, 1)
  assert " copy(" not in made.hlo and "input_output_alias={ {}: (0" in made.hlo, made.hlo

  def scan(gradient, *batches):
    return lax.scan(lambda g, batch: (add(g, *batch), None), gradient, batches)[0]

  several = [((5, *shape), dtype) for shape, dtype in (A, OUT, SIZES)]
  made = compile_for(device, scan, so_far, *several, donate=(0,))
  call, = product_lines(made.hlo)
  assert "output_to_operand_aliasing={{0}: (3, {})}" in call, call
  assert not re.search(r"(f32|bf16)\[.* copy\(", made.hlo), made.hlo


def scan(device):
  """In a loop XLA cuts out the weights of a layer, and fuses nothing else into the product.

  From jax 0.12 on the product reads the weights where they are.
  """
  def layers(x, weights):
    return lax.scan(lambda x, w: (jnp.tanh(matmul(x, w)), None), x, weights)[0]

  made = compile_for(device, layers, A, ((6, 128, 128), BF16))
  body, = (part for part in re.split(r"\n(?=%|ENTRY)", made.hlo) if product_lines(part))
  if body.startswith("%dynamic-slice-fusion"):
    operations = re.findall(r" = .*? ([a-z-]+)\(", body)
    assert {*operations} == {
        "parameter", "constant", "dynamic-slice", "bitcast", "custom-call"}, body
    assert "loop_dynamic_slice_fusion" not in made.hlo, made.hlo
    return
  check(made, 1)
  fusions = re.findall(r"%(\S+) = \S+ fusion\(", body)
  assert [re.sub(r"[.\d]+$", "", name) for name in sorted(fusions)] == [
      "loop_add_fusion", "loop_convert_fusion", "loop_dynamic_slice_fusion"], body


def ring(device):
  """A ring's products run while blocks or sums travel, and write into out in place."""
  arch, count = os.environ["JAXGEMM_ROCM_ARCH"], 4
  mesh = jax.sharding.Mesh(np.array(chips(arch, count)), ("x",))
  for name, (specs, out) in RINGS.items():
    mapped = jax.shard_map(
        functools.partial(getattr(jaxgemm, name), axis_name="x", **OURS), mesh=mesh,
        in_specs=specs, out_specs=out)
    types = [jax.ShapeDtypeStruct(shape, BF16, sharding=NamedSharding(mesh, spec))
             for shape, spec in zip(((2048, 1024), (1024, 512)), specs)]
    gradients = jax.grad(lambda *x, f=mapped: (f(*x).astype(F32) ** 2).sum(), (0, 1))
    for program, products in ((mapped, count), (gradients, 3 * count)):
      hlo = jax.jit(program).lower(*types).compile(
          compiler_options={"xla_gpu_enable_latency_hiding_scheduler": True}).as_text()
      lines = hlo[hlo.index("ENTRY"):].splitlines()
      assert len(product_lines(hlo)) == products and " copy(" not in hlo, hlo
      starts, ends = ([i for i, line in enumerate(lines)
                       if f" collective-permute-{x}(" in line] for x in ("start", "done"))
      assert len(starts) == len(ends) >= count - 1, hlo
      for start, end in zip(starts, ends):
        assert product_lines("\n".join(lines[start:end])), hlo


if __name__ == "__main__":
  the_chip = chip(os.environ["JAXGEMM_ROCM_ARCH"])
  for program in sys.argv[1:]:
    globals()[program](the_chip)
    print(program, "is right", flush=True)
