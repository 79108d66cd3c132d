"""Products on the CPU that the plan leaves to XLA, because XLA was measured to be faster."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm

pytestmark = [pytest.mark.faster_by_xla,
              pytest.mark.filterwarnings("ignore:jaxgemm leaves this product")]

LEFT = [
    ((500,), (500, 300), "float32", "an operand is a vector: "),
    ((500,), (500,), "float32", "fewer than 10000 operations"),
    ((3, 4, 300), (300,), "float32", "fewer than 10000 operations"),
    ((64, 300), (300,), "float32", "an operand is a vector: "),
    ((100,), (100, 300), "bfloat16", "an operand is a vector: "),
    ((8, 8, 8), (8, 8, 3), "bfloat16", "fewer than 4000 operations"),
]
KEPT = [
    ((20, 500), (500, 300), "float32"),
    ((500,), (500, 300), "bfloat16"),
    ((500,), (500, 300), "float16"),
    ((8, 8), (8, 8), "int8"),
    ((1000, 1000), (1000, 4), "float32"),
    ((4, 1000), (1000, 1000), "float32"),
    ((1000, 1000), (1000, 4), "bfloat16"),
    ((200, 3), (3, 100), "float32"),
    ((4096, 3), (3, 2100), "float32"),
    ((200, 3), (3, 100), "bfloat16"),
    ((200, 3), (3, 16), "bfloat16"),
    ((20, 10), (10, 10), "bfloat16"),
    ((16, 200), (200, 60), "float32"),
    ((60, 200), (200, 16), "float32"),
    ((2, 8, 100), (2, 100, 50), "float32"),
    ((214, 3, 40), (214, 40, 2), "float32"),
    ((0, 8), (8, 8), "float32"),
]


def operands(rng, a, b, dtype):
  return [jnp.asarray(3 * rng.standard_normal(shape), dtype) for shape in (a, b)]


@pytest.mark.parametrize("a, b, dtype, why", LEFT)
def test_xla_computes_what_it_computes_faster(rng, a, b, dtype, why):
  a, b = operands(rng, a, b, dtype)
  plan = jaxgemm.explain(a, b).data
  assert plan["implementation"] == "xla"
  assert why in plan["reasons"][0] and "of the time" in plan["reasons"][0]
  assert jaxgemm.supports(a, b) == (True, "")
  assert "jaxgemm_contract" not in str(jax.make_jaxpr(jaxgemm.matmul)(a, b))
  want = np.matmul(*(np.asarray(x, np.float64) for x in (a, b)))
  got = np.asarray(jaxgemm.matmul(a, b), np.float64)
  np.testing.assert_allclose(got, want, rtol=1e-2, atol=0.05 * np.abs(want).max())
  # The caller may choose the kernels.
  for chosen in ({"implementation": "jaxgemm"}, {"schedule": "persistent"},
                 {"config": jaxgemm.GemmConfig(tile_k=2)}):
    assert jaxgemm.explain(a, b, **chosen).data["implementation"] == "jaxgemm"


@pytest.mark.parametrize("a, b, dtype", KEPT)
def test_the_kernels_compute_the_others(rng, a, b, dtype):
  assert jaxgemm.explain(*operands(rng, a, b, dtype)).data["implementation"] == "jaxgemm"


def test_a_vector_of_a_product_is_left_before_it_is_batched(rng):
  rows, matrix = operands(rng, (40, 300), (300, 50), "float32")
  mapped = jax.make_jaxpr(jax.vmap(jaxgemm.matmul, (0, None)))(rows, matrix)
  assert "jaxgemm_contract" not in str(mapped)
