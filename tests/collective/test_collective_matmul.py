"""Products that overlap with collectives, on eight virtual devices, against float64."""

import functools
import re

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig

M, K, N = 32, 24, 16
GATHERED = (P("y"), P(None, "y")), P(None, "y")
SCATTERED = (P(None, "y"), P("y")), P("y")
FUNCTIONS = {"allgather_matmul": (jaxgemm.allgather_matmul, *GATHERED),
             "matmul_reduce_scatter": (jaxgemm.matmul_reduce_scatter, *SCATTERED)}
both = pytest.mark.parametrize("name", FUNCTIONS)


def make_mesh(shape=(2, 4)):
  return jax.make_mesh(shape, ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def mapped(name, *, axis="y", mesh=None, check_vma=True, in_specs=None, out_spec=None,
           bias_spec=None, **options):
  """The function inside jax.shard_map; its arguments are lhs, rhs and perhaps bias."""
  function, specs, spec = FUNCTIONS[name]
  specs = in_specs or specs

  def body(lhs, rhs, *bias):
    return function(lhs, rhs, axis, **options, **({"bias": bias[0]} if bias else {}))

  if bias_spec is not None:
    specs = *specs, bias_spec
  return jax.shard_map(body, mesh=mesh or make_mesh(), in_specs=specs,
                       out_specs=spec if out_spec is None else out_spec,
                       check_vma=check_vma)


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape), dtype)


def exact(f, *arrays):
  """f of float64 arrays, by XLA."""
  with jax.enable_x64(True):
    arrays = [jnp.asarray(np.asarray(x, np.float64)) for x in arrays]
    return jax.tree.map(np.asarray, f(*arrays))


def assert_close(given, wanted, tolerance=2e-5):
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True):
    assert x.shape == y.shape
    np.testing.assert_allclose(np.asarray(x, np.float64), y,
                               atol=tolerance * np.abs(y).max(), rtol=0)


def assert_as_matmul(f, g, *arrays, argnums=(0, 1), tolerance=2e-5):
  """Values and gradients of f are those of g in float64."""
  def gradients(f):
    return lambda *arrays: jax.grad(
        lambda *x: (f(*x).astype(jnp.promote_types(x[0].dtype, jnp.float32)) ** 2).sum(),
        argnums)(*arrays)

  out = jax.jit(f)(*arrays)
  assert_close(out, exact(g, *arrays), tolerance)
  given = jax.jit(gradients(f))(*arrays)
  assert [x.dtype for x in given] == [arrays[i].dtype for i in argnums]
  assert_close(given, exact(gradients(g), *arrays), tolerance)


@both
@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
def test_values_and_gradients(rng, name, check_vma, implementation):
  f = mapped(name, check_vma=check_vma, implementation=implementation)
  assert_as_matmul(f, jnp.matmul, array(rng, M, K), array(rng, K, N))


@both
def test_epilogue(rng, name):
  f = mapped(name, activation="gelu", bias_spec=P("y") if name[0] == "a" else P())
  assert_as_matmul(f, lambda a, b, bias: jax.nn.gelu(a @ b + bias), array(rng, M, K),
                   array(rng, K, N), array(rng, N), argnums=(0, 1, 2))


@both
def test_second_derivatives_in_every_mode(rng, name):
  arrays = array(rng, 8, 8), array(rng, 8, 4)
  loss = lambda f: lambda *x: (jnp.sin(f(*x)) ** 2).sum()
  of = lambda f, outer, inner: outer(inner(loss(f), (0, 1)), (0, 1))
  f = mapped(name, activation="silu")
  g = lambda a, b: jax.nn.silu(a @ b)
  wanted = exact(of(g, jax.jacfwd, jax.grad), *arrays)
  for outer, inner in ((jax.jacfwd, jax.grad), (jax.jacrev, jax.grad),
                       (jax.jacrev, jax.jacfwd)):
    assert_close(jax.jit(of(f, outer, inner))(*arrays), wanted, 1e-4)


@both
def test_gradient_inside_of_shard_map(rng, name):
  function, specs, _ = FUNCTIONS[name]

  @jax.jit
  @functools.partial(jax.shard_map, mesh=make_mesh(), in_specs=specs, out_specs=specs)
  def gradients(a, b):
    return jax.grad(lambda *x: (function(*x, "y") ** 2).sum(), (0, 1))(a, b)

  a, b = array(rng, M, K), array(rng, K, N)
  wanted = exact(lambda a, b: jax.grad(lambda *x: ((x[0] @ x[1]) ** 2).sum(), (0, 1))(a, b),
                 a, b)
  assert_close(gradients(a, b), wanted)


def test_rhs_that_all_devices_have(rng):
  f = mapped("allgather_matmul", in_specs=(P("y"), P()), out_spec=P("y"))
  once = lambda a, b: jnp.tile(a @ b, (4, 1))
  assert_as_matmul(f, once, array(rng, M, K), array(rng, K, N))


@both
def test_bfloat16_and_the_dtype_of_travelling_sums(rng, name):
  a, b = (array(rng, *shape, dtype=jnp.bfloat16) for shape in ((64, 256), (256, 32)))
  wanted = exact(jnp.matmul, a, b)
  errors = []
  for dtype in (None, jnp.float32, "bfloat16"):
    out = jax.jit(mapped(name, sum_dtype=dtype))(a, b)
    assert out.dtype == jnp.bfloat16
    errors.append(np.abs(np.asarray(out, np.float64) - wanted).max() / np.abs(wanted).max())
  assert errors[0] == errors[1] < 4e-3
  if name == "matmul_reduce_scatter":
    assert errors[0] < errors[2] < 2e-2
    text = jax.jit(mapped(name, sum_dtype=jnp.bfloat16)).lower(a, b).as_text()
    assert re.search(r"collective_permute.*xbf16>", text)
  assert_as_matmul(mapped(name, preferred_element_type=jnp.float32), jnp.matmul, a, b,
                   tolerance=1e-2)


@both
def test_integers(rng, name):
  a, b = (jnp.asarray(rng.integers(-9, 9, shape), jnp.int8) for shape in ((M, K), (K, N)))
  out = jax.jit(mapped(name, preferred_element_type=jnp.int32))(a, b)
  np.testing.assert_array_equal(out, np.asarray(a, np.int32) @ np.asarray(b, np.int32))


@both
def test_batch_dimensions_and_vmap(rng, name):
  function, specs, out = FUNCTIONS[name]
  lead = lambda spec, *first: P(*first, *spec)
  a, b = array(rng, 2, 3, M, K), array(rng, K, N)
  f = mapped(name, in_specs=(lead(specs[0], None, None), specs[1]),
             out_spec=lead(out, None, None))
  assert_as_matmul(f, jnp.matmul, a, b)

  bias = array(rng, 2, N)
  for axes in ((0, None, None), (None, 0, None), (1, 0, 0), (None, None, 0)):
    arrays = [array(rng, *shape) if axis is None else jnp.moveaxis(
        array(rng, 2, *shape), 0, axis) for shape, axis in zip(((M, K), (K, N)), axes)]
    arrays.append(bias[0] if axes[2] is None else bias)

    def put(axis, spec):
      return spec if axis is None else P(*spec[:axis], None, *spec[axis:])

    whole = [P(*spec, *(None,) * (2 - len(spec))) for spec in specs]
    mapped_axes = jax.shard_map(
        jax.vmap(lambda a, b, bias: function(a, b, "y", bias=bias, activation="relu"), axes),
        mesh=make_mesh(), out_specs=lead(out, None), in_specs=(
            *map(put, axes, whole), put(axes[2], P("y") if name[0] == "a" else P(None))))
    wanted = jax.vmap(lambda a, b, bias: jax.nn.relu(a @ b + bias), axes)
    assert_as_matmul(mapped_axes, wanted, *arrays, argnums=(0, 1, 2))


@both
def test_scan_and_two_mesh_axes(rng, name):
  function, specs, out = FUNCTIONS[name]
  xs, b = array(rng, 3, M, K), array(rng, K, N)
  axes = lambda spec: P(*(("x", "y") if axis == "y" else axis for axis in spec))

  def body(xs, b):
    step = lambda total, x: (total + x.sum(), function(x, b, ("x", "y")))
    return lax.scan(step, lax.pcast(0.0, ("x", "y"), to="varying"), xs)[1]

  f = jax.shard_map(body, mesh=make_mesh(), out_specs=P(None, *axes(out)),
                    in_specs=(P(None, *axes(specs[0])), axes(specs[1])))
  assert_as_matmul(f, lambda xs, b: xs @ b, xs, b)


@both
def test_one_device_has_the_plain_product(rng, name):
  a, b = array(rng, M, K), array(rng, K, N)
  f = mapped(name, mesh=make_mesh((8, 1)))
  assert_as_matmul(f, jnp.matmul, a, b)
  text = jax.jit(f).lower(a, b).as_text()
  assert "collective_permute" not in text and "dynamic_update_slice" not in text


def entry(f, *args) -> list[str]:
  text = jax.jit(f).lower(*args).compile().as_text()
  return text[text.index("ENTRY"):].splitlines()


def count(lines, operation) -> int:
  """The number of such operations. On GPUs an operation may have two lines, a start and a done."""
  return sum(f" {operation}(" in line or f" {operation}-start(" in line for line in lines)


@pytest.mark.whole(unless=lambda count: count == 3)
@both
@pytest.mark.parametrize("count", [2, 3, 8])
def test_any_number_of_devices_and_any_size(rng, name, count):
  mesh = jax.make_mesh((count,), ("y",), (AxisType.Auto,), devices=jax.devices()[:count])
  assert_as_matmul(mapped(name, mesh=mesh), jnp.matmul, array(rng, 7 * count, 5 * count),
                   array(rng, 5 * count, 3 * count))


@both
def test_compiled_programs_have_the_transfers_of_a_ring_and_no_copies(rng, name):
  a, b = array(rng, M, K), array(rng, K, N)
  products, transfers, updates = 4, 3, 4 if name == "allgather_matmul" else 0
  lines = entry(mapped(name), a, b)
  assert count(lines, "collective-permute") == transfers
  assert sum('"jaxgemm_gemm"' in line for line in lines) == products
  assert sum("dynamic-update-slice_fusion" in line.split("=")[0] for line in lines) == updates
  for operation in ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "copy"):
    assert count(lines, operation) == 0
  # The gradients have two more rings. Two of the three have equal transfers: XLA's compiler for
  # CPUs merges all of these or, with jax 0.12, the first.
  lines = entry(jax.grad(lambda *x: (mapped(name)(*x) ** 2).sum(), (0, 1)), a, b)
  assert 2 * transfers <= count(lines, "collective-permute") < 3 * transfers
  assert sum('"jaxgemm_gemm"' in line for line in lines) == 3 * products
  assert count(lines, "all-gather") == count(lines, "all-reduce") == 0


def test_explain_lists_the_products_of_a_ring(rng):
  text = str(jaxgemm.explain(mapped("allgather_matmul"), array(rng, M, K), array(rng, K, N)))
  assert "float32[8,24], float32[24,4] -> float32[8,4], 4 times, in shard_map" in text
  assert "ring over 'y' (cpu has no copy engines that this package uses)" in text
  ring = functools.partial(mapped, "allgather_matmul", transfers="ring")
  assert "(transfers='ring' was given)" in str(
      jaxgemm.explain(ring(), array(rng, M, K), array(rng, K, N)))


@both
def test_what_is_refused(rng, name):
  function, _, _ = FUNCTIONS[name]
  a, b = array(rng, M, K), array(rng, K, N)
  with pytest.raises(ValueError, match="'y' is no axis of a jax.shard_map.*there is none"):
    function(a, b, "y")
  with pytest.raises(ValueError, match="'z' is no axis.*its axes are 'x', 'y'"):
    mapped(name, axis="z")(a, b)
  with pytest.raises(ValueError, match="'i' is no axis of a jax.shard_map"):
    jax.vmap(lambda a: function(a, b, "i"), axis_name="i")(a[None])
  with pytest.raises(TypeError, match="axis_name=3 was given; the name of a mesh axis"):
    mapped(name, axis=3)(a, b)
  with pytest.raises(ValueError, match=r"rhs \[K, N\] are allowed.*jax.vmap"):
    mapped(name, in_specs=(P(), P()))(a, b.T)
  with pytest.raises(ValueError, match=r"bias has shape \(3,\).*one value per column"):
    mapped(name, bias_spec=P())(a, b, jnp.ones(3))
  with pytest.raises(TypeError, match="sum_dtype='x' was given; a dtype is allowed"):
    mapped(name, sum_dtype="x")(a, b)
  with pytest.raises(ValueError, match="sum_dtype='float16' was given; float32 or bfloat16"):
    mapped(name, sum_dtype=jnp.float16)(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16))
  if name == "allgather_matmul":
    with pytest.raises(ValueError, match="'nccl' is unknown; allowed are.*'copies', 'ring'"):
      mapped(name, transfers="nccl")(a, b)
  with pytest.raises(ValueError, match="activation"):
    mapped(name, activation="tanh")(a, b)
  with pytest.raises(ValueError, match="schedule"):
    mapped(name, schedule="stream_k", config=GemmConfig(schedule="persistent"))(a, b)


@both
def test_columns_that_are_sharded_over_an_automatic_axis(rng, name):
  function, specs, out = FUNCTIONS[name]
  mesh = make_mesh()
  place = lambda *axes: jax.sharding.NamedSharding(mesh, P(*axes))
  gathers = name == "allgather_matmul"
  f = jax.jit(jax.shard_map(
      lambda a, b: function(a, b, "y"), mesh=mesh, axis_names={"y"},
      in_specs=(specs[0], P() if gathers else specs[1]), out_specs=P() if gathers else out,
      check_vma=False))
  a = jax.device_put(array(rng, M, K), place(*specs[0]))
  b = jax.device_put(array(rng, K, N), place(None if gathers else "y", "x"))
  assert_close(f(a, b), exact(jnp.matmul, a, b))
  text = f.lower(a, b).compile().as_text()
  assert count(text.splitlines(), "collective-permute") == 3 and "all-gather" not in text
  assert f(a, b).sharding.spec == P(None if gathers else "y", "x")


def test_rows_that_devices_cannot_share(rng):
  f = mapped("matmul_reduce_scatter")
  with pytest.raises(ValueError, match="lhs has 30 rows.*a multiple of 4 is allowed. Pad"):
    f(array(rng, 30, K), array(rng, K, N))
