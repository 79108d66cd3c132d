"""After a killed process, a full disk or a failed call, the next call works."""

import pathlib
import signal
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.tune import database
from tests.bindings.test_handler import STREAM_K, good_call, refused
from tests.support.arriving import Arriving
from tests.support.environment import one_device
from tests.support.paths import ROOT

ENTRY = database.Entry("jaxgemm", {}, 1, 1.0, 1.0, None, "2026-01-01")


def check_product(rng, **given):
  a, b = rng.standard_normal((70, 300), np.float32), rng.standard_normal((300, 50), np.float32)
  out = np.asarray(jaxgemm.matmul(a, b, **given))
  assert np.abs(out - a.astype(np.float64) @ b).max() < 1e-4


def start(code: str, *arguments) -> subprocess.Popen:
  return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT,
                          env=one_device() | {"JAX_PLATFORMS": "cpu"}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


FULL = """
import pathlib, resource, sys
from jaxgemm.tune import database

path = pathlib.Path(sys.argv[1])
entry = database.Entry("jaxgemm", {}, 1, 1.0, 1.0, None, "2026-01-01")
database.merge(path, {"kept": entry})
before = path.read_bytes()
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
try:
  database.merge(path, {f"too much {i}": entry for i in range(1000)})
  sys.exit("a file of any size could be written")
except OSError as error:
  print(error)
assert path.read_bytes() == before
assert [x.name for x in path.parent.iterdir() if x.suffix not in (".json", ".lock")] == []
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
database.merge(path, {"next": entry})
assert database.load(path).keys() == {"kept", "next"}
"""


def test_a_full_disk_leaves_the_tuning_file_as_it_was(tmp_path):
  run = start(FULL, tmp_path / "tuning.json")
  out, errors = run.communicate(timeout=300)
  assert run.returncode == 0, errors
  assert "File too large" in out


BUSY = """
import pathlib, sys, threading
import jax, jax.numpy as jnp, numpy as np
import jaxgemm
from jaxgemm.tune import database

path = pathlib.Path(sys.argv[1])
entry = database.Entry("jaxgemm", {}, 1, 1.0, 1.0, None, "2026-01-01")
config = jaxgemm.GemmConfig(tile_m=16)
w = jnp.ones((1024, 64))
f = jax.jit(lambda x: jaxgemm.overlap(x, lambda data, signals: jaxgemm.chunked_matmul(
    data, w, signals, tiles_per_chunk_m=1, config=config), chunk_rows=16))

def products():
  while True:
    f(np.ones((4096, 1024), np.float32)).block_until_ready()

for _ in range(2):
  threading.Thread(target=products, daemon=True).start()
f(np.ones((4096, 1024), np.float32)).block_until_ready()
print("busy", flush=True)
count = 0
while True:
  database.merge(path, {f"{i}": entry for i in range(300)} | {f"last": entry})
"""


def test_a_killed_process_leaves_nothing_that_disturbs_the_next(tmp_path, rng):
  path: pathlib.Path = tmp_path / "tuning.json"
  for delay in (0.0, 0.05, 0.2):
    run = start(BUSY, path)
    assert run.stdout is not None and run.stdout.readline() == "busy\n"
    time.sleep(delay)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    # The lock is free, and the file is one of those that were written as a whole.
    database.merge(path, {"after": ENTRY})
    assert database.load(path).keys() - {"after"} in (
        set(), {"last", *map(str, range(300))})
    assert not path.with_name(path.name + ".damaged").exists()
  check_product(rng)


def refuse_a_call(_):
  args, results, attrs, _ = good_call(config=STREAM_K)
  refused(args[:1], results, attrs)


def miss_a_chunk(rng):
  arriving = Arriving(rng.standard_normal((64, 40)).astype(np.float32), 16)
  w = jnp.ones((40, 24))
  arriving.write((0,))
  with pytest.raises(Exception, match="did not become the epoch"):
    jax.block_until_ready(jaxgemm.chunked_matmul(
        arriving.lhs, w, arriving.signals, tiles_per_chunk_m=1, timeout=0.05,
        config=jaxgemm.GemmConfig(tile_m=16)))


def fail_beside_a_product(rng):
  def fails(x):
    raise ValueError("as the test wanted")

  @jax.jit
  def f(x):
    y = jax.pure_callback(fails, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return jaxgemm.matmul(x, x) + jaxgemm.matmul(y, x)

  with pytest.raises(Exception, match="as the test wanted"):
    f(rng.standard_normal((64, 64)).astype(np.float32)).block_until_ready()


def find_no_kernel(_):
  with pytest.raises(ValueError, match="kernel"):
    jaxgemm.matmul(jnp.ones((8, 8)), jnp.ones((8, 8)), config=jaxgemm.GemmConfig(kernel="none"))


@pytest.mark.parametrize("fail", [refuse_a_call, miss_a_chunk, fail_beside_a_product,
                                  find_no_kernel])
@pytest.mark.parametrize("given", [
    dict(), dict(schedule="stream_k", reduction="tree"), dict(schedule="work_stealing")])
def test_a_failed_call_leaves_the_next_one_working(rng, fail, given):
  for _ in range(3):
    fail(rng)
    check_product(rng, implementation="jaxgemm", **given)
