"""Cases of products that overlap with collectives: all meshes of eight devices, all orders of axes.

The devices of a mesh are in any order, too. Results and gradients are compared with float64.
"""

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
from tests.support import soak
from tests.support.fuzz import attack, hostile, references
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import check_close, described

_MESHES = ((8,), (2, 4), (4, 2), (2, 2, 2), (2, 2, 2), (1, 8), (2, 3), (2, 2), (4,))
_NAMES = ("x", "y", "z")
_GATHERS = "allgather_matmul"
_SCATTERS = "matmul_reduce_scatter"


@functools.cache
def _devices() -> np.ndarray:
  return np.array(jax.devices())


def make_mesh(rng) -> Mesh:
  """A mesh of up to eight devices, in any order."""
  devices = _devices()
  shape = choice(rng, [shape for shape in _MESHES if np.prod(shape) <= len(devices)])
  count = int(np.prod(shape))
  if rng.random() < 0.4:
    devices = devices[rng.permutation(len(devices))]
  return Mesh(devices[:count].reshape(shape), _NAMES[:len(shape)],
              axis_types=(AxisType.Auto,) * len(shape))


def drawn_axes(rng, names) -> tuple[str, ...]:
  """Some axes in any order, at least one."""
  orders = [order for count in range(1, len(names) + 1)
            for order in itertools.permutations(names, count)]
  return choice(rng, orders)


def _options(rng, is_float: bool) -> dict[str, Any]:
  given: dict[str, Any] = {"implementation": choice(rng, ("jaxgemm", "jaxgemm", "xla", None))}
  if is_float and rng.random() < 0.4:
    given["activation"] = choice(rng, ("relu", "gelu", "silu"))
  if rng.random() < 0.4:
    given["transfers"] = choice(rng, ("ring", "copies", None))
  if is_float and rng.random() < 0.3:
    given["sum_dtype"] = choice(rng, ("float32", None))
  if is_float and rng.random() < 0.2:
    given["preferred_element_type"] = "float32"
  if rng.random() < 0.2:
    given["schedule"] = choice(rng, ("persistent", "work_stealing", "stream_k"))
  return given


def _mapped(name: str, mesh, axes, others, batch, has_bias, check_vma, **given):
  """The function in a shard_map; `others` are axes that shard the batch or the columns."""
  axis = axes[0] if len(axes) == 1 else axes
  lead = (others or None,) if batch else ()
  columns = None if batch else others
  if name == _GATHERS:
    of_columns = (*axes, *(columns or ()))
    specs = P(*lead, axes, None), P(None, of_columns)
    out, of_bias = P(*lead, None, of_columns), P(of_columns)
  else:
    specs = P(*lead, None, axes), P(axes, columns)
    out, of_bias = P(*lead, axes, columns), P(columns)
  function = getattr(jaxgemm, name)

  def body(lhs, rhs, *bias):
    return function(lhs, rhs, axis, bias=bias[0] if bias else None, **given)

  return jax.shard_map(body, mesh=mesh, in_specs=specs + (of_bias,) * has_bias, out_specs=out,
                       check_vma=check_vma)


def valid(rng) -> str:
  mesh = make_mesh(rng)
  name = choice(rng, (_GATHERS, _SCATTERS))
  axes = drawn_axes(rng, mesh.axis_names)
  others = tuple(x for x in mesh.axis_names if x not in axes)
  dtype = choice(rng, ("float32", "float32", "float32", "bfloat16", "int8"))
  is_float = dtype != "int8"
  count = mesh.size
  batch = choice(rng, ((), (), (count,)))
  m, k, n = (count * choice(rng, x) for x in ((1, 3), (1, 2), (1, 2)))
  zero = choice(rng, (None,) * 12 + ("m", "k", "n"))
  m, k, n = (0 if zero == x else size for x, size in zip("mkn", (m, k, n)))
  has_bias = rng.random() < 0.3
  gradients = is_float and rng.random() < 0.6
  shapes = (*batch, m, k), (k, n), *([(n,)] if has_bias else [])
  given = _options(rng, is_float)
  check_vma = rng.random() < 0.6
  words = described(name, {"mesh": dict(mesh.shape), "devices": mesh.device_ids.ravel().tolist(),
                           "axis_name": axes, "shapes": shapes, "dtype": dtype,
                           "check_vma": check_vma, "gradients": gradients} | given)
  f = _mapped(name, mesh, axes, others, batch, has_bias, check_vma, **given)
  ct = rng.standard_normal((*batch, m, n)).astype(np.float32)

  @jax.jit
  def call(ct, *arrays):
    if not gradients:
      return (f(*arrays),)
    out, pull = jax.vjp(f, *arrays)
    return out, *pull(ct.astype(out.dtype))

  for _ in range(attack.CALLS):
    arrays = [hostile.array_of(rng, shape, dtype) for shape in shapes]
    if gradients:
      arrays = [np.nan_to_num(soak.double(x)).clip(-3, 3).astype(x.dtype) for x in arrays]
    if has_bias and not is_float:
      arrays[2] = arrays[2].astype(np.int32)
    # XLA cannot compile a shard_map whose arrays are all empty, whatever is in it.
    got = attack.computed(words, lambda arrays=arrays: call(ct, *arrays),
                          "GlobalToLocalShape", "copies need two dimensions")
    if got is None:
      return "XLA refuses empty arrays"
    _check(words, arrays, given, ct if gradients else None, got)
  return f"right in {attack.CALLS} calls{', with gradients' if gradients else ''}"


def _check(words: str, arrays, given, ct, got) -> None:
  (wanted, error), gradients = _wanted(arrays, given.get("activation"), ct)
  dtype = arrays[0].dtype
  is_float = jnp.issubdtype(dtype, jnp.floating)
  if is_float:
    error = error * (1 + 2.0**14 * attack.error_of_operands(None))
  if given["implementation"] == "jaxgemm" or not np.isnan(wanted).any():
    check_close(words, got[0], *references.rounded(got[0].dtype, wanted, error))
  if ct is not None:
    tolerance = 2e-5 + 8 * attack.roundoff(dtype) + 4 * attack.error_of_operands(None)
    attack.near(f"gradients of {words}", got[1:], gradients, tolerance)


def _wanted(arrays, activation, ct):
  """((result, bounds), gradients or None) in float64."""
  lhs, rhs, *bias = arrays
  z, error = references.sums("...mk,kn->...mn", lhs, rhs)
  bias_of_z = bias[0] if bias else None
  both = references.finish(z, error, bias=bias_of_z, activation=activation)
  if ct is None:
    return both, None
  wide = [soak.double(x) for x in arrays]
  with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
    act = getattr(jax.nn, activation) if activation else lambda z: z
    _, pull = jax.vjp(lambda x, y, *b: act(x @ y + (b[0] if b else 0)), *map(jnp.asarray, wide))
    return both, jax.tree.map(np.asarray, pull(jnp.asarray(soak.double(ct))))


def _vmapped(rng) -> str:
  """vmap inside and outside of shard_map, over a batch of any operand."""
  mesh = make_mesh(rng)
  name, axes = choice(rng, (_GATHERS, _SCATTERS)), drawn_axes(rng, mesh.axis_names)
  count = mesh.size
  m, k, n = count, count, 2 * count
  in_axes = choice(rng, ((0, None), (None, 0), (0, 0), (1, 0)))
  lhs, rhs = (rng.standard_normal(shape).astype(np.float32) for shape in ((3, m, k), (3, k, n)))
  if in_axes[0] is None:
    lhs = lhs[0]
  if in_axes[1] is None:
    rhs = rhs[0]
  wanted = lhs.astype(np.float64) @ rhs
  if in_axes[0] == 1:
    lhs = np.moveaxis(lhs, 0, 1)
  f = _mapped(name, mesh, axes, (), (), False, True, implementation="jaxgemm")
  words = described(f"vmap of {name}", {
      "mesh": dict(mesh.shape), "axis_name": axes, "in_axes": in_axes})
  got = attack.computed(words, lambda: jax.jit(jax.vmap(f, in_axes))(lhs, rhs))
  attack.near(words, got, wanted, 2e-5 + 2 * attack.error_of_operands(None))
  return "right, vmap"


def _refused(rng) -> str:
  count = min(8, len(_devices()))
  mesh = jax.make_mesh((count,), ("x",), axis_types=(AxisType.Auto,))
  name = choice(rng, (_GATHERS, _SCATTERS))
  function = getattr(jaxgemm, name)
  lhs, rhs = np.ones((count, count), np.float32), np.ones((count, count), np.float32)

  def call(axis_name="x", lhs=lhs, rhs=rhs, outside=False, **given):
    if outside:
      return function(lhs, rhs, axis_name, **given)
    return jax.shard_map(lambda a, b: function(a, b, axis_name, **given), mesh=mesh,
                         in_specs=(P(), P()), out_specs=P("x"), check_vma=False)(lhs, rhs)

  kinds: list[tuple[str, tuple, tuple]] = [
      ("axis_name", ("y", (), 3, None, ("x", "y"), ("x", 3), ["x"], "", ("x", "x"), {"x"}),
       ("axis",)),
      ("bias", (np.ones(3), np.ones((1, count)), "x", np.ones(count, complex)), ("bias",)),
      ("activation", ("swish", 3, "none"), ("activation",)),
      ("sum_dtype", ("int8", "float16", "float8_e5m2", "x", 3, "complex64"), ("sum_dtype",)),
      ("transfers", ("rings", 3, "", True), ("transfers",)),
      ("implementation", ("cuda", 3, "Jaxgemm"), ("implementation",)),
      ("schedule", ("x", 3), ("schedule",)),
      ("config", ({}, "x", 3), ("config",)),
      ("deterministic", ("yes", 1, None), ("deterministic",)),
      ("preferred_element_type", ("x", 3.5), ("preferred_element_type",)),
      ("lhs", (np.ones(count), np.ones((count, 3)), np.ones((count, count), "datetime64[s]"),
               np.ones((count + 1, count)) if name == _SCATTERS else np.ones(())),
       ("lhs", "shape", "dtype", "rows", "type")),
      ("rhs", (np.ones(count), np.ones((3, count)), np.ones((2, count, count))),
       ("rhs", "shape")),
      ("outside", (True,), ("shard_map",)),
  ]
  which, values, names = choice(rng, kinds)
  value = choice(rng, values)
  return attack.refused(described(name, {which: value}), (which, *names),
                        lambda: call(**{which: value}))


def run(rng) -> str:
  what = rng.random()
  return _refused(rng) if what < 0.25 else _vmapped(rng) if what < 0.35 else valid(rng)


def forget() -> None:
  jax.clear_caches()
