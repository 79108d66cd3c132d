"""The training example in miniature: it trains, and it notices a wrong product."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.support import virtual_rocm
from tests.support.environment import one_device
from tests.support.paths import ROOT

EXAMPLES = ROOT / "examples"
TINY = [
    "--steps=4", "--batch_size=2", "--seq_len=32", "--num_layers=2",
    "--embed_dim=64", "--sample_bytes=8",
]


def python(*arguments):
  return subprocess.run(
      [sys.executable, *arguments],
      cwd=EXAMPLES, env=one_device(), text=True, capture_output=True,
  )


@pytest.mark.parametrize(
    "dtype", ["bfloat16", pytest.param("float32", marks=pytest.mark.whole)])
def test_trains_in_jaxgemm_and_agrees_with_jax(tmp_path, dtype):
  done = python("train_lm.py", *TINY, f"--dtype={dtype}", f"--out_dir={tmp_path}")
  assert done.returncode == 0, done.stderr
  assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
  metrics = json.loads((tmp_path / "metrics.json").read_text())
  assert metrics["steps"] == 4
  assert [c["when"] for c in metrics["agreement"]] == [
      "before training", "after training"
  ]
  for check in metrics["agreement"]:
    assert check["loss_error"] <= check["loss_tolerance"]
    assert check["worst_grad_error"] <= check["grad_tolerance"]
  # There are 14 products, each with two more for its gradients.
  assert metrics["compiled_step"]["jaxgemm_gemm"] == 42
  assert metrics["compiled_step"]["grouped"] == 6
  assert metrics["compiled_step"]["dot"] == 0
  assert "42 jaxgemm_gemm custom calls (6 grouped" in done.stdout
  for product in metrics["products"]:
    assert product["kernel"] in done.stdout
  # Each stage is announced before it begins; no loss is printed before a step.
  said = " ".join(done.stdout.split())
  order = [
      "Trains a byte-level mixture of experts for 4 steps", "Making the parameters",
      "Loss and gradients before training, by jaxgemm ...",
      "before training, by jax's own products ...", "Agrees before training",
      "Compiling the training step", "Compiled train step",
      "Compiling the evaluation", "step 0: held-out loss",
      "after training, by jaxgemm", "Agrees after training", "Writing a sample",
  ]
  assert said.startswith(order[0])
  places = [said.index(line) for line in order]
  assert places == sorted(places)
  assert "nan" not in said
  assert sum(p["calls"] for p in metrics["products"] if p["groups"] == 8) == 2
  assert [step for step, _ in metrics["expert_load"]] == [0, 1, 2, 3, 4]
  for _, (shares,) in metrics["expert_load"]:
    assert len(shares) == 8 and min(shares) >= 0 and sum(shares) == pytest.approx(1)
  for share in metrics["expert_load"][-1][1][0]:
    assert f" {100 * share:.1f} " in done.stdout


@pytest.mark.whole
@pytest.mark.parametrize("dispatch", ["gather", "all_to_all", "overlap"])
def test_trains_on_a_mesh_as_on_one_device(tmp_path, dispatch):
  losses = []
  for mesh in [], ["--mesh=data:2,expert:4", f"--dispatch={dispatch}"]:
    out = tmp_path / str(len(mesh))
    done = python("train_lm.py", *TINY, "--batch_size=8", "--dtype=float32", *mesh,
                  f"--out_dir={out}")
    assert done.returncode == 0, done.stderr
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["compiled_step"]["jaxgemm_gemm"] == 39
    losses.append(metrics["loss"])
  assert "Mesh of 8 devices: 2 along data, 4 along expert" in done.stdout
  np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)


@pytest.mark.parametrize("mesh, said", [
    ("data:2", "one axis is expert"), ("expert:x", "one axis is expert"),
    ("expert:3", "--batch_size=2 is no multiple of 3")])
def test_a_mesh_that_is_not_allowed(tmp_path, mesh, said):
  done = python("train_lm.py", *TINY, f"--mesh={mesh}", f"--out_dir={tmp_path}")
  assert done.returncode != 0 and said in done.stdout + done.stderr


@pytest.mark.whole
@pytest.mark.parametrize("recipe", ["bf16", "fp8_rowwise", "mxfp8"])
def test_parts_of_a_batch(tmp_path, recipe):
  """The first loss is that of the whole batch, and the steps are nearly the same ones."""
  losses = []
  for parts in 1, 2:
    out = tmp_path / str(parts)
    done = python("train_lm.py", *TINY, "--batch_size=4", f"--microbatches={parts}",
                  "--dtype=float32", f"--recipe={recipe}", f"--out_dir={out}")
    assert done.returncode == 0, done.stderr
    losses.append(json.loads((out / "metrics.json").read_text())["loss"])
  np.testing.assert_allclose(losses[1][0], losses[0][0], rtol=1e-5 if recipe == "bf16" else 1e-3)
  # The auxiliary losses are those of a part, and so are the scales of quantised tokens.
  np.testing.assert_allclose(losses[1], losses[0], rtol=2e-3)
  assert losses[1][-1] < losses[1][0]


def test_parts_that_do_not_divide_the_batch(tmp_path):
  done = python("train_lm.py", *TINY, "--microbatches=3", f"--out_dir={tmp_path}")
  assert done.returncode != 0
  assert "--batch_size=2 is no multiple of --microbatches=3" in done.stdout + done.stderr


@pytest.mark.whole
def test_recipes_of_float8_one_after_the_other(tmp_path):
  done = python("train_lm.py", *TINY, "--embed_dim=128", "--recipe=bf16,fp8_blockwise",
                f"--out_dir={tmp_path}")
  assert done.returncode == 0, done.stderr
  assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
  summary = json.loads((tmp_path / "metrics.json").read_text())
  assert list(summary) == ["bf16", "fp8_blockwise"]
  for name, row in summary.items():
    metrics = json.loads((tmp_path / name / "metrics.json").read_text())
    assert metrics["steps"] == row["steps"] == 4
    assert row["training"] == pytest.approx(metrics["loss"][-1])
    assert row["held_out"] == metrics["held_out"][-1][1]
  assert 0.9 < summary["fp8_blockwise"]["training_ratio"] < 1.1
  # The products of the layers' weights are float8 products.
  calls = json.loads((tmp_path / "fp8_blockwise/metrics.json").read_text())
  float8 = [n for call, n in calls["compiled_step"]["calls"].items()
            if call.startswith("f8e4m3fn[")]
  assert sum(float8) == 24


def test_a_recipe_that_is_not_allowed(tmp_path):
  done = python("train_lm.py", *TINY, "--recipe=bf16,fp8", f"--out_dir={tmp_path}")
  assert done.returncode != 0
  assert "one or several of bf16, fp8_tensorwise" in " ".join((done.stdout + done.stderr).split())


@pytest.mark.whole
@virtual_rocm.needs_plugin
def test_trains_on_a_virtual_mi300x_as_on_the_cpu(tmp_path):
  options = [*TINY, "--steps=20"]
  on_cpu = python("train_lm.py", *options, f"--out_dir={tmp_path}/cpu")
  assert on_cpu.returncode == 0, on_cpu.stderr
  done = virtual_rocm.run(
      "--arch=MI300X", "-m", "tests.project.counted_graphs", "examples/train_lm.py", *options,
      f"--out_dir={tmp_path}/rocm", timeout=1200)
  assert done.returncode == 0, done.stderr
  cpu, rocm = (json.loads((tmp_path / name / "metrics.json").read_text())
               for name in ("cpu", "rocm"))
  assert len(rocm["loss"]) == 20 and rocm["loss"][-1] < 0.85 * rocm["loss"][0]
  np.testing.assert_allclose(rocm["loss"], cpu["loss"], rtol=2e-3)
  assert {p["kernel"] for p in rocm["products"]}.isdisjoint(
      p["kernel"] for p in cpu["products"])
  assert rocm["compiled_step"]["jaxgemm_gemm"] == 42 and rocm["compiled_step"]["dot"] == 0
  # XLA runs each step's products and its own kernels in command buffers.
  assert int(done.stdout.split(" graphs")[0].split()[-1]) >= 20


BROKEN = """
import functools
from absl import app
import jax
import byte_lm
import train_lm

good = byte_lm.jaxgemm_products()

def scaled(factor_of_value, factor_of_gradient):
  @jax.custom_vjp
  def scale(x):
    return x * factor_of_value
  scale.defvjp(lambda x: (scale(x), None), lambda _, g: (g * factor_of_gradient,))
  product = getattr(good, "%(name)s")
  broken = lambda *args, **options: scale(product(*args, **options))
  return good._replace(%(name)s=broken)

app.run(functools.partial(train_lm.main, products=scaled(%(factors)s)))
"""


@pytest.mark.parametrize("name, factors", [
    pytest.param("dot_general", "1.05, 1.05", marks=pytest.mark.whole),
    pytest.param("dot_general", "1.0, 1.05", marks=pytest.mark.whole),
    pytest.param("ragged_gated_linear_unit", "1.0, 1.05", marks=pytest.mark.whole),
])
def test_a_wrong_product_or_gradient_fails_the_run(tmp_path, name, factors):
  broken = BROKEN % {"name": name, "factors": factors}
  done = python("-c", broken, *TINY, f"--out_dir={tmp_path}")
  assert done.returncode == 1
  assert "Disagrees before training" in done.stderr
  assert not (tmp_path / "loss.png").exists()
