"""Values that no caller should give, by the kind of argument that they take the place of."""

import math

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm

INTEGERS = (0, -1, 1, 2, 3, 7, 2**14, 2**20, 2**30, 2**31 - 1, 2**31, 2**32, 2**62, 2**63, 2**70,
            -(2**31), -(2**63), -(2**70))
OTHERS = (None, True, False, "", "x", "stream_k", 1.5, float("nan"), float("inf"), b"x", (), [], {},
          object(), (1, 2), [0], 3 + 4j, np.int64(3), np.float32(2), np.zeros(3), print)
DTYPES = ("float32", "bfloat16", "float16", "float64", "int8", "int4", "uint8", "int32", "int64",
          "bool", "complex64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
          "float8_e5m2fnuz", "float8_e8m0fnu", "float8_e4m3b11fnuz", "float4_e2m1fn")
SIZES = (0, 1, 2, 3, 5, 16, 17, 33, 64)


def choice(rng, values):
  """One of the values; numpy's own choice would make an array of them."""
  return values[int(rng.integers(len(values)))]


def anything(rng):
  return choice(rng, INTEGERS) if rng.random() < 0.4 else choice(rng, OTHERS)


def array_of(rng, shape, dtype):
  """Ordinary values, now and then with NaN, infinities or huge ones."""
  dtype = jnp.dtype(dtype)
  if dtype == np.bool_:
    return rng.random(shape) < 0.5
  if jnp.issubdtype(dtype, jnp.integer):
    info = jnp.iinfo(dtype)
    return rng.integers(max(info.min, -100), min(info.max, 100), shape).astype(dtype)
  x = rng.standard_normal(shape)
  if rng.random() < 0.2 and x.size:
    x.reshape(-1)[rng.integers(x.size)] = choice(rng, (np.nan, np.inf, -np.inf, 1e30, -0.0, 1e-40))
  if jnp.issubdtype(dtype, jnp.complexfloating):
    return x.astype(dtype)
  with np.errstate(all="ignore"):
    return np.asarray(x, np.float32).astype(dtype)


def array(rng, near=None):
  """An array of a random shape, or one near that of another array."""
  dtype = choice(rng, DTYPES)
  shape = [choice(rng, SIZES) for _ in range(rng.integers(0, 5))]
  if near is not None and hasattr(near, "shape") and rng.random() < 0.7:
    shape = list(near.shape)
    if rng.random() < 0.5:
      dtype = near.dtype
    what = rng.integers(5)
    if what == 0 and shape:
      shape[rng.integers(len(shape))] = choice(rng, SIZES)
    elif what == 1 and shape:
      del shape[rng.integers(len(shape))]
    elif what == 2:
      shape.insert(int(rng.integers(len(shape) + 1)), choice(rng, (1, 2)))
    elif what == 3:
      shape = shape[::-1]
  if isinstance(near, jax.ShapeDtypeStruct):  # it may have a size that no machine holds
    return jax.ShapeDtypeStruct(tuple(shape), dtype)
  if math.prod(shape) > 2**17:
    shape = [min(size, 5) for size in shape]
  shape = tuple(shape)
  what = rng.integers(10)
  if what == 0:
    return jax.ShapeDtypeStruct(shape, dtype)
  if what == 1:
    return np.zeros(shape).tolist()
  x = array_of(rng, shape, dtype)
  if what == 2 and x.dtype == np.float32:
    return x.astype(">f4") if rng.random() < 0.5 else x.astype(object)
  return x


def numbers(rng, given):
  """Dimension numbers with another index somewhere, or something else."""
  if rng.random() < 0.3:
    return choice(rng, (None, (), ((), ()), (((), ()),), "ijk", ((0,), (0,)),
                        [[[1], [0]], [[], []]], (((1,), (0,)), ((), ()), ()),
                        ((("1",), (0,)), ((), ())), (((1.0,), (0,)), ((), ())), 3))
  lists = [[list(x) for x in pair] for pair in given]
  part = lists[rng.integers(2)][rng.integers(2)]
  index = choice(rng, (-1, 0, 1, 2, 3, 99, 2**31, 2**63, 2**70, -(2**63), 0.5, None, "0"))
  if part and rng.random() < 0.5:
    part[rng.integers(len(part))] = index
  else:
    part.append(index)
  return tuple(tuple(tuple(x) for x in pair) for pair in lists)


_FIELDS = tuple(jaxgemm.GemmConfig.__dataclass_fields__)


def config_fields(rng) -> dict:
  """Fields of a GemmConfig that may be allowed."""
  values = {
      "schedule": ("auto", "persistent", "work_stealing", "stream_k", "", "STREAM_K", 3),
      "reduction": ("linear", "tree", "atomic", "sum", None, ()),
      "kernel": ("", "portable", "avx2", "avx512", "amx", "gemm_bfloat16", "\0", "x" * 5000, 3),
      "claim_ahead": (True, False, None, 2, "no"), "multicast": (True, False, None, 2, "no"),
      "partition": (True, False, None, 1, "yes")}
  sizes = (1, 2, 3, 8, 16, 17, 32, 64, 100, 128, 4096, 2**14, 2**14 + 1, 2**20, *INTEGERS, 1.5,
           True, "16", np.int64(16), np.zeros(1, int), float("nan"))
  count = int(rng.integers(1, 4))
  return {name: choice(rng, values.get(name, sizes))
          for name in (choice(rng, _FIELDS) for _ in range(count))}


def option(rng, name: str):
  """A value for an option of the products."""
  known = {
      "schedule": ("auto", "persistent", "work_stealing", "stream_k", "Persistent", "streamk"),
      "reduction": ("linear", "tree", "atomic", "sum"),
      "activation": ("relu", "gelu", "silu", "none", "swish", "tanh"),
      "implementation": ("jaxgemm", "xla", "cuda", "emulated:", "emulated:gfx90a", "Jaxgemm"),
      "precision": ("high", "highest", "default", "HIGH", "float32", "bf16_bf16_f32", "nonsense",
                    jax.lax.Precision.HIGHEST, ("high", "high"), ("high",)),
      # XLA on the CPU has no products with results of 4 bits.
      "preferred_element_type": (
          *(x for x in DTYPES if "4_" not in x and x != "int4"), np.float32, np.dtype("float32"),
          jnp.bfloat16, "f4", int),
      "deterministic": (True, False, "rows", 1, 0, "yes", None, np.bool_(True)),
      "out_sharding": (jax.sharding.PartitionSpec("x"), "x"),
  }
  if name in known and rng.random() < 0.7:
    return choice(rng, known[name])
  return anything(rng)
