"""Tuning in worker processes: bad candidates are left out, and devices share the work."""

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import pytest

import jaxgemm
from jaxgemm.call import tuned
from jaxgemm.tune import database, measure, products, workers
from tests.support.environment import one_device


def shape(*sizes):
  return jax.ShapeDtypeStruct(sizes, jnp.float32)


@pytest.fixture
def path(tmp_path, monkeypatch):
  monkeypatch.setenv("JAXGEMM_TUNING", str(tmp_path / "tuning.json"))
  monkeypatch.setenv("FOLDER", str(tmp_path))
  tuned.forget()
  yield tmp_path / "tuning.json"
  tuned.forget()


def program(monkeypatch, text):
  monkeypatch.setattr(workers, "PROGRAM", ("-c", textwrap.dedent(text)))


def test_a_candidate_that_ends_the_process_is_left_out(path, monkeypatch):
  program(monkeypatch, """
      import os
      from jaxgemm.tune import products, workers
      ours = products.Product.ours
      def broken(self, config):
        if config["schedule"] == "work_stealing":
          return lambda *xs: os.abort()
        return ours(self, config)
      products.Product.ours = broken
      workers.main()
      """)
  product, = products.products([(jaxgemm.matmul, (shape(300, 280), shape(280, 260)), {})])[0]
  names = [each["schedule"] for each in product.configs(100)]
  first = names.index("work_stealing")
  report = jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260), workers=1,
                        most_candidates=first + 1)
  result, = report.results
  assert list(result.refused.values()) == ["it ended the process, with status -6"]
  assert "work_stealing" in next(iter(result.refused))
  assert "left out: schedule=work_stealing" in str(report)
  assert len(result.seconds) >= 1 and database.load(path) == {result.key: result.entry}


# A worker that does not import jax. Once, it fails at the first candidate.
FAKE = """
    import os, sys, time
    from multiprocessing.connection import Connection
    pipe = Connection(int(sys.argv[1]))
    pipe.send(("ready", None))
    pipe.recv_bytes()
    mark = os.path.join(os.environ["FOLDER"], "tried")
    if not os.path.exists(mark):
      open(mark, "w")
      pipe.send(("product", 0))
      pipe.send(("begins", "good"))
      pipe.send(("begins", BAD))
      time.sleep(1000)
    pipe.send(("product", 0))
    pipe.send(("begins", "good"))
    pipe.send(("result", (0, "found")))
    pipe.send(("done", None))
    pipe.recv_bytes()
"""
OPTIONS = measure.Options("balanced", 16, threads=1, end=float("inf"))


def test_a_candidate_that_hangs_is_left_out(path, monkeypatch):
  program(monkeypatch, FAKE.replace("BAD", "'bad'"))
  worker = workers.Worker(0, candidate_seconds=5)
  sent = []
  send = workers.Connection.send
  monkeypatch.setattr(workers.Connection, "send",
                      lambda self, value: (sent.append(dict(value[2][0])), send(self, 0)))
  said = []
  worker.measure([None], OPTIONS, lambda *words: said.append(words))
  worker.stop()
  assert said == [("product", 0), ("result", (0, "found"))]
  assert sent == [{}, {"bad": "it took longer than 5 s"}]


def test_a_hang_while_all_are_timed_gives_the_product_up(path, monkeypatch):
  program(monkeypatch, FAKE.replace("BAD", "''"))
  product, = products.products([(jaxgemm.matmul, (shape(8, 8), shape(8, 8)), {})])[0]
  said = []
  workers.Worker(0, candidate_seconds=0.1).measure(
      [product], OPTIONS, lambda *words: said.append(words))
  assert [word for word, _ in said] == ["product", "result"]
  _, (_, result) = said[1]
  assert result.entry is None and "took longer" in str(result.refused)


def test_a_process_that_ends_while_it_compiles_does_so_again_one_by_one(path, monkeypatch):
  program(monkeypatch, """
      import os
      from jaxgemm.tune import products, workers
      ours = products.Product.ours
      def broken(self, config):
        if config["schedule"] == "work_stealing" and self.plan["problem"]["n"] == 260:
          return lambda *xs: os.abort()
        return ours(self, config)
      products.Product.ours = broken
      workers.main()
      """)

  def function(x, w, v):
    return jaxgemm.matmul(jaxgemm.matmul(x, w), v)

  arguments = shape(300, 30), shape(30, 280), shape(280, 260)
  (_, found), _ = products.products([(function, arguments, {})])
  bad = next(i for i, config in enumerate(found.configs(100))
             if config["schedule"] == "work_stealing")
  report = jaxgemm.tune(function, *arguments, workers=1, most_candidates=bad + 1)
  first, second = report.results
  assert not first.refused and first.entry and second.entry
  assert set(second.refused.values()) == {"it ended the process, with status -6"}
  assert all("work_stealing" in name for name in second.refused)


def test_a_worker_that_does_not_start(path, monkeypatch):
  program(monkeypatch, "raise SystemExit(3)")
  with pytest.raises(RuntimeError, match="did not start.*Pass workers=0"):
    jaxgemm.tune(jaxgemm.matmul, shape(8, 8), shape(8, 8), workers=1)


def test_devices_share_the_products(path, monkeypatch):
  """Each worker waits until the other one has begun."""
  program(monkeypatch, """
      import os, pathlib, time
      import jax
      from jaxgemm.tune import measure, workers
      measured = measure.measure
      def together(*args):
        folder = pathlib.Path(os.environ["FOLDER"])
        (folder / f"device {jax.config.jax_default_device.id}").touch()
        while len(list(folder.glob("device *"))) < 2:
          time.sleep(0.01)
        return measured(*args)
      measure.measure = together
      workers.main()
      """)

  def function(x, w, v):
    return jaxgemm.matmul(jaxgemm.matmul(x, w), v)

  report = jaxgemm.tune(function, shape(40, 30), shape(30, 50), shape(50, 60), workers=2,
                        most_candidates=2)
  assert [each.label[:8] for each in report.results] == ["40x50x30", "40x60x50"]
  assert database.load(path) == {each.key: each.entry for each in report.results}
  with pytest.raises(ValueError, match="workers=99 was given; 0 to"):
    jaxgemm.tune(function, shape(4, 3), shape(3, 5), shape(5, 6), workers=99)


def test_an_error_of_the_caller_reaches_the_caller(path):
  sizes = jax.ShapeDtypeStruct((4,), jnp.int32)
  with pytest.raises(ValueError, match="4 shares that are not negative"):
    jaxgemm.tune(jaxgemm.ragged_dot, shape(8, 8), shape(4, 8, 8), sizes, routing=[1, 2],
                 workers=1)


# A program of two processes, of which only the first one has a tuned choice.
TWO = """
import sys
import jax
jax.distributed.initialize(sys.argv[1], 2, int(sys.argv[2]))
import jax.numpy as jnp
import jaxgemm
x, w = (jax.ShapeDtypeStruct(s, jnp.float32) for s in ((300, 280), (280, 260)))
print("chosen", jaxgemm.explain(x, w).data["schedule"])
"""


def test_processes_of_one_program_choose_the_same(path, tmp_path):
  product, = products.products([(jaxgemm.matmul, (shape(300, 280), shape(280, 260)), {})])[0]
  config = next(each for each in product.configs(100)
                if each["schedule"] == "work_stealing")
  assert product.plan["schedule"] != "work_stealing"
  entry = database.Entry("jaxgemm", config, 300, 1e-5, 2e-5, None, "2026-01-01")
  database.merge(path, {product.key: entry, "of | another | version": entry})
  address = f"localhost:{free_port()}"
  files = (path, tmp_path / "none.json")
  running = [subprocess.Popen(
      [sys.executable, "-c", TWO, address, str(i)], stdout=subprocess.PIPE, text=True,
      env=one_device() | {"JAX_PLATFORMS": "cpu", "JAXGEMM_TUNING": str(files[i])})
      for i in (0, 1)]
  said = [each.communicate(timeout=300)[0] for each in running]
  assert [each.strip().splitlines()[-1] for each in said] == ["chosen work_stealing"] * 2


def test_without_a_named_file_no_process_asks(path, monkeypatch):
  database.merge(path, {"a": database.Entry("xla", {}, 1, 1.0, 1.0, None, "2026-01-01")})
  monkeypatch.setattr(tuned.jax, "process_count", lambda: 2)
  monkeypatch.setattr(tuned, "_entries_of_process_0", lambda: {"asked": None})
  monkeypatch.setattr(database, "shipped", dict)
  assert tuned.entries() == {"asked": None}
  monkeypatch.delenv("JAXGEMM_TUNING")
  assert tuned.entries() == {}


def free_port() -> int:
  import socket
  with socket.socket() as s:
    s.bind(("localhost", 0))
    return s.getsockname()[1]
