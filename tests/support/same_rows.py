"""Products with deterministic="rows": a row has the same bits whatever the other rows are."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm

# From one row to 8192: around the sizes of tiles, and odd ones.
FEW = (1, 2, 3, 7, 16, 17, 40)
MORE = (63, 128, 129, 300, 515)
MANY = (1000, 4099, 8192)


def values(rng, *shape, dtype="float32") -> np.ndarray:
  """Random numbers of very different sizes, so that each order of a sum has other bits."""
  if dtype == "int8":
    return rng.integers(-128, 128, shape, np.int8)
  wide = 2.0 if jnp.dtype(dtype).itemsize == 1 else 8.0
  found = rng.standard_normal(shape) * 2.0 ** rng.uniform(-wide, wide / 2, shape)
  return found.astype(np.float32).astype(jnp.dtype(dtype))


def array(rng, *shape, dtype="float32") -> jax.Array:
  return jnp.asarray(values(rng, *shape, dtype=dtype))


@dataclasses.dataclass(frozen=True)
class Case:
  """A product by which rows are compared.

  Attributes:
    lhs, rhs, out: dtypes.
    k, n: sizes.
    lhs_contracting, rhs_contracting: which dimension of an operand is k.
    activation: with one there are bias and scales, too.
    options: further options of the product.
  """

  lhs: str
  rhs: str
  out: str
  k: int
  n: int
  lhs_contracting: int = 1
  rhs_contracting: int = 0
  activation: str = ""
  options: Any = ()

  def __str__(self):
    layouts = "cr"[self.lhs_contracting] + "rc"[self.rhs_contracting]
    return f"{self.lhs}-{self.rhs}-{self.out}-{layouts}-{self.k}-{self.n}-{self.activation}"

  @property
  def given(self) -> dict:
    return {"deterministic": "rows", "preferred_element_type": jnp.dtype(self.out),
            **dict(self.options)}

  def vectors(self, rng) -> dict:
    """Bias, scale and activation, which do not depend on the number of rows."""
    if not self.activation:
      return {}
    return {"bias": values(rng, self.n), "scale_rhs": abs(values(rng, self.n)) + 0.1,
            "activation": self.activation}


def places(rng, m: int) -> list[int]:
  """Where a row is put among m rows: first, last, and somewhere."""
  return sorted({0, m - 1, int(rng.integers(m))})


def dense_bits(rng, case: Case, sizes) -> dict[int, set[bytes]]:
  """The bits of one row's result, by the number of rows of the product that it is in."""
  row, rhs = values(rng, case.k, dtype=case.lhs), values(rng, case.k, case.n, dtype=case.rhs)
  vectors, scale = case.vectors(rng), 0.7
  rhs = rhs.T if case.rhs_contracting else rhs
  found = {}
  for m in sizes:
    at = np.asarray(places(rng, m))
    lhs = values(rng, m, case.k, dtype=case.lhs)
    lhs[at] = row
    if case.activation:
      vectors["scale_lhs"] = abs(values(rng, m)) + 0.1
      vectors["scale_lhs"][at] = scale
    out = jaxgemm.dot_general(
        lhs if case.lhs_contracting else lhs.T, rhs,
        (((case.lhs_contracting,), (case.rhs_contracting,)), ((), ())), **case.given, **vectors)
    found[m] = {x.tobytes() for x in np.asarray(out)[at]}
  return found


def grouped_bits(rng, case: Case, sizes, groups: int = 5) -> dict[int, set[bytes]]:
  """The same for a grouped product, where the row is in group 1 and other groups may be empty."""
  row = values(rng, case.k, dtype=case.lhs)
  rhs = values(rng, groups, case.k, case.n, dtype=case.rhs)
  vectors = case.vectors(rng)
  vectors.pop("scale_rhs", None)
  found = {}
  for m in sizes:
    before = int(rng.integers(m))
    own = int(rng.integers(1, m - before + 1))
    cuts = np.sort(rng.integers(0, m - before - own + 1, groups - 3))
    others = np.diff(cuts, prepend=0, append=m - before - own)
    group_sizes = jnp.asarray([before, own, *others], jnp.int32)
    at = before + np.asarray(places(rng, own))
    lhs = values(rng, m, case.k, dtype=case.lhs)
    lhs[at] = row
    out = jaxgemm.ragged_dot(lhs, rhs, group_sizes, **case.given, **vectors)
    found[m] = {x.tobytes() for x in np.asarray(out)[at]}
  return found


def assert_same(found: dict[int, set[bytes]]) -> None:
  first = next(iter(found))
  bad = [m for m, bits in found.items() if bits != found[first] or len(bits) > 1]
  assert not bad, f"rows of products with {bad} rows differ from that with {first}"


def free(case: Case) -> Case:
  """The same product without the promise."""
  return dataclasses.replace(case, options={**dict(case.options), "deterministic": False})


def sharded(devices: int):
  """The sharding of rows over so many devices."""
  mesh = jax.make_mesh((devices,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
  return jax.NamedSharding(mesh, jax.P("rows"))
