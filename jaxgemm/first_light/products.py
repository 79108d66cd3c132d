"""The products and layers that are timed, in bfloat16, as models have them."""

from collections.abc import Callable, Iterator
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm

_BF16 = jnp.bfloat16
_ROWS = (1, 16, 64, 256, 1024, 4096)
# n and k of the weights of models of 8, 70 and 671 billion parameters.
_WEIGHTS = ((4096, 4096), (8192, 8192), (28672, 4096), (4096, 14336), (10240, 8192), (6144, 4096),
            (57344, 8192), (8192, 28672), (7168, 2048), (1536, 7168))
# Groups, n and k of the experts of models.
_EXPERTS = ((8, 14336, 4096), (8, 4096, 14336), (64, 1408, 2048), (128, 1536, 4096),
            (32, 2048, 7168))
_ROWS_OF_EXPERTS = (64, 512, 4096, 16384)
LAYERS = ("mlp", "gated mlp", "gradients of an mlp", "experts")


@dataclasses.dataclass(frozen=True)
class Product:
  """A product that is timed; with groups it is a grouped one, with the rows of all groups.

  Attributes:
    transposed: whether rhs is [N, K].
  """

  m: int
  n: int
  k: int
  groups: int = 0
  transposed: bool = False

  @property
  def name(self) -> str:
    groups = f"{self.groups} groups, " if self.groups else ""
    return f"{groups}{self.m} x {self.n} x {self.k}{', rhs [N, K]' if self.transposed else ''}"

  @property
  def operations(self) -> float:
    return 2.0 * self.m * self.n * self.k

  @property
  def bytes(self) -> float:
    """Bytes that must be read and written."""
    matrices = min(self.groups, self.m) if self.groups else 1
    return 2.0 * (self.m * self.k + matrices * self.n * self.k + self.m * self.n)

  def shapes(self) -> list[jax.ShapeDtypeStruct]:
    rhs = (self.n, self.k) if self.transposed else (self.k, self.n)
    lead = (self.groups,) if self.groups else ()
    found = [jax.ShapeDtypeStruct((self.m, self.k), _BF16),
             jax.ShapeDtypeStruct((*lead, *rhs), _BF16)]
    return found + [jax.ShapeDtypeStruct(lead, jnp.int32)] * bool(self.groups)

  def function(self, implementation: str | None) -> Callable:
    if self.groups:
      return functools.partial(jaxgemm.ragged_dot, implementation=implementation)
    numbers = (((1,), (int(self.transposed),)), ((), ()))
    return lambda a, b: jaxgemm.dot_general(a, b, numbers, implementation=implementation)


def dense() -> Iterator[Product]:
  """60 products. Those of one number of rows are far apart, so that any part has all sizes."""
  for i, (n, k) in enumerate(_WEIGHTS):
    for j, m in enumerate(_ROWS):
      yield Product(m, n, k, transposed=bool((i + j) % 2))


def grouped() -> Iterator[Product]:
  """20 grouped products."""
  for groups, n, k in _EXPERTS:
    for m in _ROWS_OF_EXPERTS:
      yield Product(m, n, k, groups)


def further(count: int) -> Iterator[Product]:
  """Random products that have no part in the fit of constants."""
  rng = np.random.default_rng(1)
  for _ in range(count):
    m = int(2 ** rng.uniform(0, 13))
    n, k = (int(2 ** rng.uniform(9, 14.5)) // 64 * 64 for _ in range(2))
    yield Product(m, n, k, transposed=bool(rng.integers(2)))


def small() -> Iterator[Product]:
  """Products for an emulator, whose times mean nothing."""
  yield from (Product(32, 96, 64), Product(64, 128, 256, transposed=True), Product(1, 256, 128))
  yield Product(64, 96, 64, groups=4)


def layer(name: str, implementation: str | None,
          size: int) -> tuple[Callable, list[jax.ShapeDtypeStruct]]:
  """(the function of a layer, the shapes of its arguments). The hidden size is `size`."""
  rows, hidden, experts = size // 4, 7 * size // 2, 8
  x = jax.ShapeDtypeStruct((rows, size), _BF16)
  up, down = (jax.ShapeDtypeStruct(s, _BF16) for s in ((size, hidden), (hidden, size)))
  product = functools.partial(jaxgemm.matmul, implementation=implementation)
  if name == "mlp":
    return lambda x, up, down: product(product(x, up, activation="silu"), down), [x, up, down]
  if name == "gated mlp":
    return (lambda x, gate, up, down: product(
        product(x, gate, activation="silu") * product(x, up), down), [x, up, up, down])
  if name == "gradients of an mlp":
    def loss(x, up, down):
      return product(product(x, up, activation="silu"), down).astype(jnp.float32).sum()

    return jax.grad(loss, (0, 1, 2)), [x, up, down]

  def of_experts(x, gate_up, down):
    counts = jnp.full(experts, rows // experts, jnp.int32)
    h = jaxgemm.ragged_gated_linear_unit(x, gate_up, counts, implementation=implementation)
    return jaxgemm.ragged_dot(h, down, counts, implementation=implementation)

  return of_experts, [x, jax.ShapeDtypeStruct((experts, size, 2, hidden // 2), _BF16),
                      jax.ShapeDtypeStruct((experts, hidden // 2, size), _BF16)]
