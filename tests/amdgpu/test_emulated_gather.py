"""AMD kernels read lines of operands by index: in the emulator, against float64.

The scenarios `gathered...` of emulation_grouped.py run with the other kernels. The emulator ends a
run with an error if a kernel reads outside of the operands, and for hazards and races.
"""

import re

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi, emulator
from tests.amdgpu.emulated_products import array, assert_close, f64
from tests.amdgpu.emulation_grouped import lines_at

OF_RHS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
K_LAST = lax.RaggedDotDimensionNumbers((((1,), (2,)), ((), ())), (0,), (0,))
BF16 = "bfloat16_bfloat16"
# (target, types and tile of a kernel that reads rows, its layout)
OF_ROWS = [
    ("gfx942", f"{BF16}_128x128x64", "rrr"), ("gfx950", f"{BF16}_128x128x64", "rrr"),
    ("gfx90a", f"{BF16}_128x128x64", "rrr"), ("gfx942", f"{BF16}_256x256x64", "rrr"),
    ("gfx950", f"{BF16}_256x256x64", "rrr"), ("gfx942", f"{BF16}_64x128x64", "rcr"),
    ("gfx950", f"{BF16}_64x128x64", "rcr"), ("gfx942", f"{BF16}_32x128x64", "rrr"),
    ("gfx950", f"{BF16}_32x128x64", "rrr"), ("gfx90a", f"{BF16}_32x64x256", "rrr"),
    ("gfx942", f"{BF16}_32x64x256", "rrr"), ("gfx950", f"{BF16}_32x64x256", "rrr"),
    ("gfx942", f"{BF16}_16x32x512", "rcr"), ("gfx950", f"{BF16}_16x32x512", "rrr"),
    ("gfx90a", f"{BF16}_16x32x512", "rrr"), ("gfx942", "float16_float16_128x128x64", "rrr"),
    ("gfx950", "float16_float16_128x128x64", "rrr"),
    ("gfx942", "float32_float32_128x128x32", "rrr"),
    ("gfx950", "float32_float32_128x128x32", "rrr"), ("gfx942", "int8_int8_128x128x128", "rrr"),
    ("gfx950", "int8_int8_128x128x128", "rrr"),
    ("gfx942", "float8_e4m3fnuz_float8_e4m3fnuz_128x128x128", "rcr"),
    ("gfx942", "float8_e4m3fn_float8_e4m3fn_128x128x128", "rrr"),
    ("gfx942", "float8_e5m2_float8_e4m3fn_32x128x128", "rrr"),
    ("gfx950", "float8_e4m3fn_float8_e4m3fn_128x128x128", "rrr"),
    ("gfx950", "float8_e5m2_float8_e5m2_32x128x128", "rrr")]
OF_K = [
    ("gfx942", f"{BF16}_128x128x64"), ("gfx950", f"{BF16}_128x128x64"),
    ("gfx942", f"{BF16}_64x128x64"), ("gfx950", f"{BF16}_64x128x64"),
    ("gfx942", f"{BF16}_256x256x64"), ("gfx950", f"{BF16}_256x256x64"),
    ("gfx90a", f"{BF16}_128x128x64"), ("gfx942", "float16_float16_128x128x64"),
    ("gfx950", "float16_float16_128x128x64"), ("gfx942", "float32_float32_128x128x32"),
    ("gfx950", "float32_float32_128x128x32"), ("gfx942", "int8_int8_128x128x128"),
    ("gfx950", "int8_int8_128x128x128"),
    ("gfx942", "float8_e4m3fn_float8_e4m3fn_128x128x128"),
    ("gfx950", "float8_e4m3fn_float8_e4m3fn_128x128x128")]
SIZES = (70, 0, 1, 40)
INDICES = ("ends", "one", "none_inside", "random")


def kernel(target: str, name: str, layout: str):
  """A test's parameter; kernels that the default tests do not have are for --whole."""
  full = f"gemm_{name}_{layout}"
  there = full in _ffi.built_kernels(target)
  marks = [] if there or target != "gfx90a" else [pytest.mark.whole]
  return pytest.param(target, full, marks=marks, id=f"{target}-{full}")


def types(name: str) -> list[str]:
  return re.findall(r"float8_e\dm\d(?:fnuz|fn)?|[a-z]+\d+", name)[:2]


def drawn(kind: str, rng, count: int, lines: int):
  """`count` indices, all of one kind."""
  if kind == "ends":
    found = np.resize([0, lines - 1, -1, lines], count)
  elif kind == "one":
    found = np.full(count, lines - 1)
  elif kind == "none_inside":
    found = rng.choice([-2**31, -1, lines, 2**24, 2**31 - 1], count)
  else:
    found = rng.integers(-2, lines + 2, count)
  return found.astype(np.int32)


def poisoned(lines, indices):
  """The lines with NaN, where there is one, in all that no index names."""
  if lines.dtype == np.int8:
    return lines
  unread = ~np.isin(np.arange(len(lines)), indices)
  return lines.at[unread].set(jnp.nan)


def xla_gathers(program: str) -> bool:
  """Whether it gathers lines; scales of lines are gathered, too."""
  return bool(re.search(r"stablehlo\.gather.*-> tensor<\d+x\d{2,}x", program))


def check(call, arrays, options, wanted, k):
  """Runs the call, in which XLA must not gather lines, and compares its result."""
  traced = jax.jit(lambda given: call(**given, **options)).lower(arrays)
  assert not xla_gathers(traced.as_text())
  out = traced.compile()(arrays)
  assert emulator.last_record().kernel == options["config"].kernel
  if out.dtype == jnp.int32:
    np.testing.assert_array_equal(out, wanted.astype(np.int64))
  else:
    assert_close(out, wanted, k)


def options_of(target, name, **config):
  lhs = types(name)[0]
  config = jaxgemm.GemmConfig(kernel=name, partition=False, **{"num_workgroups": 2} | config)
  return {"implementation": f"emulated:{target}", "config": config,
          "preferred_element_type": jnp.int32 if lhs == "int8" else jnp.float32}


def ragged_product(lhs, rhs, sizes):
  ends = np.cumsum(sizes)
  out = np.zeros((len(lhs), rhs.shape[-1]))
  for end, size, w in zip(ends, sizes, rhs):
    out[end - size:end] = lhs[end - size:end] @ w
  return out


@pytest.mark.parametrize("kind, k, n", [
    ("ends", 208, 72), ("one", 96, 130), ("none_inside", 64, 40), ("random", 173, 67)])
@pytest.mark.parametrize("target, name", [kernel(*x) for x in OF_ROWS])
def test_rows(target, name, kind, k, n):
  rng = np.random.default_rng()  # other operands each time
  lhs_type, rhs_type = types(name)
  sizes, rows, lines = np.array(SIZES, np.int32), sum(SIZES) + 9, 61
  indices = drawn(kind, rng, rows, lines)
  lhs, rhs = array(rng, lines, k, dtype=lhs_type), array(rng, len(sizes), k, n, dtype=rhs_type)
  used, weights = f64(lhs, rhs)
  wanted = ragged_product(lines_at(used, indices), weights, sizes)
  arrays = {"lhs": poisoned(lhs, indices[:sum(SIZES)]), "rhs": rhs, "group_sizes": sizes,
            "lhs_indices": indices}
  call = jaxgemm.ragged_dot
  if name.endswith("rcr"):
    arrays["rhs"] = jnp.swapaxes(rhs, 1, 2)
    call = lambda lhs, rhs, group_sizes, **more: jaxgemm.ragged_dot_general(
        lhs, rhs, group_sizes, K_LAST, **more)
  check(call, arrays, options_of(target, name), wanted, k)


@pytest.mark.parametrize("side, kind, m, n, sizes", [
    ("lhs", "ends", 80, 136, (130, 0, 7)), ("rhs", "one", 48, 16, (1, 64, 3)),
    ("rhs", "none_inside", 32, 64, (30, 70)), ("lhs", "random", 37, 65, (50, 0, 33)),
    ("lhs", "random", 136, 264, (0, 129, 260)), ("rhs", "random", 136, 264, (0, 129, 260))])
@pytest.mark.parametrize("target, name", [kernel(*x, "crr") for x in OF_K])
def test_k(target, name, side, kind, m, n, sizes):
  rng = np.random.default_rng()
  total, lines = sum(sizes) + 5, 61
  indices = drawn(kind, rng, total, lines)
  given = {x: array(rng, lines if x == side else total, count, dtype=dtype)
           for x, count, dtype in zip(("lhs", "rhs"), (m, n), types(name))}
  product = dict(zip(given, f64(*given.values())))
  product[side] = lines_at(product[side], indices)
  ends = np.cumsum(sizes)
  wanted = np.stack([product["lhs"][end - size:end].T @ product["rhs"][end - size:end]
                     for end, size in zip(ends, sizes)])
  given[side] = poisoned(given[side], indices[:ends[-1]])
  arrays = {**given, "group_sizes": np.array(sizes, np.int32), f"{side}_indices": indices}
  call = lambda lhs, rhs, group_sizes, **more: jaxgemm.ragged_dot_general(
      lhs, rhs, group_sizes, OF_RHS, **more)
  check(call, arrays, options_of(target, name), wanted, max(sizes))


@pytest.mark.parametrize("config", [
    dict(schedule="persistent"), dict(schedule="work_stealing", num_queues=2),
    dict(schedule="stream_k", reduction="linear", num_workgroups=6),
    dict(schedule="stream_k", reduction="tree", num_workgroups=7)])
@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx90a"])
def test_schedules(target, config):
  rng = np.random.default_rng()
  indices = drawn("random", rng, 150, 40)
  lhs, rhs = array(rng, 40, 320), array(rng, 3, 320, 264)
  sizes = np.array([129, 0, 16], np.int32)
  used, weights = f64(lhs, rhs)
  wanted = ragged_product(lines_at(used, indices), weights, sizes)
  arrays = {"lhs": lhs, "rhs": rhs, "group_sizes": sizes, "lhs_indices": indices}
  options = options_of(target, f"gemm_{BF16}_128x128x64_rrr", **config)
  check(jaxgemm.ragged_dot, arrays, options, wanted, 320)


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx90a"])
@pytest.mark.parametrize("tile", ["128x128x64", "32x64x256", "16x32x512"])
def test_gated_with_a_scale_for_each_line(target, tile):
  rng = np.random.default_rng()
  indices, sizes = drawn("random", rng, 90, 33), np.array([50, 3, 0, 30], np.int32)
  lhs, rhs = array(rng, 33, 144), array(rng, 4, 144, 2, 48)
  scale = jnp.asarray(rng.uniform(0.5, 2, (33, 1)), jnp.float32)
  used, weights, factor = f64(lhs, rhs.reshape(4, 144, 96), scale)
  gate, up = np.split(
      ragged_product(lines_at(factor * used, indices), weights, sizes), 2, axis=1)
  arrays = {"lhs": lhs, "rhs": rhs, "group_sizes": sizes, "lhs_indices": indices,
            "scale_lhs": scale}
  options = options_of(target, f"gemm_{BF16}_{tile}_rrr") | {"activation": "relu"}
  check(jaxgemm.ragged_gated_linear_unit, arrays, options, np.maximum(gate, 0) * up, 144)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("batched", [("lhs",), ("lhs_indices",), ("lhs", "lhs_indices")])
def test_batches(target, batched):
  rng = np.random.default_rng()
  sizes = np.array([30, 0, 25], np.int32)
  lhs, rhs = array(rng, 2, 40, 64), array(rng, 3, 64, 32)
  indices = np.stack([drawn("random", rng, 60, 40) for _ in range(2)])
  given = {"lhs": lhs, "lhs_indices": indices}
  given = {name: x if name in batched else x[0] for name, x in given.items()}
  options = options_of(target, f"gemm_{BF16}_32x64x256_rrr")
  axes = {name: 0 if name in batched else None for name in given}
  one = lambda given, rhs: jaxgemm.ragged_dot(
      given["lhs"], rhs, sizes, lhs_indices=given["lhs_indices"], **options)
  out = jax.jit(jax.vmap(one, (axes, None)))(given, rhs)
  for b in range(2):
    used, weights = f64(lhs[b if "lhs" in batched else 0], rhs)
    of_batch = indices[b if "lhs_indices" in batched else 0]
    assert_close(out[b], ragged_product(lines_at(used, of_batch), weights, sizes), 64)


@pytest.mark.parametrize("lines, is_kernel", [((2**31 - 4096) // 2048, True),
                                              ((2**31 - 4096) // 2048 + 1, False)])
def test_the_kernel_gathers_rows_that_its_offsets_reach(lines, is_kernel):
  shape = jax.ShapeDtypeStruct
  call = lambda lhs, rhs, sizes, indices: jaxgemm.ragged_dot(
      lhs, rhs, sizes, lhs_indices=indices, implementation="emulated:gfx942")
  program = jax.jit(call).lower(
      shape((lines, 1024), jnp.bfloat16), shape((2, 1024, 64), jnp.bfloat16),
      shape((2,), jnp.int32), shape((100,), jnp.int32)).as_text()
  assert xla_gathers(program) != is_kernel


@pytest.mark.parametrize("lines, m, is_kernel", [
    (2**24 - 1, 32, True), (2**24, 32, False), (127, 2**23 - 8, True), (100, 2**23, False)])
def test_the_kernel_gathers_lines_of_k_by_products_of_24_bits(lines, m, is_kernel):
  shape = jax.ShapeDtypeStruct
  call = lambda lhs, rhs, sizes, indices: jaxgemm.ragged_dot_general(
      lhs, rhs, sizes, OF_RHS, lhs_indices=indices, implementation="emulated:gfx950")
  program = jax.jit(call).lower(
      shape((lines, m), jnp.bfloat16), shape((100, 64), jnp.bfloat16),
      shape((2,), jnp.int32), shape((100,), jnp.int32)).as_text()
  assert xla_gathers(program) != is_kernel
