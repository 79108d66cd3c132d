"""The public functions with implementation="emulated:...": AMD machine code through the
plan, the launcher and the emulator, inside jit, grad and vmap."""

import functools
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi, emulator
from jaxgemm.call.config import ACTIVATIONS
from tests.support import amdgpu

ARCHS = ("gfx942", "gfx950")
F8 = {"gfx942": ("float8_e4m3fnuz", "float8_e5m2fnuz"),
      "gfx950": ("float8_e4m3fn", "float8_e5m2")}
PAIRS = [(arch, dtype, dtype) for arch in ARCHS
         for dtype in ("bfloat16", "float16", "float32", "int8")]
PAIRS += [(arch, lhs, rhs) for arch in ARCHS for lhs in F8[arch] for rhs in F8[arch]]
ROUNDING = {"float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}


def array(rng, *shape, dtype="float32"):
  if dtype == "int8":
    return jnp.asarray(rng.integers(-128, 128, shape), jnp.int8)
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(*arrays):
  return [np.asarray(x.astype(jnp.float32), np.float64) for x in arrays]


def assert_close(got, wanted, k, dtype="float32"):
  """Allows the rounding of a float32 sum of k terms, and one rounding of the result."""
  got = np.asarray(got.astype(jnp.float32), np.float64)
  error = np.abs(got - wanted)
  allowed = (2e-6 * (k + 1) ** 0.5 * max(np.abs(wanted).max(initial=0), 1)
             + 1.01 * ROUNDING[dtype] * np.abs(wanted))
  assert got.shape == wanted.shape and (error <= allowed).all(), error.max()


@pytest.mark.parametrize("arch,lhs_dtype,rhs_dtype", PAIRS)
def test_every_pair_of_operands(rng, arch, lhs_dtype, rhs_dtype):
  a, b = array(rng, 40, 72, dtype=lhs_dtype), array(rng, 72, 24, dtype=rhs_dtype)
  out_dtype = jnp.int32 if lhs_dtype == "int8" else jnp.float32
  out = jaxgemm.matmul(a, b, preferred_element_type=out_dtype,
                       implementation=f"emulated:{arch}")
  a64, b64 = f64(a, b)
  if lhs_dtype == "int8":
    np.testing.assert_array_equal(out, (a64 @ b64).astype(np.int32))
  else:
    assert_close(out, a64 @ b64, 72)
  assert emulator.last_record().kernel == jaxgemm.explain(
      a, b, preferred_element_type=out_dtype,
      implementation=f"emulated:{arch}").data["kernel"]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    "lhs_contracting,rhs_contracting", [(1, 0), (1, 1), (0, 0), (0, 1)])
def test_layouts_and_edges(rng, arch, lhs_contracting, rhs_contracting):
  """Sizes are multiples neither of a tile nor of 16 bytes; k is longer than a k tile."""
  m, n, k = 131, 67, 101
  a = array(rng, *((m, k) if lhs_contracting else (k, m)), dtype="bfloat16")
  b = array(rng, *((n, k) if rhs_contracting else (k, n)), dtype="bfloat16")
  dims = (((lhs_contracting,), (rhs_contracting,)), ((), ()))
  out = jaxgemm.dot_general(a, b, dims, preferred_element_type=jnp.bfloat16,
                            implementation=f"emulated:{arch}")
  a64, b64 = f64(a, b)
  wanted = np.tensordot(a64, b64, (lhs_contracting, rhs_contracting))
  assert_close(out, wanted, k, "bfloat16")


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("activation", [None, *ACTIVATIONS])
def test_epilogue(rng, arch, activation):
  a, b = array(rng, 2, 33, 64, dtype="float16"), array(rng, 64, 50, dtype="float16")
  bias, scale = array(rng, 2, 50), array(rng, 2, 1)
  out = jaxgemm.matmul(a, b, bias=bias, scale=scale, activation=activation,
                       preferred_element_type=jnp.float32,
                       implementation=f"emulated:{arch}")
  a64, b64, bias64, scale64 = f64(a, b, bias, scale)
  z = scale64[:, None] * (a64 @ b64) + bias64[:, None]
  wanted = z if activation is None else getattr(jax.nn, activation)(z)
  assert_close(out, np.asarray(wanted, np.float64), 64)


def test_integer_epilogue(rng):
  a, b = array(rng, 20, 48, dtype="int8"), array(rng, 48, 30, dtype="int8")
  bias = jnp.arange(30, dtype=jnp.int32)
  out = jaxgemm.matmul(a, b, bias=bias, preferred_element_type=jnp.int8,
                       implementation="emulated:gfx950")
  wanted = np.asarray(a, np.int32) @ np.asarray(b, np.int32) + np.asarray(bias)
  np.testing.assert_array_equal(out, wanted.astype(np.int8))


@pytest.mark.parametrize("arch", ARCHS)
def test_gradients_under_jit(rng, arch):
  """Gradients use the saved value before the activation, transposed layouts, and a
  float32 cotangent with bfloat16 operands."""
  x, w = array(rng, 24, 40, dtype="bfloat16"), array(rng, 40, 56, dtype="bfloat16")
  bias = array(rng, 56)

  def loss(implementation, x, w, bias):
    out = jaxgemm.matmul(x, w, bias=bias, activation="gelu",
                         implementation=implementation,
                         preferred_element_type=jnp.float32)
    return jnp.sum(jnp.sin(out))

  def gradients(implementation):
    return jax.jit(jax.value_and_grad(functools.partial(loss, implementation),
                                      argnums=(0, 1, 2)))(x, w, bias)

  with emulator.options():
    value, grads = gradients(f"emulated:{arch}")
    jax.block_until_ready(grads)
    kernels = [record.kernel for record in emulator.records()]
  assert len(kernels) == 3 and any("float32" in kernel for kernel in kernels)
  wanted_value, wanted = gradients("jaxgemm")
  np.testing.assert_allclose(value, wanted_value, rtol=1e-4)
  for got, want in zip(grads, wanted):
    assert got.dtype == want.dtype
    got, want = f64(got, want)
    assert np.abs(got - want).max() <= 2.0**-7 * np.abs(want).max()


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 1)])
def test_vmap(rng, arch, axes):
  shapes = [(30, 32), (32, 20)]
  a, b = (array(rng, *(s if axis is None else s[:axis] + (3,) + s[axis:]))
          for s, axis in zip(shapes, axes))
  out = jax.vmap(functools.partial(jaxgemm.matmul, implementation=f"emulated:{arch}"),
                 axes)(a, b)
  a64, b64 = (x if axis is None else np.moveaxis(x, axis, 0)
              for x, axis in zip(f64(a, b), axes))
  assert_close(out, a64 @ b64, 32)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("options", [
    emulator.Options(), emulator.Options(seed=5, quantum=7, xcc=(7, 3, 3), resident=2)])
@pytest.mark.parametrize("config", [
    GemmConfig(schedule="persistent", num_workgroups=2),
    GemmConfig(schedule="work_stealing", num_workgroups=3, num_queues=2,
               claim_ahead=True),
    GemmConfig(schedule="work_stealing", num_workgroups=9, num_queues=5,
               claim_ahead=False),
    GemmConfig(schedule="stream_k", reduction="linear", num_workgroups=5),
    GemmConfig(schedule="stream_k", reduction="tree", num_workgroups=5),
    GemmConfig(schedule="stream_k", reduction="atomic", num_workgroups=5, num_queues=3),
])
def test_schedules(rng, arch, options, config):
  a, b = array(rng, 140, 256, dtype="bfloat16"), array(rng, 256, 150, dtype="bfloat16")
  with emulator.options(options):
    out = jaxgemm.matmul(a, b, config=config, preferred_element_type=jnp.float32,
                         implementation=f"emulated:{arch}").block_until_ready()
    record, = emulator.records()
  assert record.grid == (config.num_workgroups, 1, 1)
  a64, b64 = f64(a, b)
  assert_close(out, a64 @ b64, 256)


@pytest.mark.parametrize("arch", ARCHS)
def test_a_kernel_by_name_and_its_gradients(rng, arch):
  a, b = array(rng, 16, 32, dtype="bfloat16"), array(rng, 32, 16, dtype="bfloat16")
  name = "gemm_bfloat16_bfloat16_256x256x64_rrr"
  product = functools.partial(jaxgemm.matmul, config=GemmConfig(kernel=name),
                              implementation=f"emulated:{arch}")
  with emulator.options():
    out, gradient = jax.vjp(product, a, b)
    jax.block_until_ready(gradient(out))
    kernels = [record.kernel for record in emulator.records()]
  assert kernels[0] == name and len(kernels) == 3
  a64, b64 = f64(a, b)
  assert_close(out, a64 @ b64, 32, "bfloat16")
  with pytest.raises(ValueError, match="128x128x64_rrr.*leave kernel and tile out"):
    product(a, b, config=GemmConfig(kernel="gemm_float32_float32_128x128x32_rrr"))


@pytest.mark.parametrize("shape", [(0, 8, 8), (8, 0, 8), (8, 8, 0)])
def test_empty_dimensions(shape):
  m, n, k = shape
  with emulator.options():
    out = jaxgemm.matmul(jnp.ones((m, k)), jnp.ones((k, n)), bias=jnp.arange(n * 1.0),
                         implementation="emulated:gfx942").block_until_ready()
    assert len(emulator.records()) == (m * n > 0)
  np.testing.assert_array_equal(out, np.broadcast_to(np.arange(n) + k, (m, n)))


def test_several_devices_at_once(rng):
  """The calls of all devices go through one emulator."""
  mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4],
                       axis_types=(jax.sharding.AxisType.Auto,))
  spec = jax.sharding.PartitionSpec
  a, b = array(rng, 64, 32), array(rng, 32, 16)
  product = jax.jit(jax.shard_map(
      functools.partial(jaxgemm.matmul, implementation="emulated:gfx950"), mesh=mesh,
      in_specs=(spec("x"), spec()), out_specs=spec("x")))
  with emulator.options():
    out = product(a, b).block_until_ready()
    assert len(emulator.records()) == 4
  a64, b64 = f64(a, b)
  assert_close(out, a64 @ b64, 32)


@pytest.mark.whole
def test_records_of_the_last_4096_launches_are_kept(rng):
  a = array(rng, 16, 16)
  product = jax.jit(functools.partial(jaxgemm.matmul, implementation="emulated:gfx942"))
  other = jax.jit(functools.partial(jaxgemm.matmul, implementation="emulated:gfx950"))
  with emulator.options():
    product(a, a).block_until_ready()
    for _ in range(4096):
      last = other(a, a)
    last.block_until_ready()
    records = emulator.records()
    assert len(records) == 4096
    assert {record.arch for record in records} == {"gfx950"}
    assert emulator.last_record() == records[-1]


def test_explain():
  a = jax.ShapeDtypeStruct((5000, 1003), jnp.bfloat16)
  b = jax.ShapeDtypeStruct((1003, 4001), jnp.float32)
  options = dict(dimension_numbers=(((1,), (0,)), ((), ())),
                 preferred_element_type=jnp.bfloat16,
                 implementation="emulated:gfx942",
                 config=jaxgemm.GemmConfig(schedule="work_stealing"))
  explanation = jaxgemm.explain(a, b, **options)
  data, text = explanation.data, str(explanation)
  assert data["implementation"] == "emulated:gfx942" and data["target"] == "gfx942"
  assert data["kernel"] == "gemm_float32_float32_128x128x32_rrr"
  assert data["num_workgroups"] == 608 and data["num_queues"] == 32
  for reason in ("k=1003: the rows of lhs are not a multiple of 16 bytes",
                 "n=4001: the rows of rhs",
                 "lhs is converted from bfloat16 to float32"):
    assert reason in text
  parts = data["predicted_parts"]
  assert parts["launch"] + parts["kernel"] == pytest.approx(data["predicted_us"])
  assert (f"predicted: {data['predicted_us']:.1f} us on MI300X, by a model: {parts['launch']:.1f} "
          f"for the launch, {parts['kernel']:.1f} for the kernel (median error 13%)") in text
  assert "rejected: work_stealing" in text and "(predicted " in text
  assert jaxgemm.workspace_size(a, b, **options) == data["workspace_bytes"] > 0
  a, b = (jax.ShapeDtypeStruct((64, 64), x) for x in (jnp.float8_e4m3fnuz, jnp.float8_e5m2))
  assert "from float8_e5m2 to bfloat16 by a copy: the kernels do not take the operands' types" in (
      str(jaxgemm.explain(a, b, **options)))


@pytest.mark.parametrize("dtypes,wide", [
    (("bfloat16", "float32"), "float32"), (("bfloat16", "float16"), "float32"),
    (("float8_e4m3fn", "bfloat16"), "bfloat16"),
    (("float16", "float8_e5m2"), "float16"),
])
def test_mixed_operands_are_converted_exactly(rng, dtypes, wide):
  a, b = array(rng, 24, 40, dtype=dtypes[0]), array(rng, 40, 16, dtype=dtypes[1])
  call = functools.partial(
      jaxgemm.dot_general, dimension_numbers=(((1,), (0,)), ((), ())),
      preferred_element_type=jnp.float32, implementation="emulated:gfx950")
  a64, b64 = f64(a, b)
  assert_close(call(a, b), a64 @ b64, 40)
  assert f"gemm_{wide}_{wide}_" in emulator.last_record().kernel


def test_what_a_gpu_does_not_take(rng):
  a = array(rng, 16, 16, dtype="float8_e4m3fnuz")
  ok, reason = jaxgemm.supports(a, a, implementation="emulated:gfx950")
  assert not ok and "gfx950 decodes OCP float8" in reason
  with pytest.raises(ValueError, match="gfx950 decodes OCP float8"):
    jaxgemm.matmul(a, a, implementation="emulated:gfx950")
  assert jaxgemm.supports(a, a, implementation="emulated:gfx942") == (True, "")
  for function in (jaxgemm.matmul, jaxgemm.supports, jaxgemm.explain):
    with pytest.raises(ValueError, match="'emulated:gfx942', 'emulated:gfx950'"):
      function(a, a, implementation="emulated:gfx908")


def test_a_kernel_that_was_not_built(rng, monkeypatch):
  a = array(rng, 16, 17)
  kernels = frozenset(["gemm_float32_float32_x_rrr", "gemm_int8_int8_x_rrr"])
  monkeypatch.setattr(_ffi, "built_kernels", lambda target: kernels)
  _ffi.native_plan.cache_clear()
  try:
    with pytest.raises(ValueError, match=(
        r"it has gemm_float32_float32_x_rrr; .*GemmConfig\(kernel=.*"
        r"JAXGEMM_GPU_KERNELS='auto;gfx942/\.\*float32_float32'")):
      jaxgemm.matmul(a, a.T, implementation="emulated:gfx942")
    b = a.astype(jnp.float16)
    with pytest.raises(ValueError, match="It has none for these operand types") as error:
      jaxgemm.matmul(b, b.T, implementation="emulated:gfx942")
    assert "GemmConfig" not in str(error.value)
  finally:
    _ffi.native_plan.cache_clear()


def test_the_emulators_error_reaches_the_caller(tmp_path):
  """A kernel writes to its operand. It has its own process, because kernels stay loaded."""
  name = "gemm_bfloat16_bfloat16_32x128x64_ccr"
  code = amdgpu.compile_hip(
      "struct Args { float* lhs; char rest[184 - 8]; };"
      f"extern \"C\" __global__ void {name}(Args args) {{ *args.lhs = 1; }}", "gfx942")
  (tmp_path / "gfx942").mkdir()
  (tmp_path / "gfx942" / f"{name}.hsaco").write_bytes(code)
  program = f"""
import jax.numpy as jnp
import jaxgemm
from jaxgemm import _ffi
_ffi.native.set_kernel_folder({str(tmp_path)!r})
a = jnp.ones((16, 16), jnp.bfloat16)
jaxgemm.dot_general(a, a, (((0,), (1,)), ((), ())), implementation="emulated:gfx942",
                    config=jaxgemm.GemmConfig(tile_m=32, tile_n=128)).block_until_ready()
"""
  done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
  assert done.returncode
  assert f"launching failed: kernel {name}" in done.stderr
  assert re.search("hipErrorLaunchFailure: .*lhs", done.stderr, re.DOTALL)


def test_it_is_not_for_other_platforms(rng):
  a = array(rng, 16, 16)
  traced = jax.jit(functools.partial(
      jaxgemm.matmul, implementation="emulated:gfx942")).trace(a, a)
  with pytest.raises(ValueError, match="the emulator runs on the CPU"):
    traced.lower(lowering_platforms=("rocm",))
