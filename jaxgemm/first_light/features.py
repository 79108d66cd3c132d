"""Checks of what programs use: schedules, groups, chunks, command buffers, streams, devices.

Each check is a function without arguments that raises an AssertionError with a part of a sentence
if a result is wrong, and a `Skipped` if this machine has not what it needs. The sums are exact.
"""

from collections.abc import Callable
import concurrent.futures
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.first_light.arrays import difference, exact, float64
from jaxgemm.first_light.kernels import jax_is_right
from jaxgemm.grouped import gated_gradient, routing_calls

_BF16, _F32 = jnp.bfloat16, jnp.float32
_SIZES = (520, 392, 456)  # no multiples of tiles


class Skipped(Exception):
  """The check needs something that is not there."""


def _given(m: int, n: int, k: int, seed: int = 0) -> tuple[Any, Any]:
  rng = np.random.default_rng(seed)
  return exact(rng, (m, k), _BF16), exact(rng, (k, n), _BF16)


def _product(a, b, **options):
  return jaxgemm.matmul(a, b, preferred_element_type=_F32, implementation="jaxgemm", **options)


def _require(got, want) -> None:
  why = difference(np.asarray(got), np.asarray(want))
  assert not why, why


def xla() -> None:
  """XLA's own products: without these no other check means anything."""
  assert jax_is_right(), "a product of jax.numpy is wrong: the driver or JAX's plugin is at fault"


def _schedule(**options) -> None:
  a, b = _given(*_SIZES)
  product = jax.jit(lambda a, b: _product(a, b, **options))
  want, first = float64(a) @ float64(b), None
  for _ in range(2 if _ffi.virtual_gpus else 20):
    got = np.asarray(product(a, b))
    _require(got, want)
    assert first is None or got.tobytes() == first, "runs of the same program differ"
    first = got.tobytes()


def persistent() -> None:
  _schedule(schedule="persistent")


def work_stealing() -> None:
  _schedule(schedule="work_stealing")


def stream_k() -> None:
  _schedule(schedule="stream_k")


def stream_k_tree() -> None:
  _schedule(schedule="stream_k", reduction="tree")


def stream_k_atomic() -> None:
  _schedule(schedule="stream_k", reduction="atomic")


def epilogue() -> None:
  a, b = _given(*_SIZES)
  bias = np.random.default_rng(2).integers(-3, 4, b.shape[1]).astype(np.float32)
  got = jax.jit(lambda a, b, bias: _product(a, b, bias=bias, activation="relu"))(a, b, bias)
  _require(got, np.maximum(float64(a) @ float64(b) + bias, 0))


def gradients() -> None:
  a, b = _given(264, 136, 200)
  weights = exact(np.random.default_rng(3), (264, 136), _F32)
  loss = lambda a, b: (_product(a, b) * weights).sum()  # noqa: E731
  of_a, of_b = jax.jit(jax.grad(loss, (0, 1)))(a, b)
  cotangent = float64(weights)
  for got, want in ((of_a, cotangent @ float64(b).T), (of_b, float64(a).T @ cotangent)):
    _require(got, want)


def batches() -> None:
  a, b = (np.stack(x) for x in zip(_given(72, 136, 200), _given(72, 136, 200, seed=1)))
  _require(jax.jit(jax.vmap(_product))(a, b), np.matmul(float64(a), float64(b)))


def _grouped() -> tuple[Any, Any, Any, np.ndarray]:
  counts = np.array([130, 0, 1, 200, 53], np.int32)
  rng = np.random.default_rng(4)
  a = exact(rng, (int(counts.sum()), 200), _BF16)
  b = exact(rng, (len(counts), 200, 136), _BF16)
  want = [float64(rows) @ float64(each)
          for rows, each in zip(np.split(a, np.cumsum(counts)[:-1]), b)]
  return a, b, counts, np.concatenate(want)


def groups() -> None:
  a, b, counts, want = _grouped()
  product = lambda a, b, counts: jaxgemm.ragged_dot(  # noqa: E731
      a, b, counts, preferred_element_type=_F32, implementation="jaxgemm")
  _require(jax.jit(product)(a, b, counts), want)
  # The sizes change between runs of one program.
  other = counts[::-1].copy()
  want = np.concatenate([float64(rows) @ float64(each)
                         for rows, each in zip(np.split(a, np.cumsum(other)[:-1]), b)])
  _require(jax.jit(product)(a, b, other), want)


def gradients_of_groups() -> None:
  a, b, counts, _ = _grouped()
  weights = exact(np.random.default_rng(5), (a.shape[0], b.shape[2]), _F32)

  def loss(b):
    out = jaxgemm.ragged_dot(a, b, counts, preferred_element_type=_F32, implementation="jaxgemm")
    return (out * weights).sum()

  parts = zip(*(np.split(float64(x), np.cumsum(counts)[:-1]) for x in (a, weights)))
  _require(jax.jit(jax.grad(loss))(b), np.stack([rows.T @ of for rows, of in parts]))


def routing() -> None:
  """The kernels of a routing: the choices of tokens, their table, and a gated gradient."""
  chosen = np.random.default_rng(8).integers(0, 16, (300, 4)).astype(np.int32)
  table, counts = jax.jit(lambda x: jaxgemm.routing_table(x, 16))(chosen)
  order = np.argsort(chosen.ravel(), kind="stable")
  for got, want in ((counts, np.bincount(chosen.ravel(), minlength=16)), (table.choice, order),
                    (table.experts, chosen.ravel()[order]),
                    (table.row, np.argsort(order).reshape(chosen.shape))):
    _require(got, want)
  _choices()
  for dtype, tolerance in ((_F32, 1e-5), (_BF16, 1e-2)):
    _gated_gradient(dtype, tolerance)


def _require_near(got, want: np.ndarray, tolerance: float) -> None:
  got = float64(got)
  # NaN is no near result.
  far = ~(np.abs(got - want) <= tolerance * (1 + np.abs(want)))
  assert not far.any(), f"{far.sum()} of {far.size} elements are wrong"


def _choices() -> None:
  logits = (np.random.default_rng(9).integers(-9, 10, (301, 24)) / 4).astype(np.float32)
  chosen, weights = jax.jit(lambda x: routing_calls.top_k_softmax(x, 4))(logits)
  want = np.argsort(-logits, axis=1, kind="stable")[:, :4]  # of equal ones the first
  _require(chosen, want)
  powers = np.exp(np.take_along_axis(float64(logits), want, 1))
  _require_near(weights, powers / powers.sum(1, keepdims=True), 1e-5)


def _gated_gradient(dtype, tolerance: float) -> None:
  rng = np.random.default_rng(10)
  z, g = (rng.uniform(-2, 2, shape).astype(dtype) for shape in ((37, 2, 200), (37, 200)))
  w = rng.uniform(0, 1, 37).astype(np.float32)
  got = jax.jit(lambda z, g, w: gated_gradient.gated_gradient(z, g, w, "silu"))(z, g, w)
  gate, up = (float64(z)[:, i] for i in range(2))
  of_row, weight, sigmoid = float64(g), float64(w)[:, None], 1 / (1 + np.exp(-gate))
  of_gate = weight * of_row * up * sigmoid * (1 + gate * (1 - sigmoid))
  silu = gate * sigmoid
  wants = (np.stack([of_gate, weight * of_row * silu], 1), weight * silu * up,
           (of_row * silu * up).sum(1))
  for each, want in zip(got, wants):
    _require_near(each, want, tolerance)


def experts() -> None:
  """The routing of a mixture of experts, and products that read rows by index."""
  rng = np.random.default_rng(6)
  tokens, num_experts = exact(rng, (96, 200), _BF16), 8
  chosen = np.stack([rng.permutation(num_experts)[:2] for _ in range(96)]).astype(np.int32)
  b = exact(rng, (num_experts, 200, 136), _BF16)

  @jax.jit
  def layer(tokens, b, chosen):
    table, counts = jaxgemm.routing_table(chosen, num_experts)
    out = jaxgemm.ragged_dot(tokens, b, counts, preferred_element_type=_F32, lhs_indices=table,
                             implementation="jaxgemm")
    return jaxgemm.combine(out, table)

  want = sum(np.einsum("tk,tkn->tn", float64(tokens), float64(b)[chosen[:, i]]) for i in range(2))
  _require(layer(tokens, b, chosen), want)


def scales_of_blocks() -> None:
  rng = np.random.default_rng(7)
  dtype = "float8_e4m3fnuz" if _ffi.target(_ffi.default_platform()) == "gfx942" else "float8_e4m3fn"
  a, b = exact(rng, (1, 200, 384), dtype), exact(rng, (1, 256, 384), dtype)
  of_a = np.exp2(rng.integers(-1, 2, (1, 200, 3))).astype(np.float32)
  of_b = np.exp2(rng.integers(-1, 2, (1, 2, 3))).astype(np.float32)
  wide_a = float64(a) * np.repeat(of_a, 128, 2)
  wide_b = float64(b) * np.repeat(np.repeat(of_b, 128, 1), 128, 2)
  ok, why = jaxgemm.supports(a, b, lhs_scales=of_a, rhs_scales=of_b)
  if not ok:
    raise Skipped(why)
  got = jax.jit(lambda *given: jaxgemm.scaled_matmul(*given, implementation="jaxgemm"))(
      a, b, of_a, of_b)
  _require(got, wide_a @ wide_b.swapaxes(1, 2))


def _overlap(place: str | None, **options) -> None:
  a, b = _given(1024, 136, 200)
  x = jnp.asarray(a)
  if place:
    x = jax.device_put(x, jax.sharding.SingleDeviceSharding(x.device, memory_kind=place))
  plan = dict(tiles_per_chunk_m=1, preferred_element_type=_F32)
  rows = jaxgemm.chunk_rows(x, b, **plan)
  consumer = lambda data, signals: jaxgemm.chunked_matmul(  # noqa: E731
      data, b, signals, chunk_rows=rows, implementation="jaxgemm", **plan)
  program = jax.jit(lambda x: jaxgemm.overlap(x, consumer, chunk_rows=rows, **options))
  for _ in range(1 if _ffi.virtual_gpus else 10):
    _require(program(x), float64(a) @ float64(b))


def chunks() -> None:
  """A product that begins while its operand arrives from the host's memory."""
  _overlap("pinned_host")


def chunks_on_device() -> None:
  _overlap(None)


def late_chunk() -> None:
  """A chunk that never arrives is an error after the timeout, and the next program is right."""
  if _ffi.virtual_gpus:
    raise Skipped("the emulator takes a product that waits for a chunk for one that hangs")
  a, b = _given(1024, 136, 200)
  plan = dict(tiles_per_chunk_m=1, preferred_element_type=_F32)
  rows = jaxgemm.chunk_rows(a, b, **plan)
  signals = np.ones(-(-1024 // rows), np.uint32)
  wait = jax.jit(lambda a, b, signals: jaxgemm.chunked_matmul(
      a, b, signals, chunk_rows=rows, implementation="jaxgemm", timeout=1.0, **plan))
  _require(wait(a, b, signals), float64(a) @ float64(b))
  signals[-1] = 0
  try:
    wait(a, b, signals).block_until_ready()
  except Exception as error:  # pylint: disable=broad-except
    assert "chunk" in str(error), f"the error does not name the chunk: {error!s:.200}"
  else:
    raise AssertionError("a chunk did not arrive, and there was no error")
  persistent()


def command_buffers() -> None:
  """Programs of several products, which XLA records and replays."""
  x, _ = _given(72, 72, 136)
  weights = [exact(np.random.default_rng(i), (136, 136), _BF16) for i in range(6)]

  def step(x, products):
    for w in weights:
      x = jnp.clip(products(x, w), -3, 3).astype(_BF16)
    return x

  program = jax.jit(lambda x: step(x, _product),
                    compiler_options={"xla_gpu_graph_min_graph_size": 1})
  want = float64(x)
  for w in weights:
    want = np.clip(want @ float64(w), -3, 3)
  for _ in range(5):
    _require(program(x), want)


def streams() -> None:
  """Programs that threads of the host run at the same time."""
  cases = [_given(264, 136, 200, seed) for seed in range(4)]
  product = jax.jit(lambda a, b: _product(a, b, schedule="work_stealing"))

  def run(case):
    for _ in range(1 if _ffi.virtual_gpus else 10):
      _require(product(*case), float64(case[0]) @ float64(case[1]))

  with concurrent.futures.ThreadPoolExecutor(4) as threads:
    list(threads.map(run, cases))


def devices() -> None:
  """Two devices: each computes its part, and a ring passes blocks between them."""
  if jax.local_device_count() < 2:
    raise Skipped("there is one device")
  mesh = jax.make_mesh((2,), ("x",), (jax.sharding.AxisType.Auto,),
                       devices=jax.local_devices()[:2])
  spec = jax.sharding.PartitionSpec
  a, b = _given(512, 256, 200)

  def gather(a, b):
    return jaxgemm.allgather_matmul(a, b, "x", preferred_element_type=_F32)

  product = jax.jit(jax.shard_map(gather, mesh=mesh, in_specs=(spec("x"), spec(None, "x")),
                                  out_specs=spec(None, "x")))
  _require(product(a, b), float64(a) @ float64(b))


# The names of the checks, in the order in which they run. A process without command buffers
# repeats those of _WITHOUT.
CHECKS: dict[str, Callable[[], None]] = {each.__name__: each for each in (
    xla, persistent, work_stealing, stream_k, stream_k_tree, groups, epilogue, gradients, batches,
    gradients_of_groups, routing, experts, scales_of_blocks, command_buffers, chunks,
    chunks_on_device, late_chunk, streams, devices, stream_k_atomic)}
WITHOUT_COMMAND_BUFFERS = ("command_buffers", "groups")
# What to leave out if a check fails: a rule of call/denied.py for a schedule of all kernels.
SCHEDULES = {"work_stealing": "work_stealing", "stream_k": "stream_k"}


def check(name: str) -> dict[str, Any]:
  """Whether a check holds: "why" is "" if it does; "skipped" says why it did not run, or ""."""
  try:
    CHECKS[name]()
  except AssertionError as error:
    return {"why": str(error) or "a result is wrong", "skipped": ""}
  except Skipped as error:
    return {"why": "", "skipped": str(error)}
  return {"why": "", "skipped": ""}
