"""Small programs of jax.numpy and jax.lax, whose kernels are XLA's own, on virtual AMD GPUs.

    python -m jaxgemm.emulator.rocm --arch=gfx950 -m tests.emulator.xla_programs --together=20

Each program runs on the virtual GPU and on the CPU, and the results are compared. It must be right,
or be refused by the name of what is missing. `--together` compiles so many of them as one program,
and each alone only where that fails. A line for each program that was wrong or refused is printed,
and a summary.
"""

import argparse
from collections.abc import Callable
import contextlib
import dataclasses
import re
import sys
from typing import Any

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Program:
  name: str
  function: Callable
  arguments: tuple
  tolerance: float = 0.0  # of the largest element; 0: by the result's dtype

  @property
  def x64(self) -> bool:
    return any(np.asarray(a).dtype.itemsize == 8 * (1 + (np.asarray(a).dtype.kind == "c"))
               for a in self.arguments)


RNG = np.random.default_rng(5)
F16, BF16, F32, F64 = np.float16, jnp.bfloat16, np.float32, np.float64


def normal(*shape, dtype: Any = F32):
  return RNG.standard_normal(shape).astype(dtype)


def positive(*shape, dtype: Any = F32):
  return (RNG.random(shape) * 3 + 0.1).astype(dtype)


def unit(*shape, dtype: Any = F32):
  return (RNG.random(shape) * 1.8 - 0.9).astype(dtype)


def integers(*shape, dtype: Any = np.int32, low=-50, high=50):
  return RNG.integers(low, high, shape).astype(dtype)


# ---------------------------------------------------------------------------- elementwise

UNARY = {
    normal: """abs absolute negative sign sin cos tan arctan sinh cosh tanh arcsinh exp exp2 expm1
        floor ceil trunc rint round sinc square cbrt isnan isinf isfinite signbit deg2rad rad2deg
        positive reciprocal nan_to_num""",
    positive: "log log2 log10 log1p sqrt i0",
    unit: "arcsin arccos arctanh",
}
OF_LAX = {
    normal: "logistic erf erfc is_finite", positive: "rsqrt lgamma digamma",
    unit: "erf_inv",
}
OF_NN = """relu gelu silu softplus sigmoid elu selu celu leaky_relu log_sigmoid hard_tanh
    hard_sigmoid relu6 soft_sign mish squareplus"""
ON_INTEGERS = "abs negative sign square invert bitwise_count positive"
BINARY = {
    normal: """add subtract multiply divide maximum minimum arctan2 hypot copysign fmax fmin
        nextafter greater less equal not_equal greater_equal less_equal logaddexp logaddexp2
        heaviside""",
    positive: "power float_power mod remainder fmod floor_divide",
}
BINARY_ON_INTEGERS = """add subtract multiply maximum minimum bitwise_and bitwise_or bitwise_xor
    floor_divide mod remainder fmod gcd lcm greater less equal not_equal left_shift right_shift"""
LOGICAL = "logical_and logical_or logical_xor"


def elementwise() -> list[Program]:
  found = []

  def add(name, function, *arguments, tolerance=0.0):
    found.append(Program(name, function, arguments, tolerance))

  for dtype, kind in ((F32, "f32"), (F64, "f64"), (F16, "f16"), (BF16, "bf16")):
    for make, names in UNARY.items():
      for name in names.split():
        x = make(131, dtype=dtype)
        tolerance = 0.02 if dtype in (F16, BF16) else 0.0
        add(f"{name}_{kind}", getattr(jnp, name), x, tolerance=tolerance)
    if dtype in (F32, F64):
      for make, names in OF_LAX.items():
        for name in names.split():
          add(f"lax_{name}_{kind}", getattr(lax, name), make(131, dtype=dtype))
      # Large arguments, whose reduction needs many bits of 2/pi.
      large = (RNG.standard_normal(131) * 1e18).astype(dtype)
      add(f"sin_of_large_{kind}", jnp.sin, large)
      add(f"cos_of_large_{kind}", jnp.cos, large)
    if dtype != BF16:
      for make, names in BINARY.items():
        for name in names.split():
          if dtype == F32 or name in ("add", "divide", "power", "maximum", "arctan2", "mod"):
            add(f"{name}_{kind}", getattr(jnp, name), make(131, dtype=dtype),
                make(131, dtype=dtype))
  for name in OF_NN.split():
    add(f"nn_{name}", getattr(jax.nn, name), normal(131))
  for dtype in (np.int32, np.uint8, np.int16, np.int64):
    kind = np.dtype(dtype).name
    low = 0 if kind.startswith("u") else -50
    for name in ON_INTEGERS.split():
      if dtype in (np.int32, np.int64):
        add(f"{name}_{kind}", getattr(jnp, name), integers(131, dtype=dtype))
    for name in BINARY_ON_INTEGERS.split():
      if dtype == np.int32 or name in ("add", "multiply", "maximum", "floor_divide", "mod"):
        y = integers(131, dtype=dtype, low=1, high=9)
        add(f"{name}_{kind}", getattr(jnp, name), integers(131, dtype=dtype, low=low), y)
  for name in LOGICAL.split():
    add(name, getattr(jnp, name), normal(131) > 0, normal(131) > 0)
  z = (normal(65) + 1j * normal(65)).astype(np.complex64)
  for name in "abs angle conj real imag exp log sqrt sin multiply divide".split():
    function = getattr(jnp, name)
    add(f"{name}_complex", function, *((z, z[::-1]) if name in ("multiply", "divide") else (z,)))
  for source in (F32, F16, BF16, np.int32, np.int8, np.uint8, np.bool_):
    x = (RNG.standard_normal(131) * 20).astype(F32)
    x = np.abs(x) if source == np.uint8 else x
    x = (x > 0) if source == np.bool_ else x.astype(source)
    add(f"casts_of_{np.dtype(source).name}", lambda x: tuple(
        x.astype(t) for t in (F32, F16, BF16, np.int32, np.int16, np.int8, np.bool_)), x)
  for kind in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"):
    # (XLA for GPUs leaves out a cast to float8 and back.)
    add(f"casts_to_{kind}", lambda x, kind=kind: x.astype(kind), normal(131))
  add("clip", lambda x: jnp.clip(x, -0.5, 0.5), normal(131))
  add("where", lambda x, y: jnp.where(x > y, x, 2 * y), normal(131), normal(131))
  add("select_n", lambda i, x, y: lax.select_n(i > 0, x, y), integers(131), normal(131),
      normal(131))
  add("divmod", jnp.divmod, positive(131), positive(131))
  add("modf", jnp.modf, normal(131))
  add("frexp", jnp.frexp, normal(131))
  add("ldexp", jnp.ldexp, normal(131), integers(131, low=-4, high=5))
  add("integer_pow", lambda x: x**7, normal(131))
  add("population_count", lax.population_count, integers(131))
  add("clz", lax.clz, integers(131))
  add("bitcast", lambda x: lax.bitcast_convert_type(x, np.int32), normal(131))
  add("polyval", lambda x: jnp.polyval(jnp.array([1.0, -2, 3, 4]), x), normal(131))
  add("linspace", lambda x: jnp.linspace(-3, x[0], 2048), np.array([3.0], F32))
  add("geomspace", lambda x: jnp.geomspace(1, x[0], 60), np.array([50.0], F32))
  add("arange", lambda x: jnp.arange(300) * x, np.array([3.0], F32))
  add("interp", lambda x, y: jnp.interp(x, jnp.linspace(-2, 2, 20), y), normal(131), normal(20))
  return found


# ---------------------------------------------------------------------------- reductions

REDUCTIONS = """sum mean prod max min argmax argmin any all std var median ptp nansum nanmax
    nanmean count_nonzero average"""


def reductions() -> list[Program]:
  found = []

  def add(name, function, *arguments, tolerance=0.0):
    found.append(Program(name, function, arguments, tolerance))

  for name in REDUCTIONS.split():
    for axis in (None, 0, 1):
      x = normal(37, 65) if name not in ("any", "all", "count_nonzero") else normal(37, 65) > 1
      x = x[:12, :9] * 0.5 + 1 if name == "prod" else x
      add(f"{name}_over_{axis}", lambda x, name=name, axis=axis: getattr(jnp, name)(x, axis=axis),
          x, tolerance=1e-4)
  for name in "sum max min prod".split():
    add(f"{name}_int32", lambda x, name=name: getattr(jnp, name)(x, axis=1),
        integers(9, 70, low=-3, high=4))
  for dtype in (F16, BF16, F64):
    add(f"sum_{np.dtype(dtype).name}", lambda x: jnp.sum(x, 1), normal(9, 300, dtype=dtype))
  add("large_sum", jnp.sum, normal(3, 4000), tolerance=1e-4)
  add("columns", lambda x: jnp.sum(x, 0), normal(700, 33), tolerance=1e-4)
  add("middle", lambda x: jnp.max(x, 1), normal(5, 33, 70))
  for name in "softmax log_softmax standardize".split():
    add(name, getattr(jax.nn, name), normal(9, 130))
  add("logsumexp", lambda x: jax.nn.logsumexp(x, 1), normal(9, 130))
  add("reduce_xor", lambda x: lax.reduce(x, np.int32(0), lax.bitwise_xor, (1,)), integers(9, 70))
  add("reduce_window", lambda x: lax.reduce_window(
      x, -np.inf, lax.max, (2, 3), (1, 2), "VALID"), normal(20, 31))
  add("average_pool", lambda x: lax.reduce_window(
      x, 0.0, lax.add, (2, 2), (2, 2), "SAME") / 4, normal(20, 31))
  for name in "cumsum cumprod nancumsum".split():
    add(name, lambda x, name=name: getattr(jnp, name)(x * 0.5, axis=1), normal(7, 33))
  for name in "cummax cummin cumlogsumexp".split():
    add(name, lambda x, name=name: getattr(lax, name)(x, axis=1), normal(7, 33))
  add("cumsum_of_integers", lambda x: jnp.cumsum(x), integers(500))
  add("associative_scan", lambda x: lax.associative_scan(jnp.maximum, x), normal(77))
  add("diff", lambda x: jnp.diff(x, axis=0), normal(20, 9))
  add("histogram", lambda x: jnp.histogram(x, bins=10, range=(-3, 3))[0], normal(300))
  add("bincount", lambda x: jnp.bincount(x, length=20), integers(200, low=0, high=20))
  add("quantile", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5, 0.9])), normal(101))
  add("cov", jnp.cov, normal(6, 50), tolerance=1e-4)
  add("corrcoef", jnp.corrcoef, normal(6, 50), tolerance=1e-4)
  return found


# ------------------------------------------------------------------ sorts, gathers, shapes

def movements() -> list[Program]:
  found = []

  def add(name, function, *arguments, tolerance=0.0):
    found.append(Program(name, function, arguments, tolerance))

  for dtype in (F32, F16, np.int32, np.uint8, F64):
    x = (RNG.standard_normal((5, 133)) * 40).astype(dtype)
    add(f"sort_{np.dtype(dtype).name}", lambda x: jnp.sort(x, axis=1), x)
  add("argsort", lambda x: jnp.argsort(x, axis=1), normal(5, 133))
  add("sort_columns", lambda x: jnp.sort(x, axis=0), normal(70, 9))
  add("sort_descending", lambda x: jnp.sort(x, descending=True), normal(300))
  add("sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), integers(200), normal(200))
  add("lexsort", lambda a, b: jnp.lexsort((a, b)), integers(90, low=0, high=5), normal(90))
  add("top_k", lambda x: lax.top_k(x, 7), normal(5, 133))
  add("partition", lambda x: jnp.sort(jnp.partition(x, 20)[:20]), normal(90))
  add("unique", lambda x: jnp.unique(x, size=20), integers(90, low=0, high=12))
  add("searchsorted", lambda x, y: jnp.searchsorted(jnp.sort(x), y), normal(90), normal(30))
  add("median_of_rows", lambda x: jnp.median(x, axis=1), normal(9, 31))
  add("digitize", lambda x: jnp.digitize(x, jnp.array([-1.0, 0, 1])), normal(90))
  rows = integers(40, low=0, high=33)
  add("gather_rows", lambda x, i: x[i], normal(33, 17), rows)
  add("gather_elements", lambda x, i: x[i, i % 17], normal(33, 17), rows)
  add("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), normal(9, 17),
      integers(9, 5, low=0, high=17))
  add("take_clipped", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), normal(9, 17),
      integers(30, low=-5, high=15))
  for name in "add multiply min max set".split():
    index = rows if name != "set" else RNG.permutation(33)[:20]
    add(f"scatter_{name}", lambda x, u, i=index, name=name: getattr(x.at[i], name)(u),
        normal(33, 17), normal(len(index), 17), tolerance=1e-4)
  add("scatter_add_int", lambda x, i: x.at[i].add(3), integers(33), rows)
  add("scatter_add_f16", lambda x, u: x.at[rows].add(u), normal(33, dtype=F16),
      normal(40, dtype=F16), tolerance=0.02)
  add("scatter_add_bf16", lambda x, u: x.at[rows].add(u), normal(33, dtype=BF16),
      normal(40, dtype=BF16), tolerance=0.05)
  add("scatter_add_f64", lambda x, u: x.at[rows].add(u), normal(33, dtype=F64),
      normal(40, dtype=F64))
  add("scatter_max_int64", lambda x, u: x.at[rows].max(u), integers(33, dtype=np.int64),
      integers(40, dtype=np.int64))
  add("segment_sum", lambda x: jax.ops.segment_sum(x, rows, 33), normal(40, 9), tolerance=1e-4)
  add("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i[0], i[1]), (7, 5)), normal(20, 31),
      np.array([4, 29], np.int32))
  add("dynamic_update", lambda x, u, i: lax.dynamic_update_slice(x, u, (i[0], i[1])),
      normal(20, 31), normal(7, 5), np.array([4, 9], np.int32))
  add("nonzero", lambda x: jnp.nonzero(x > 0, size=60, fill_value=-1), normal(100))
  add("compress", lambda x: jnp.extract(x > 0, x, size=40, fill_value=0), normal(100))
  for name, function in {
      "transpose": lambda x: x.transpose(2, 0, 1), "reshape": lambda x: x.reshape(21, -1),
      "flip": lambda x: jnp.flip(x, (0, 2)), "roll": lambda x: jnp.roll(x, 5, 1),
      "rot90": lambda x: jnp.rot90(x, axes=(1, 2)), "tile": lambda x: jnp.tile(x, (1, 2, 3)),
      "repeat": lambda x: jnp.repeat(x, 3, axis=1), "strides": lambda x: x[::2, 1::3, ::-1],
      "pad": lambda x: jnp.pad(x, ((1, 2), (0, 3), (2, 0)), constant_values=7),
      "pad_reflect": lambda x: jnp.pad(x, 2, mode="reflect"),
      "concatenate": lambda x: jnp.concatenate([x, 2 * x, x[:, :, :3].repeat(3, 2)], 0)
      if x.shape[2] == 9 else jnp.concatenate([x, 2 * x], 2),
      "stack": lambda x: jnp.stack([x, x + 1], 1), "moveaxis": lambda x: jnp.moveaxis(x, 0, 2),
      "split": lambda x: tuple(jnp.split(x, 3, 1)), "broadcast": lambda x: x + x[:, :1, :1],
      "tril": jnp.tril, "triu": lambda x: jnp.triu(x, 1), "diagonal": lambda x: x.diagonal(0, 1, 2),
      "trace": lambda x: jnp.trace(x, 0, 1, 2),
  }.items():
    add(name, function, normal(6, 9, 14))
  add("diag", lambda x: jnp.diag(x, 2), normal(20))
  add("meshgrid", jnp.meshgrid, normal(9), normal(7))
  add("one_hot", lambda i: jax.nn.one_hot(i, 33), rows)
  add("iota", lambda x: x + lax.broadcasted_iota(np.int32, (9, 70), 1), integers(9, 70))
  add("vander", jnp.vander, normal(9))
  add("resize", lambda x: jax.image.resize(x, (17, 23), "bilinear"), normal(9, 11))
  add("while_loop", lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 1.1),
                                             (0, x))[1], normal(50))
  add("scan", lambda x: lax.scan(lambda c, r: (c * 0.5 + r, c), x[0], x), normal(9, 20))
  add("cond", lambda x: lax.cond(x[0] > 9, jnp.sin, jnp.cos, x), normal(50))
  add("map", lambda x: lax.map(lambda r: jnp.sum(r**2), x), normal(9, 20))
  return found


# --------------------------------------------------------------- products, random, linalg

def products() -> list[Program]:
  found = []

  def add(name, function, *arguments, tolerance=0.0):
    found.append(Program(name, function, arguments, tolerance))

  # Triton's kernels for gfx942 round operands to XF32, unless the precision is highest.
  for dtype, tolerance in ((F32, 4e-3), (BF16, 0.02), (F16, 4e-3), (F64, 1e-12)):
    kind = np.dtype(dtype).name
    a, b = normal(64, 16, dtype=dtype), normal(16, 8, dtype=dtype)
    add(f"matmul_{kind}", jnp.matmul, a, b, tolerance=tolerance)
    add(f"matmul_odd_{kind}", jnp.matmul, normal(37, 29, dtype=dtype), normal(29, 43, dtype=dtype),
        tolerance=tolerance)
    add(f"batched_{kind}", jnp.matmul, normal(3, 20, 24, dtype=dtype),
        normal(3, 24, 12, dtype=dtype), tolerance=tolerance)
  for precision in ("default", "high", "highest"):
    for m, k, n in ((64, 16, 8), (128, 64, 32), (17, 130, 70)):
      add(f"matmul_{precision}_{m}x{k}x{n}",
          lambda a, b, p=precision: jnp.matmul(a, b, precision=p), normal(m, k), normal(k, n),
          tolerance=1e-5 if precision == "highest" else 4e-3)
  for dtype in (np.int8, np.int32, np.uint8):
    add(f"matmul_{np.dtype(dtype).name}",
        lambda a, b: jnp.matmul(a, b, preferred_element_type=np.int32),
        integers(33, 40, dtype=dtype, low=0, high=9), integers(40, 21, dtype=dtype, low=0, high=9))
  add("matmul_complex", jnp.matmul, (normal(20, 9) + 1j * normal(20, 9)).astype(np.complex64),
      (normal(9, 7) + 1j * normal(9, 7)).astype(np.complex64), tolerance=4e-3)
  add("vector_product", jnp.dot, normal(300), normal(300), tolerance=4e-3)
  add("matrix_vector", jnp.dot, normal(70, 130), normal(130), tolerance=4e-3)
  for text, *shapes in (("ij,kj->ik", (9, 20), (30, 20)), ("bij,bjk->bik", (3, 9, 20), (3, 20, 7)),
                        ("ij,ij->i", (9, 20), (9, 20)), ("ijk,jl->ikl", (4, 5, 6), (5, 7)),
                        ("i,j->ij", (9,), (20,)), ("ij->ji", (9, 20)), ("ii->i", (9, 9)),
                        ("bhqd,bhkd->bhqk", (2, 2, 8, 16), (2, 2, 8, 16)),
                        ("ij,jk,kl->il", (5, 6), (6, 7), (7, 8))):
    add(f"einsum_{text}", lambda *a, text=text: jnp.einsum(text, *a),
        *(normal(*shape) for shape in shapes), tolerance=6e-3)
  add("tensordot", lambda a, b: jnp.tensordot(a, b, 2), normal(4, 5, 6), normal(5, 6, 7),
      tolerance=4e-3)
  for name, *shapes in (("outer", (9,), (20,)), ("inner", (9, 20), (5, 20)),
                        ("kron", (3, 4), (5, 2)),
                        ("vdot", (90,), (90,)), ("cross", (9, 3), (9, 3))):
    add(name, getattr(jnp, name), *(normal(*shape) for shape in shapes), tolerance=4e-3)
  add("convolve", lambda a, b: jnp.convolve(a, b), normal(50), normal(7), tolerance=4e-3)
  add("conv", lambda x, w: lax.conv(x, w, (1, 1), "SAME"), normal(1, 3, 12, 12),
      normal(4, 3, 3, 3), tolerance=4e-3)
  add("attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v), normal(1, 16, 2, 16),
      normal(1, 16, 2, 16), normal(1, 16, 2, 16), tolerance=1e-2)
  add("ragged_dot", lambda a, b: lax.ragged_dot(a, b, jnp.array([10, 0, 22], np.int32)),
      normal(32, 16), normal(3, 16, 24), tolerance=4e-3)
  add("fft", lambda x: jnp.fft.fft(x), normal(64))
  add("gradient_of_mlp", jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)), normal(16, 24),
      normal(8, 16), tolerance=1e-2)

  spd = lambda x: x @ x.T + 5 * jnp.eye(len(x))
  linalg = jnp.linalg
  for name, function in {
      "cholesky": lambda x: linalg.cholesky(spd(x)), "det": linalg.det, "inv": linalg.inv,
      "solve": lambda x: linalg.solve(x, x[:, 0]), "eigvalsh": lambda x: linalg.eigvalsh(spd(x)),
      "singular_values": lambda x: linalg.svd(x, compute_uv=False), "qr": lambda x: abs(
          linalg.qr(x)[1]), "lu": lambda x: jax.scipy.linalg.lu(x)[2],
      "triangular_solve": lambda x: jax.scipy.linalg.solve_triangular(spd(x), x, lower=True),
      "expm": lambda x: jax.scipy.linalg.expm(0.1 * x), "pinv": linalg.pinv,
      "slogdet": lambda x: linalg.slogdet(x)[1],
      "matrix_power": lambda x: linalg.matrix_power(x, 3), "norm": linalg.norm,
      "norm_1": lambda x: linalg.norm(x, 1), "multi_dot": lambda x: linalg.multi_dot([x, x, x]),
  }.items():
    add(f"linalg_{name}", function, normal(8, 8), tolerance=2e-2)

  key = lambda seed: jax.random.key(seed[0])
  seed, random = np.array([7], np.uint32), jax.random
  for name, function in {
      "bits": lambda k: random.bits(k, (70,)), "uniform": lambda k: random.uniform(k, (70,)),
      "normal": lambda k: random.normal(k, (70,)), "gumbel": lambda k: random.gumbel(k, (70,)),
      "randint": lambda k: random.randint(k, (70,), 0, 99),
      "bernoulli": lambda k: random.bernoulli(k, 0.3, (70,)),
      "permutation": lambda k: random.permutation(k, 70),
      "categorical": lambda k: random.categorical(k, jnp.zeros((9, 5))),
      "exponential": lambda k: random.exponential(k, (70,)),
      "truncated": lambda k: random.truncated_normal(k, -1, 1, (70,)),
      "laplace": lambda k: random.laplace(k, (70,)), "cauchy": lambda k: random.cauchy(k, (70,)),
      "gamma": lambda k: random.gamma(k, 2.0, (20,)), "beta": lambda k: random.beta(k, 2, 3, (9,)),
      "poisson": lambda k: random.poisson(k, 3.0, (20,)),
      "split": lambda k: random.key_data(random.split(k, 5)),
      "choice": lambda k: random.choice(k, 30, (9,), replace=False),
      "orthogonal_free_dirichlet": lambda k: random.dirichlet(k, jnp.ones(5), (4,)),
      "bfloat16": lambda k: random.normal(k, (70,), BF16),
  }.items():
    add(f"random_{name}", lambda s, f=function: f(key(s)), seed, tolerance=1e-4)
  return found


def programs() -> list[Program]:
  found = elementwise() + reductions() + movements() + products()
  assert len({p.name for p in found}) == len(found)
  return found


# What a refusal must name: a library or a function that has no stand-in, a part of ROCm, an
# instruction.
NAMED = re.compile(
    r"hip[A-Z]\w+|hipsolver|miopen|rocblas|rocsolver|rocfft|fft with type|"
    r"triangular solve|cusolver|\b[vs]_\w+|\bds_\w+|NotImplementedError|not supported|"
    r"UNIMPLEMENTED|No supported config",
    re.IGNORECASE)


def _tolerance(program: Program, dtype) -> float:
  by_dtype = {"float64": 1e-11, "complex128": 1e-11, "float32": 1e-5, "complex64": 1e-4,
              "float16": 4e-3, "bfloat16": 2e-2}
  return max(program.tolerance, by_dtype.get(np.dtype(dtype).name, 0.0))


def difference(program: Program, got, wanted) -> str:
  """What is wrong with the result, or an empty string."""
  for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
    one, other = np.asarray(one), np.asarray(other)
    if (one.shape, one.dtype) != (other.shape, other.dtype):
      return f"{one.dtype}{one.shape} in place of {other.dtype}{other.shape}"
    if one.dtype.kind in "biu":
      if not (one == other).all():
        return f"{int((one != other).sum())} of {one.size} elements differ"
      continue
    wide = np.complex128 if one.dtype.kind == "c" else np.float64
    one, other, tolerance = one.astype(wide), other.astype(wide), _tolerance(program, one.dtype)
    special = ~np.isfinite(other)
    if not np.array_equal(one[special], other[special], equal_nan=True):
      return "infinities or NaNs differ"
    error = np.abs(one - other)[~special]
    limit = tolerance * np.maximum(np.abs(other[~special]), np.abs(other[~special]).max(initial=0)
                                   if program.tolerance else 1)
    if not (error <= limit).all():
      return f"the error is {float((error - limit).max() + limit.max()):.3g}"
  return ""


@contextlib.contextmanager
def _context(group: list[Program]):
  with jax.enable_x64(True) if group[0].x64 else contextlib.nullcontext():
    yield


def run(group: list[Program], say) -> dict[str, str]:
  """Runs programs as one. Returns what is wrong or refused, by name; else "right"."""
  with _context(group):
    function = jax.jit(lambda all_arguments: tuple(
        program.function(*arguments) for program, arguments in zip(group, all_arguments)))
    arguments = tuple(program.arguments for program in group)
    say(" ".join(program.name for program in group))
    try:
      got = jax.device_get(function(jax.device_put(arguments, jax.devices()[0])))
    except Exception as error:  # pylint: disable=broad-except
      if len(group) > 1:
        return {name: text for p in group for name, text in run([p], say).items()}
      text = " ".join(f"{type(error).__name__}: {error}".split())
      named = NAMED.search(text)
      return {group[0].name: f"refused: {text[:300]}" if named else f"WRONG: {text[:300]}"}
    with jax.default_device(jax.devices("cpu")[0]):
      wanted = jax.device_get(function(arguments))
  result = {}
  for program, one, other in zip(group, got, wanted):
    wrong = difference(program, one, other)
    result[program.name] = f"WRONG: {wrong}" if wrong else "right"
  return result


def groups(chosen: list[Program], together: int) -> list[list[Program]]:
  found = []
  for x64 in (False, True):
    alike = [program for program in chosen if program.x64 == x64]
    found += [alike[i : i + together] for i in range(0, len(alike), together)]
  return found


def main(arguments: list[str]) -> int:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("names", nargs="*", help="regular expressions for the programs' names")
  parser.add_argument("--together", type=int, default=1)
  parser.add_argument("--every", type=int, default=1, help="every n-th program")
  parser.add_argument("--from", dest="first", type=int, default=0, help="the first one's number")
  parser.add_argument("--verbose", action="store_true", help="say which programs start")
  given = parser.parse_args(arguments)
  wanted = given.names or [""]
  chosen = [p for p in programs() if any(re.search(name, p.name) for name in wanted)]
  chosen = chosen[given.first :: given.every]
  say = (lambda text: print("run", text, flush=True)) if given.verbose else lambda text: None
  count = {"right": 0, "refused": 0, "WRONG": 0}
  for group in groups(chosen, given.together):
    for name, text in run(group, say).items():
      count[text.split(":")[0]] += 1
      if text != "right":
        print(name, text, flush=True)
  print(f"{len(chosen)} programs on {jax.devices()[0].device_kind}, jax {jax.__version__}:",
        ", ".join(f"{n} {what}" for what, n in count.items()), flush=True)
  return 1 if count["WRONG"] else 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
