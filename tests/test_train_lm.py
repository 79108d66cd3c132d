"""The main job in miniature: it trains, and it notices a product that is wrong."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
TINY = [
    "--steps=4", "--batch_size=2", "--seq_len=32", "--num_layers=1",
    "--embed_dim=64", "--sample_bytes=8",
]


def python(*arguments):
  env = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
  return subprocess.run(
      [sys.executable, *arguments],
      cwd=EXAMPLES, env=env, text=True, capture_output=True, timeout=300,
  )


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_trains_in_jaxgemm_and_agrees_with_jnp(tmp_path, dtype):
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
  # Seven products, each with two more for its gradients, and none left to XLA.
  assert metrics["compiled_step"]["jaxgemm_gemm"] == 21
  assert metrics["compiled_step"]["dot"] == 0
  assert "21 jaxgemm_gemm custom calls" in done.stdout
  for product in metrics["products"]:
    assert product["kernel"] in done.stdout


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
  dot_general = lambda *args, **kw: scale(good.dot_general(*args, **kw))
  return good._replace(dot_general=dot_general)

app.run(functools.partial(train_lm.main, products=scaled(%s)))
"""


@pytest.mark.parametrize("factors", ["1.05, 1.05", "1.0, 1.05"])
def test_a_wrong_product_or_gradient_fails_the_run(tmp_path, factors):
  done = python("-c", BROKEN % factors, *TINY, f"--out_dir={tmp_path}")
  assert done.returncode == 1
  assert "Disagrees before training" in done.stderr
  assert not (tmp_path / "loss.png").exists()
