"""The kernels of a routing (ffi/routing/) on an NVIDIA GPU, against NumPy.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_routing.py
"""

import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.grouped.routing_calls import routing_table, top_k, top_k_softmax
from tests.sm90.cuda_gpu import environment, skip_reason
from tests.support.paths import ROOT
from tests.support.routing import check_table, check_top_k, routings, score_rows

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())


# Up to 2048 choices one workgroup makes the table, and for more than 131072 each of the most
# workgroups has more than the least number of choices.
@pytest.mark.parametrize("tokens, count, num_experts", [
    (1, 8, 128), (1, 1, 1), (0, 4, 6), (77, 3, 17), (256, 8, 128), (257, 8, 128), (65, 8, 8),
    (1000, 6, 512), (16384, 8, 128), (20001, 7, 60), (100000, 8, 256), (5000, 1, 3)])
def test_tables(rng, tokens, count, num_experts):
  f = jax.jit(lambda x: routing_table(x, num_experts))
  assert "@jaxgemm_routing_table(" in f.lower(jnp.zeros((tokens, count), jnp.int32)).as_text()
  for chosen in routings(rng, tokens, count, num_experts).values():
    check_table(chosen, num_experts, *f(chosen))


def test_tables_of_a_batch(rng):
  for tokens in (40, 3000):
    batch = rng.integers(0, 30, (5, tokens, 4)).astype(np.int32)
    out = jax.jit(jax.vmap(lambda x: routing_table(x, 30)))(batch)
    for i, chosen in enumerate(batch):
      check_table(chosen, 30, *jax.tree.map(lambda x, i=i: x[i], out))


@pytest.mark.parametrize("num_experts, count", [
    (128, 8), (8, 2), (1, 1), (32, 6), (65, 9), (130, 16), (300, 4), (512, 10), (1024, 32)])
def test_top_k(rng, num_experts, count):
  scores = np.concatenate([score_rows(rng, num_experts) for _ in range(40)])
  f = jax.jit(lambda x: top_k(x, count))
  assert "@jaxgemm_top_k(" in f.lower(scores).as_text()
  for part in (scores, scores[:1], scores[:0]):
    check_top_k(part, count, f(part))
    check_top_k(part, count, *jax.jit(lambda x: top_k_softmax(x, count))(part))


def test_the_same_bits_on_100_runs(rng):
  chosen = jnp.asarray(rng.integers(0, 128, (16384, 8)), jnp.int32)
  f = jax.jit(lambda x: routing_table(x, 128))
  first = f(chosen)
  check_table(chosen, 128, *first)
  same = jax.jit(lambda a, b: jnp.stack(
      [(x == y).all() for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)]).all())
  assert all(bool(same(first, f(chosen))) for _ in range(100))


_GRAPH = """
import json, tempfile, pathlib
import jax, jax.numpy as jnp, numpy as np
from jaxgemm.grouped.routing_calls import routing_table, top_k
from tests.support.routing import check_table
f = jax.jit(lambda x: (top_k(x, 8), routing_table(top_k(x, 8), 64)))
for tokens in (1, 2000):
  for seed in range(4):
    scores = np.random.default_rng(seed).standard_normal((tokens, 64)).astype(np.float32)
    chosen, table = f(scores)
    np.testing.assert_array_equal(chosen, jax.lax.top_k(scores, 8)[1])
    check_table(chosen, 64, *table)
with tempfile.TemporaryDirectory() as folder:
  with jax.profiler.trace(folder):
    for _ in range(5):
      jax.block_until_ready(f(scores))
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
