"""ragged_dot and ragged_dot_general: values, gradients and errors."""


import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import cases
import jaxgemm
from tests.grouped.ragged_reference import array, assert_close, reference, wide
from tests.support.environment import cpu_tile

# Group sizes for an lhs of 50 rows.
SIZES = {
    "first empty": [0, 20, 30], "last empty": [20, 30, 0], "all empty": [0, 0, 0],
    "one has all": [0, 50, 0], "below": [5, 0, 17], "above": [30, 30, 30],
    "far above": [2**31 - 1, 2**31 - 1, 2**31 - 1], "negative": [10, -20, 15],
    "single rows": [1, 1, 1], "odd": [7, 13, 30],
}


@jax.jit
def silu_layer(lhs, rhs, bias, cotangent, sizes):
  out, vjp = jax.vjp(lambda lhs, rhs, bias: jaxgemm.ragged_dot(
      lhs, rhs, sizes, bias=bias, activation="silu"), lhs, rhs, bias)
  return out, *vjp(cotangent)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_sizes_forward_and_gradient(rng, sizes):
  lhs, rhs, bias = array(rng, 50, 19), array(rng, 3, 19, 23), array(rng, 3, 23)
  cotangent = array(rng, 50, 23)

  def theirs(lhs, rhs, bias, cotangent):
    out, vjp = jax.vjp(lambda *x: reference(*x, sizes=sizes, activation="silu"),
                       lhs, rhs, bias)
    return out, *vjp(cotangent)

  wanted = wide(theirs, lhs, rhs, bias, cotangent)
  given = silu_layer(lhs, rhs, bias, cotangent, jnp.asarray(sizes, jnp.int32))
  for x, y in zip(given, wanted):
    assert_close(x, y)


def test_sizes_by_xla(rng):
  lhs, rhs = array(rng, 50, 19), array(rng, 3, 19, 23)
  for sizes in SIZES.values():
    given = jaxgemm.ragged_dot(lhs, rhs, jnp.asarray(sizes, jnp.int32),
                               implementation="xla")
    assert_close(given, reference(lhs, rhs, sizes=sizes))
    given = jaxgemm.ragged_dot(lhs, rhs[1:], jnp.asarray(sizes, jnp.int32),
                               group_offset=jnp.array([1]), implementation="xla")
    assert_close(given, reference(lhs, rhs[1:], sizes=sizes, offset=1))


@pytest.mark.whole(
    unless=lambda kind, groups: (kind, groups) in (
        ("balanced", 8), ("mild", 1), ("mild", 256), ("extreme", 32)))
@pytest.mark.parametrize("kind", cases.load()["routing"])
@pytest.mark.parametrize("groups, rows, k, n", [
    (1, 64, 16, 24), (8, 300, 33, 17), (32, 517, 24, 40), (256, 700, 9, 13)])
def test_routings(rng, kind, groups, rows, k, n):
  lhs, rhs = array(rng, rows, k), array(rng, groups, k, n)
  sizes = jnp.asarray(cases.group_sizes(kind, rows, groups, rng))
  given = jaxgemm.ragged_dot(lhs, rhs, sizes)
  assert_close(given, wide(lambda x, y: reference(x, y, sizes=sizes), lhs, rhs))

  def loss(f):
    return jax.grad(lambda x, y: (f(x, y) ** 2).sum(), (0, 1))

  wanted = wide(loss(lambda x, y: reference(x, y, sizes=sizes)), lhs, rhs)
  for x, y in zip(loss(lambda x, y: jaxgemm.ragged_dot(x, y, sizes))(lhs, rhs), wanted):
    assert_close(x, y)


def test_every_pattern_of_empty_groups(rng):
  lhs, rhs = array(rng, 64, 12), array(rng, 6, 12, 10)
  for pattern in range(2**6):
    sizes = jnp.asarray([7 * (pattern >> i & 1) for i in range(6)], jnp.int32)
    given = jaxgemm.ragged_dot(lhs, rhs, sizes)
    assert_close(given, reference(lhs, rhs, sizes=sizes))


@pytest.mark.parametrize("activation, scale_shape", [
    (None, (3, 23)), ("relu", (3, 1)), ("gelu", (3, 23)), ("silu", (23,)),
    ("silu", ())])
def test_epilogue(rng, activation, scale_shape):
  lhs, rhs, bias = array(rng, 40, 19), array(rng, 3, 19, 23), array(rng, 3, 23)
  scale, sizes = array(rng, *scale_shape), jnp.array([11, 0, 20])

  def ours(lhs, rhs, bias, scale):
    return jaxgemm.ragged_dot(lhs, rhs, sizes, bias=bias, scale=scale,
                              activation=activation)

  def theirs(lhs, rhs, bias, scale):
    scale = jnp.broadcast_to(scale, (3, 23))
    return reference(lhs, rhs, bias, scale, sizes=sizes, activation=activation)

  args = lhs, rhs, bias, scale
  assert_close(ours(*args), wide(theirs, *args))
  given = jax.grad(lambda *x: (ours(*x) ** 2).sum(), (0, 1, 2, 3))(*args)
  wanted = wide(jax.grad(lambda *x: (theirs(*x) ** 2).sum(), (0, 1, 2, 3)), *args)
  for x, y in zip(given, wanted):
    assert_close(x, y, 2e-5)


def test_bias_for_all_groups(rng):
  lhs, rhs, bias = array(rng, 9, 5), array(rng, 2, 5, 7), array(rng, 7)
  sizes = jnp.array([4, 3])
  given = jaxgemm.ragged_dot(lhs, rhs, sizes, bias=bias)
  assert_close(given, reference(lhs, rhs, jnp.stack([bias] * 2), sizes=sizes))


@pytest.mark.parametrize("dtype, out_dtype, tolerance", [
    (jnp.bfloat16, None, 1e-2), (jnp.bfloat16, jnp.float32, 1e-5),
    (jnp.float16, jnp.float32, 1e-5), (jnp.float8_e4m3fn, jnp.bfloat16, 1e-2)])
def test_dtypes(rng, dtype, out_dtype, tolerance):
  lhs, rhs = array(rng, 40, 24, dtype=dtype), array(rng, 3, 24, 16, dtype=dtype)
  sizes = jnp.array([11, 9, 20])
  given = jaxgemm.ragged_dot(lhs, rhs, sizes, preferred_element_type=out_dtype)
  assert given.dtype == (out_dtype or dtype)
  assert_close(given, wide(lambda x, y: reference(x, y, sizes=sizes), lhs, rhs),
               tolerance)


def test_int8(rng):
  lhs, rhs = (jnp.asarray(rng.integers(-99, 99, shape), jnp.int8)
              for shape in ((40, 24), (3, 24, 16)))
  sizes = jnp.array([11, 0, 20])
  exact = reference(*(x.astype(jnp.int32) for x in (lhs, rhs)), sizes=sizes)
  given = jaxgemm.ragged_dot(lhs, rhs, sizes, preferred_element_type=jnp.int32)
  np.testing.assert_array_equal(given, exact)
  bias = jnp.full((3, 16), 2**24 + 1)
  given = jax.vmap(lambda bias: jaxgemm.ragged_dot(
      lhs, rhs, sizes, preferred_element_type=jnp.int32, bias=bias))(bias[None])[0]
  inside = (jnp.arange(40) < 31)[:, None]
  np.testing.assert_array_equal(given, exact + jnp.where(inside, bias[0], 0))


@pytest.mark.parametrize("dtype", [
    jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.int32, jnp.uint32])
def test_sizes_of_any_integers(rng, dtype):
  lhs, rhs = array(rng, 40, 5), array(rng, 3, 5, 7)
  sizes = jnp.array([11, 9, 120], dtype)
  given = jaxgemm.ragged_dot(lhs, rhs, sizes, group_offset=jnp.zeros(1, dtype))
  assert_close(given, reference(lhs, rhs, sizes=sizes))


def test_sizes_of_64_bits_and_numpy(rng):
  lhs, rhs = array(rng, 40, 5), array(rng, 3, 5, 7)
  wanted = reference(lhs, rhs, sizes=[11, 40, 40])
  with jax.enable_x64(True):
    for sizes in ([11, 2**40, 2**33], [-2**32 + 5, 11, 2**32], [-2**63, 9, 3]):
      sizes = jnp.array(sizes)
      assert sizes.dtype == jnp.int64
      for implementation in ("jaxgemm", "xla"):
        given = jaxgemm.ragged_dot(lhs, rhs, sizes, implementation=implementation)
        assert_close(given, reference(lhs, rhs, sizes=sizes))
    for offset, first in ((-2**32 + 1, 0), (2**32, 3)):
      given = jaxgemm.ragged_dot(lhs, rhs[:1], jnp.array([11, 40, 40]),
                                 group_offset=jnp.array([offset]))
      assert_close(given, reference(lhs, rhs[:1], sizes=[11, 40, 40], offset=first))
  given = jaxgemm.ragged_dot(*map(np.asarray, (lhs, rhs)), np.array([11, 40, 40]))
  assert_close(given, wanted)


def test_group_offset_shards_add_up(rng):
  lhs, rhs, bias = array(rng, 60, 7), array(rng, 8, 7, 5), array(rng, 8, 5)
  sizes = jnp.array([3, 0, 11, 5, 0, 20, 1, 9])
  whole, vjp = jax.vjp(lambda *x: jaxgemm.ragged_dot(
      *x[:2], sizes, bias=x[2], activation="silu"), lhs, rhs, bias)
  cotangent = array(rng, 60, 5)
  parts, gradients = [], []
  for first in range(0, 8, 2):
    part, part_vjp = jax.vjp(lambda *x, first=first: jaxgemm.ragged_dot(
        *x[:2], sizes, group_offset=jnp.array([first]), bias=x[2], activation="silu"),
                             lhs, rhs[first:first + 2], bias[first:first + 2])
    parts.append(part)
    gradients.append(part_vjp(cotangent))
  assert_close(sum(parts), whole)
  d_lhs, d_rhs, d_bias = zip(*gradients)
  for x, y in zip((sum(d_lhs), jnp.concatenate(d_rhs), jnp.concatenate(d_bias)),
                  vjp(cotangent)):
    assert_close(x, y)


@pytest.mark.parametrize("offset", [-3, 0, 3, 4, 5, 2**31 - 1])
def test_group_offset_at_the_ends(rng, offset):
  lhs, rhs = array(rng, 30, 7), array(rng, 2, 7, 5)
  sizes = jnp.array([4, 6, 0, 5, 3])
  for implementation in ("jaxgemm", "xla"):
    given = jaxgemm.ragged_dot(lhs, rhs, sizes, group_offset=jnp.array([offset]),
                               implementation=implementation)
    assert_close(given, reference(lhs, rhs, sizes=sizes, offset=offset))


@pytest.mark.parametrize("schedule, reduction", [
    ("persistent", None), ("work_stealing", None), ("stream_k", "linear"),
    ("stream_k", "tree"), ("stream_k", "atomic")])
def test_schedules(rng, schedule, reduction):
  lhs, rhs = array(rng, 200, 300), array(rng, 5, 300, 70)
  sizes = jnp.array([30, 0, 101, 1, 50])
  config = jaxgemm.GemmConfig(**cpu_tile(tile_m=32, tile_n=32, tile_k=32), num_workgroups=5)

  def f(lhs, rhs):
    return jaxgemm.ragged_dot(lhs, rhs, sizes, schedule=schedule, reduction=reduction,
                              config=config)

  def theirs(lhs, rhs):
    return reference(lhs, rhs, sizes=sizes)

  assert_close(f(lhs, rhs), wide(theirs, lhs, rhs))
  assert_close(jax.grad(lambda w: (f(lhs, w) ** 2).sum())(rhs),
               wide(jax.grad(lambda w: (theirs(np.asarray(lhs, np.float64), w) ** 2)
                             .sum()), rhs))


# Dimension numbers, ragged dimension, group dimension of rhs, shapes of lhs, rhs and
# group_sizes, and whether the product or one of its gradients needs a transpose.
GENERAL = {
    "k": ((((1,), (0,)), ((), ())), 1, (), (11, 15), (15, 7), (3,), True),
    "k first": ((((0,), (0,)), ((), ())), 0, (), (15, 11), (15, 7), (3,), False),
    "k of two": ((((0, 1), (0, 1)), ((), ())), 0, (), (15, 2, 11), (15, 2, 7), (3,),
                 False),
    "k after another": ((((0, 1), (0, 1)), ((), ())), 1, (), (2, 15, 11), (2, 15, 7),
                        (2, 3), False),
    "k batch": ((((2,), (1,)), ((0,), (0,))), 2, (), (4, 11, 15), (4, 15, 7), (4, 3),
                True),
    "m rhs transposed": ((((1,), (2,)), ((), ())), 0, (0,), (15, 11), (3, 7, 11), (3,),
                         False),
    "m lhs transposed": ((((0,), (1,)), ((), ())), 1, (0,), (11, 15), (3, 11, 7), (3,),
                         True),
    "m outer": ((((2,), (1,)), ((), ())), 1, (0,), (4, 15, 11), (3, 11, 7), (4, 3),
                False),
    "m inner": ((((2,), (1,)), ((), ())), 0, (0,), (15, 4, 11), (3, 11, 7), (3,),
                False),
    "m batch": ((((2,), (2,)), ((0,), (0,))), 1, (1,), (4, 15, 11), (4, 3, 11, 7),
                (4, 3), False),
    "m batch outer": ((((3,), (2,)), ((0,), (1,))), 2, (0,), (4, 2, 15, 11),
                      (3, 4, 11, 7), (4, 2, 3), True),
    "m two columns": ((((1,), (2,)), ((), ())), 0, (1,), (15, 11), (7, 3, 11, 2), (3,),
                      True),
    "batch": ((((2,), (1,)), ((0,), (0,))), 0, (), (15, 4, 11), (15, 11, 7), (3,),
              False),
}


@pytest.mark.parametrize("case", GENERAL.values(), ids=GENERAL)
def test_general(rng, case):
  dims, ragged, groups, lhs_shape, rhs_shape, sizes_shape, copies = case
  numbers = lax.RaggedDotDimensionNumbers(dims, (ragged,), groups)
  lhs, rhs = array(rng, *lhs_shape), array(rng, *rhs_shape)
  sizes = jnp.asarray(rng.integers(0, 6, sizes_shape), jnp.int32)
  given = jaxgemm.ragged_dot_general(lhs, rhs, sizes, numbers)
  wanted = lax.ragged_dot_general(lhs, rhs, sizes, numbers)
  assert_close(given, wanted)
  # lax has gradients of one mode only, but the product is linear in each operand.
  cotangent = array(rng, *given.shape)
  gradients = jax.grad(lambda *x: (jaxgemm.ragged_dot_general(
      *x, sizes, numbers) * cotangent).sum(), (0, 1))(lhs, rhs)
  for i, (x, gradient) in enumerate(zip((lhs, rhs), gradients)):
    direction = array(rng, *x.shape)
    moved = [lhs, rhs]
    moved[i] = direction
    wanted = (lax.ragged_dot_general(*moved, sizes, numbers) * cotangent).sum()
    np.testing.assert_allclose((gradient * direction).sum(), wanted, rtol=1e-4,
                               atol=1e-3)
  explanation = jaxgemm.explain(lhs, rhs, group_sizes=sizes,
                                ragged_dot_dimension_numbers=numbers)
  relaid = explanation.data["relayouts"] or any(explanation.data["gradients"].values())
  assert bool(relaid) == copies


def test_ragged_k_with_an_offset(rng):
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
  lhs, rhs, sizes = array(rng, 15, 11), array(rng, 15, 7), jnp.array([3, 4, 0, 6])
  whole = jaxgemm.ragged_dot_general(lhs, rhs, sizes, numbers)
  for implementation in ("jaxgemm", "xla"):
    part = jaxgemm.ragged_dot_general(
        lhs, rhs, sizes, numbers, group_offset=jnp.array([1]), num_local_groups=2,
        implementation=implementation)
    assert_close(part, whole[1:3])


def test_result_types_are_jaxs(rng):
  sizes = jnp.array([3, 2])
  for lhs_dtype, rhs_dtype, wanted in (
      (jnp.bfloat16, jnp.float32, None), (jnp.float16, jnp.bfloat16, None),
      (jnp.int8, jnp.float32, None), (jnp.bfloat16, jnp.bfloat16, jnp.float32)):
    lhs = array(rng, 5, 4).astype(lhs_dtype)
    rhs = array(rng, 2, 4, 3).astype(rhs_dtype)
    given = jaxgemm.ragged_dot(lhs, rhs, sizes, None, wanted)
    theirs = lax.ragged_dot(lhs, rhs, sizes, None, wanted)
    assert given.dtype == theirs.dtype
    assert given.weak_type == theirs.weak_type
    assert_close(given, theirs, 1e-2)


def test_errors(rng):
  lhs, rhs, sizes = array(rng, 5, 4), array(rng, 2, 4, 3), jnp.array([3, 2])
  one = jnp.zeros(1, jnp.int32)
  for error, match, call in (
      (TypeError, "expected rhs group dimension size to be 3, got 2",
       lambda f: f(lhs, rhs, jnp.array([1, 2, 3]))),
      (TypeError, "contracting dimensions", lambda f: f(lhs[:, :3], rhs, sizes)),
      (TypeError, "group_sizes.dtype", lambda f: f(lhs, rhs, jnp.ones(2)))):
    for f in (lax.ragged_dot, jaxgemm.ragged_dot):
      with pytest.raises(error, match=match):
        call(f)
  # rhs's groups are its contracted dimension. The error is jax's, not "4 groups for 2 sizes".
  numbers = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (1,))
  for f in (lax.ragged_dot_general, jaxgemm.ragged_dot_general):
    with pytest.raises(TypeError, match="distinct from contracting and batch dimensions"):
      f(lhs, rhs, sizes, numbers)
  for error, match, keywords in (
      (TypeError, "rhs has 2 groups and group_sizes 1",
       {"group_sizes": sizes[:1], "group_offset": one}),
      (TypeError, r"shape \(1,\), is allowed", {"group_offset": jnp.int32(0)}),
      (TypeError, "one integer", {"group_offset": jnp.zeros(1)}),
      (TypeError, "group_sizes is a list; an array", {"group_sizes": [3, 2]}),
      (TypeError, "group_sizes is None; an array", {"group_sizes": None}),
      (TypeError, "group_offset is a list; an array", {"group_offset": [0]}),
      (TypeError, "and float32 was given. Pass group_sizes.astype",
       {"group_sizes": jnp.ones(2)}),
      (TypeError, r"rhs has shape \(4, 3\).*\(G, K, N\)", {"rhs": rhs[0]}),
      (TypeError, "lhs is a list; an array", {"lhs": [[1.0]]}),
      (ValueError, r"allowed are \(2, 3\) or \(3,\)", {"bias": jnp.ones((5, 3))}),
      (ValueError, r"\(2, 1\)", {"scale": jnp.ones((5, 1))}),
      (ValueError, "activation='tanh' is unknown", {"activation": "tanh"}),
      (ValueError, "allowed are the names", {"activation": jax.nn.silu}),
      (ValueError, "Pass 'silu', which is the same", {"activation": "swish"}),
      (ValueError, "implementation='cuda' is unknown", {"implementation": "cuda"}),
      (ValueError, "deterministic=True", {"deterministic": True,
                                          "reduction": "atomic"})):
    with pytest.raises(error, match=match):
      jaxgemm.ragged_dot(**({"lhs": lhs, "rhs": rhs, "group_sizes": sizes} | keywords))
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
  for match, keywords in (
      ("bias was given, and the ragged dimension is contracted",
       {"bias": jnp.ones(4), "accumulate": jnp.zeros((2, 4, 4))}),
      ("scale was given", {"scale": jnp.ones(4)}),
      (r"scale_lhs of shape \(5,\) was given.*one value, without accumulate, is allowed",
       {"scale_lhs": jnp.ones(5)}),
      (r"scale_lhs of shape \(\) was given", {
          "scale_lhs": jnp.ones(()), "accumulate": jnp.zeros((2, 4, 4))}),
      ("activation='relu' was given", {"activation": "relu"}),
      ("num_local_groups=1", {"num_local_groups": 1}),
      ("num_local_groups=2.0", {"num_local_groups": 2.0, "group_offset": one})):
    with pytest.raises((ValueError, TypeError), match=match):
      jaxgemm.ragged_dot_general(lhs, lhs, sizes, numbers, **keywords)
  batched = lax.RaggedDotDimensionNumbers((((), ()), ((0,), (0,))), (0,), ())
  with pytest.raises(ValueError, match="^bias was given, and .* have no effect"):
    jaxgemm.ragged_dot_general(lhs, lhs, sizes, batched, bias=jnp.ones(3))


@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
@pytest.mark.parametrize("offset", [None, 1])
def test_one_scale_of_contracted_groups(rng, implementation, offset):
  lhs, rhs, scale = array(rng, 29, 11), array(rng, 29, 7), jnp.asarray(rng.random((1, 1)) + 0.5)
  sizes = np.array([4, 0, 13, 9], np.int32)
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
  local = {} if offset is None else {"group_offset": jnp.array([offset]), "num_local_groups": 2}

  def product(lhs, rhs, scale):
    return jaxgemm.ragged_dot_general(
        lhs, rhs, sizes, numbers, scale_lhs=scale, implementation=implementation, **local)

  @jax.jit
  def run(*operands, ct):
    if implementation == "xla":  # jax has no derivative of its product
      return product(*operands), ()
    out, back = jax.vjp(product, *operands)
    return out, back(ct)

  first, count = offset or 0, 4 if offset is None else 2
  ct = array(rng, count, 11, 7)
  out, gradients = run(lhs, rhs, scale, ct=ct)
  x, y, c, s = (np.asarray(each, np.float64) for each in (lhs, rhs, ct, scale))
  sums, d_lhs, d_rhs = np.zeros((count, 11, 7)), np.zeros_like(x), np.zeros_like(y)
  for i in range(count):
    begin = sizes[:first + i].sum()
    rows = slice(begin, begin + sizes[first + i])
    sums[i] = x[rows].T @ y[rows]
    d_lhs[rows], d_rhs[rows] = s * (y[rows] @ c[i].T), s * (x[rows] @ c[i])
  wanted = s * sums, d_lhs, d_rhs, [[(sums * c).sum()]]
  for a, b in zip((out, *gradients), wanted[:1 + len(gradients)], strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_other_dtypes_go_to_xla(rng):
  lhs, rhs = array(rng, 5, 4), array(rng, 2, 4, 3)
  lhs, rhs, sizes = lhs + 1j * lhs, rhs - 1j * rhs, jnp.array([3, 1])
  with pytest.warns(UserWarning, match="lhs has dtype complex64"):
    given = jaxgemm.ragged_dot(lhs, rhs, sizes)
  np.testing.assert_allclose(given, lax.ragged_dot(lhs, rhs, sizes), rtol=1e-6)
  with pytest.raises(ValueError, match="implementation='jaxgemm' was given, but lhs"):
    jaxgemm.ragged_dot(lhs, rhs, sizes, implementation="jaxgemm")


@pytest.mark.parametrize("axes", [(0, None, None), (1, None, 0), (None, 1, None)])
def test_vmap_by_xla(rng, axes):
  lhs, rhs, sizes = (
      rng.integers(-2, 9, shape if axis is None else (*shape[:axis], 2, *shape[axis:]))
      for shape, axis in zip(((20, 6), (3, 6, 5), (3,)), axes))
  lhs, rhs = (jnp.asarray(x, jnp.float32) for x in (lhs, rhs))
  sizes = jnp.asarray(sizes, jnp.int32)

  def results(implementation):
    def loss(lhs, rhs, sizes):
      out = jaxgemm.ragged_dot(lhs, rhs, sizes, implementation=implementation)
      return (out ** 2).sum(), out

    def total(lhs, rhs):
      return jax.vmap(loss, axes)(lhs, rhs, sizes)[0].sum()

    each = jax.vmap(jax.grad(loss, (0, 1), has_aux=True), axes)(lhs, rhs, sizes)
    return each, jax.grad(total, (0, 1))(lhs, rhs)

  given, wanted = map(jax.tree.leaves, (results("xla"), results("jaxgemm")))
  for x, y in zip(given, wanted, strict=True):
    assert_close(x, y)


def test_explain(rng):
  lhs, rhs = (jax.ShapeDtypeStruct(shape, jnp.float32)
              for shape in ((4096, 512), (8, 512, 256)))
  sizes = jax.ShapeDtypeStruct((32,), jnp.int32)
  offset = jax.ShapeDtypeStruct((1,), jnp.int32)
  explanation = jaxgemm.explain(lhs, rhs, group_sizes=sizes, group_offset=offset,
                                schedule="persistent")
  data = explanation.data
  assert (data["ragged"], data["groups"], data["local_groups"]) == ("m", 32, 8)
  assert data["schedule"] == "persistent"
  assert data["relayouts"] == ()
  assert data["gradients"] == {"lhs": (), "rhs": ()}
  assert "groups along m: 8 of 32" in str(explanation)
  assert jaxgemm.supports(lhs, rhs, group_sizes=sizes, group_offset=offset) == (
      True, "")
  assert data["workspace_bytes"] == jaxgemm.workspace_size(
      lhs, rhs, group_sizes=sizes, group_offset=offset, schedule="persistent")
  supported, reason = jaxgemm.supports(
      lhs.update(dtype=jnp.complex64), rhs, group_sizes=sizes, group_offset=offset)
  assert not supported and "complex64" in reason
  for function in (jaxgemm.explain, jaxgemm.supports):
    with pytest.raises(TypeError, match="group_sizes is a list"):
      function(lhs, rhs, group_sizes=[1] * 8)
    for keywords in ({"gated": True}, {"rhs_grad": array(rng, 8, 512, 256)}):
      with pytest.raises(TypeError, match=r"was given without group_sizes.*Pass gro"):
        function(lhs, rhs, **keywords)
  xla = jaxgemm.explain(lhs, rhs, group_sizes=sizes, group_offset=offset,
                        implementation="xla")
  assert xla.data["implementation"] == "xla"
