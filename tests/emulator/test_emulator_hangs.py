"""Endless kernels are reported, long ones are not, and SIGINT ends both."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from jaxgemm import emulator
from tests.support import amdgpu
from tests.support.paths import ROOT
from tests.support.virtual_rocm import needs_plugin

_KERNEL = """
extern "C" __global__ void k(unsigned* out, unsigned* flag, unsigned zero) {
  const unsigned t = __builtin_amdgcn_workitem_id_x();
  volatile unsigned* stored = out;
  __shared__ volatile unsigned lds[256];
  auto add = [](unsigned* to, unsigned x) {
    return __hip_atomic_fetch_add(to, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  };
  auto load = [](unsigned* from) {
    return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  };
  BODY
}"""


def launch(body, arch, block=64, grid=1, flag=None, **options):
  out = np.zeros(1 << 14, np.uint32)
  flag = np.zeros(4, np.uint32) if flag is None else flag
  record = emulator.launch(
      amdgpu.compile_hip(_KERNEL.replace("BODY", body), arch), "k",
      emulator.pack_arguments(out, flag, np.uint32(0)), grid=grid, block=block, arch=arch,
      buffers=dict(out=out, flag=flag), options=emulator.Options(**options))
  return out, record


ENDLESS = {
    "stores to the LDS": "for (;;) lds[t] = 1;",
    "stores of other values": "for (unsigned i = 0;; ++i) lds[t] = i;",
    "atomics of the LDS": "lds[t] = 0; for (;;) __hip_atomic_fetch_add((unsigned*)&lds[t], 1,"
                          " __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);",
    "atomics": "for (;;) add(out + t, 1);",
    "atomics that return values": "for (unsigned x = 0;;) stored[99 + t] = x += add(out + t, 1);",
    "stores of the same value": "for (;;) stored[t] = 1;",
    "stores to a ring": "for (unsigned i = 0;; ++i) stored[(64 * i + t) & 0xfff] = i;",
    "matrix instructions": """
        typedef float f4 __attribute__((ext_vector_type(4)));
        f4 c = 0;
        while (load(flag) == 0) c = __builtin_amdgcn_mfma_f32_16x16x4f32(1.f, t, c, 0, 0, 0);
        out[t] = c[0];""",
    "sleep": "for (;;) __builtin_amdgcn_s_sleep(9);",
    "barriers": "for (;;) __builtin_amdgcn_s_barrier();",
    "a flag": "while (load(flag) == 0) __builtin_amdgcn_s_sleep(1);",
    "a flag, and a sign of life": "while (load(flag) == 0) add(out + t, 1);",
    "a flag that an atomic reads": "while (add(flag, zero) == 0) {}",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("options", [{}, dict(shuffle=False, quantum=1 << 30)], ids=str)
def test_endless_kernels(body, options):
  with pytest.raises(emulator.EmulationError, match="hangs: 5000 instructions compared nothing"):
    launch(body, "gfx942", block=128, idle_limit=5000, **options)


@pytest.mark.parametrize("arch", amdgpu.ARCHS)
def test_endless_kernels_that_compare_their_counter(arch):
  with pytest.raises(emulator.EmulationError, match="hangs: 4.* instructions reached no new code"):
    launch("for (unsigned i = 0;; ++i) if (i & 1) lds[t] = i;", arch, idle_limit=1000,
           check_waits=False, check_hazards=False, check_lds_races=False)


LONG = {
    "stores to the LDS": "for (unsigned i = 0; i < 9000; ++i) lds[t] = i; out[t] = lds[t] + 1;",
    "atomics": "for (unsigned i = 0; i < 9000; ++i) add(out + t, 1);",
    "down": "unsigned i = 9000; do { lds[t] = i; add(out + t, 1); } while (--i);",
    "each lane its own": "for (unsigned i = 0; i < 9000 - t; ++i) add(out + t, 1);"
                         "out[t] += t;",
    "shifts": """
        for (unsigned r = 0; r < 300; ++r)
          for (unsigned y = 1u << (30 + zero); y; y >>= 1) { add(out + t, y == 1 ? 30 : 0); }""",
}


@pytest.mark.parametrize("body", LONG.values(), ids=LONG)
def test_long_kernels_end(body):
  out, record = launch(body, "gfx942", idle_limit=1000)
  np.testing.assert_array_equal(out[:64], 9000)
  assert record.cost["instructions"] > 8 * 1000


def test_waves_that_wait_for_one_that_works():
  """Fifteen waves and another workgroup poll, while one wave counts."""
  out, _ = launch("""
      if (t == 0 && __builtin_amdgcn_workgroup_id_x() == 1) {
        for (unsigned i = 0; i < 9000; ++i) add(out + 1, 1);
        __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
      }
      while (load(flag) == 0) __builtin_amdgcn_s_sleep(1);""", "gfx942", block=1024, grid=2,
      idle_limit=50_000)
  assert out[1] == 9000


def test_a_flag_that_a_thread_of_the_host_sets_late():
  """The launch polls longer than its idle_limit, but not longer than the host may take."""
  flag = np.zeros(4, np.uint32)

  def set_late():
    time.sleep(1)
    flag[0] = 1

  thread = threading.Thread(target=set_late)
  thread.start()
  _, record = launch("while (load(flag) == 0) {}", "gfx942", flag=flag, idle_limit=1_250_000)
  thread.join()
  assert record.cost["instructions"] > 0


# ------------------------------------------------------------------------------- SIGINT

_PROGRAM = """
import time
import jax
import jax.numpy as jnp
import numpy as np
import jaxgemm

def function(x, w):
  return jaxgemm.matmul(x, w, implementation=IMPLEMENTATION)

def product(k):
  return function(jnp.ones((256, k), jnp.bfloat16), jnp.ones((k, 256), jnp.bfloat16))

FUNCTION
product(SIZE).block_until_ready()  # compiles it
print("started", flush=True)
out = None
try:
  out = product(SIZE)
  out.block_until_ready()
except KeyboardInterrupt:
  print("interrupted", flush=True)
# A virtual device's array is deleted as soon as its kernel has ended.
end = time.monotonic() + 60
while out is not None and not out.is_deleted():
  assert time.monotonic() < end, "the array is not finished"
  time.sleep(0.01)
np.testing.assert_array_equal(np.asarray(product(64), np.float32), 64)
print("right")
"""


def program(implementation, jitted, size=24576):
  return _PROGRAM.replace("IMPLEMENTATION", repr(implementation)).replace(
      "FUNCTION", "function = jax.jit(function)" if jitted else "").replace("SIZE", str(size))


def interrupt(*command, seconds=0.5, platforms="cpu"):
  """The output of a program that gets SIGINT after it has printed "started"."""
  # A shell starts its background jobs with SIGINT ignored, and Python keeps that.
  process = subprocess.Popen([sys.executable, *command], cwd=ROOT, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env=os.environ | {"JAX_TRACEBACK_FILTERING": "off",
                                               "JAX_PLATFORMS": platforms})
  try:
    said = ""
    while "started" not in said:
      line = process.stdout.readline()
      assert line, said
      said += line
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=120)[0]
  finally:
    process.kill()
  return process.returncode, said


def test_sigint_ends_a_launch():
  returned, said = interrupt("-c", """
from tests.emulator.test_emulator_hangs import ENDLESS, launch
print("started", flush=True)
try:
  launch(ENDLESS["a flag"], "gfx942", idle_limit=2**63)
except KeyboardInterrupt:
  print("interrupted")
print(launch("out[t] = t;", "gfx942")[0][:64].sum())
""")
  assert returned == 0 and "interrupted\n2016\n" in said, said


@pytest.mark.parametrize("jitted", [False, True])
def test_sigint_ends_an_emulated_call(jitted):
  returned, said = interrupt("-c", program("emulated:gfx942", jitted))
  assert returned == 0 and "interrupted\nright\n" in said, said


@needs_plugin
def test_sigint_ends_a_call_on_a_virtual_device(tmp_path):
  path = tmp_path / "program.py"
  path.write_text(program(None, jitted=True, size=4096))
  returned, said = interrupt("-m", "jaxgemm.emulator.rocm", str(path), platforms="rocm,cpu")
  assert returned == 0 and "interrupted\nright\n" in said, said
