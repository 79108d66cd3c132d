"""The kernels of the gated gradient (ffi/routing/) on an NVIDIA GPU, against float64.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_gated_gradient.py
"""

import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.grouped.gated_gradient import gated_gradient
from tests.sm90.cuda_gpu import environment, skip_reason
from tests.support.gated import DTYPES, check, check_placed, operands, placed
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())
CALL = "@jaxgemm_gated_gradient("


def silu_gradient(z, g, w):
  return gated_gradient(z, g, w, "silu")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, length", [
    (0, 64), (1, 8), (5, 0), (1001, 24), (77, 128), (333, 768), (51, 1000), (35, 2048), (17, 4104),
    (9, 7168), (7, 14336), (3, 16384), (2, 65544)])
def test_values(rng, dtype, rows, length):
  given = operands(rng, rows, length, dtype)
  f = jax.jit(silu_gradient)
  assert CALL in f.lower(*given).as_text()
  check(*given, f(*given), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, out_rows, length, count", [
    (1001, 1500, 24, 700), (777, 500, 768, 777), (300, 700, 2048, 1000), (51, 60, 4104, 0),
    (51, 60, 4104, -1), (35, 40, 14336, 30), (5, 0, 64, 5), (0, 5, 64, 0), (5, 6, 0, 4)])
def test_rows_are_written_to_their_places(rng, dtype, rows, out_rows, length, count):
  z, g, w, places, into = placed(rng, rows, out_rows, length, dtype)
  dead = slice(max(count, 0), None)
  z[dead] = g[dead] = w[dead] = np.nan
  f = jax.jit(lambda z, g, w, places, count, into: gated_gradient(
      z, g, w, "silu", places=places, count=count, into=into), donate_argnums=5)
  given = z, g, w, places, np.int32(count)
  lowered = f.lower(*given, into)
  assert CALL in lowered.as_text()
  if out_rows * length:  # XLA copies arrays without elements
    assert " copy(" not in lowered.compile().as_text()
  outs = f(*given, jax.device_put(into))
  check_placed(z, g, w, places, count, into, outs, dtype)
  outs = f(*given, outs)  # nothing depends on what was there
  check_placed(z, g, w, places, count, into, outs, dtype)


def test_a_batch(rng):
  z, g, w = operands(rng, 60, 264, "bfloat16")
  z, g, w = z.reshape(4, 15, 2, 264), g.reshape(4, 15, 264), w.reshape(4, 15)
  f = jax.jit(jax.vmap(silu_gradient, (0, 0, None)))
  assert CALL in f.lower(z, g, w[0]).as_text()
  check(z, g, np.broadcast_to(w[0], w.shape), f(z, g, w[0]), "bfloat16")


def test_the_same_bits_on_100_runs_and_in_another_place(rng):
  given = [jnp.asarray(x) for x in operands(rng, 4001, 2048, "bfloat16")]
  f = jax.jit(silu_gradient)
  first = f(*given)
  check(*given, first, "bfloat16")  # f has copied what it writes over
  same = jax.jit(lambda a, b: jnp.stack(
      [(x == y).all() for x, y in zip(a, b, strict=True)]).all())
  assert all(bool(same(first, f(*given))) for _ in range(100))
  # Rows are computed in the same way wherever they are.
  assert bool(same([x[1237:] for x in first], f(*(x[1237:] for x in given))))


_GRAPH = """
import json, tempfile, pathlib
import jax, jax.numpy as jnp, numpy as np
from jaxgemm.grouped.gated_gradient import gated_gradient
from tests.support.gated import check, operands
f = jax.jit(lambda *x: gated_gradient(*x, "silu"), donate_argnums=(0, 1))
for rows in (1, 700):
  for seed in range(4):
    z, g, w = operands(np.random.default_rng(seed), rows, 264, "bfloat16")
    check(z, g, w, f(*jax.device_put((z, g, w))), "bfloat16")
z, g, w = jax.device_put((z, g, w))
with tempfile.TemporaryDirectory() as folder:
  with jax.profiler.trace(folder):
    for _ in range(5):
      z, g, _ = jax.block_until_ready(f(z, g, w))
  path, = pathlib.Path(folder).rglob("*.xplane.pb")
  names = [event.name for plane in jax.profiler.ProfileData.from_file(str(path)).planes
           for line in plane.lines for event in line.events]
print(json.dumps(sum("cuGraphLaunch" in name for name in names)))
"""


@pytest.mark.parametrize("captured", [True, False])
def test_command_buffers(captured):
  flags = environment()["XLA_FLAGS"] + " --xla_gpu_graph_min_graph_size=1"
  done = subprocess.run(
      [sys.executable, "-c", _GRAPH], text=True, capture_output=True, timeout=600, cwd=ROOT,
      env=environment(JAXGEMM_COMMAND_BUFFERS=str(int(captured)), XLA_FLAGS=flags))
  assert done.returncode == 0, done.stderr[-3000:]
  launches = json.loads(done.stdout.splitlines()[-1])
  assert launches >= 5 if captured else launches == 0
