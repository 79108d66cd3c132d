"""jaxgemm.maxtext with a stand-in that makes MaxText's calls (stand_in/), against float64."""

import functools
import logging
import os
import pathlib
import re
import subprocess
import sys

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import maxtext
from tests.support.compiled import count_calls
from tests.support.environment import FLOAT32_ERROR
from tests.support.paths import ROOT

STAND_IN = pathlib.Path(__file__).parent / "stand_in"
POLICIES = jax.checkpoint_policies
M, K, N, G = 75, 40, 24, 4
SIZES = np.array([13, 0, 41, 20], np.int32)  # one row belongs to no expert


@pytest.fixture
def layer(monkeypatch):
  """The stand-in's module, into which jaxgemm is not yet put."""
  for name in [x for x in sys.modules if x.split(".")[0] == "maxtext"]:
    monkeypatch.delitem(sys.modules, name)
  monkeypatch.syspath_prepend(STAND_IN)
  for name in ("ragged_dot", "ragged_dot_general"):
    monkeypatch.setattr(lax, name, getattr(lax, name))
  logger = logging.getLogger("jaxgemm.maxtext")
  monkeypatch.setattr(logger, "handlers", [])
  monkeypatch.setattr(logger, "propagate", True)
  from maxtext import experts

  yield experts
  for name in [x for x in sys.modules if x.split(".")[0] == "maxtext"]:
    del sys.modules[name]


@pytest.fixture
def ours(layer):
  """The same with jaxgemm's products."""
  maxtext.install()
  return layer


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape) / np.sqrt(shape[-2]), dtype)


def operands(rng, dtype=jnp.float32, m=M):
  return array(rng, m, K, dtype=dtype) * 4, (
      array(rng, G, K, N, dtype=dtype), array(rng, G, K, N, dtype=dtype),
      array(rng, G, N, K, dtype=dtype))


def wide(x):
  return np.asarray(jnp.asarray(x).astype(jnp.float32), np.float64)


def groups(x, sizes):
  ends = np.cumsum(sizes)
  return [x[end - size:end] for size, end in zip(sizes, ends)]


def reference(x, kernels, sizes, ct):
  """The layer's result, and the gradients of sum(ct * result), in float64."""
  x, ct, (gate, up, down) = wide(x), wide(ct), map(wide, kernels)
  out, d_x = np.zeros_like(x), np.zeros_like(x)
  d_kernels = [np.zeros_like(w) for w in (gate, up, down)]
  for i, (rows, of_out, to_out, to_x) in enumerate(zip(
      *(groups(y, sizes) for y in (x, ct, out, d_x)))):
    a, b = rows @ gate[i], rows @ up[i]
    sigmoid = 1 / (1 + np.exp(-a))
    hidden = a * sigmoid * b
    to_out[...] = hidden @ down[i]
    d_hidden = of_out @ down[i].T
    d_a = d_hidden * b * (sigmoid + a * sigmoid * (1 - sigmoid))
    d_b = d_hidden * a * sigmoid
    to_x[...] = d_a @ gate[i].T + d_b @ up[i].T
    for to, left, right in zip(d_kernels, (rows, rows, hidden), (d_a, d_b, of_out)):
      to[i] = left.T @ right
  return out, (d_x, tuple(d_kernels))


def near(given, wanted, tolerance):
  assert given.shape == wanted.shape
  np.testing.assert_allclose(wide(given), wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


def moved_operands(function, *args) -> list[str]:
  """Operands of the kernels that come from a transposition or a copy of a transposition."""
  text = jax.jit(function).lower(*args).compile().as_text()
  calls = re.findall(r" custom-call\((.*?)\), custom_call_target=\"jaxgemm_gemm\"", text)
  assert calls
  return [x for x in calls if re.search("transpose|copy", x)]


TOLERANCES = {jnp.float32: max(1e-5, 4 * FLOAT32_ERROR), jnp.bfloat16: 0.03}


@pytest.mark.parametrize("megablox", [True, False])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_a_layer_and_its_gradients(rng, ours, megablox, dtype):
  options = ours.Options(megablox, dtype)
  x, kernels = operands(rng, dtype)
  ct = array(rng, M, K, dtype=dtype)
  function = lambda x, kernels: ours.experts(x, kernels, SIZES, options)

  def gradients(x, kernels, ct):
    out, back = jax.vjp(function, x, kernels)
    return out, back(ct)

  assert count_calls(gradients, x, kernels, ct) == 9
  assert not moved_operands(gradients, x, kernels, ct)
  out, given = jax.jit(gradients)(x, kernels, ct)
  wanted, of_operands = reference(x, kernels, SIZES, ct)
  near(out, wanted, TOLERANCES[dtype])
  jax.tree.map(functools.partial(near, tolerance=TOLERANCES[dtype]), given, of_operands)


@pytest.mark.parametrize("megablox", [True, False])
@pytest.mark.parametrize("policy, calls", [
    (None, 11),  # the last product's result is not needed again
    (POLICIES.save_only_these_names("mlpwi_0"), 10),
    (POLICIES.save_only_these_names("mlpwi_0", "moe_mlpwi_1"), 9),
], ids=["full", "one product", "two products"])
def test_layers_in_a_scan(rng, ours, megablox, policy, calls):
  options = ours.Options(megablox)
  x, kernels = operands(rng)
  stacked = [jnp.stack([w, w[::-1]]) for w in kernels]
  ct = array(rng, M, K)

  def loss(x, stacked):
    return (ct * ours.layers(x, stacked, SIZES, options, policy)).sum()

  gradient = jax.grad(loss, (0, 1))
  assert count_calls(gradient, x, stacked) == calls
  assert not moved_operands(gradient, x, stacked)
  d_x, d_stacked = jax.jit(gradient)(x, stacked)
  middle = wide(x) + reference(x, kernels, SIZES, ct)[0]
  _, (d_middle, of_last) = reference(middle, [w[1] for w in stacked], SIZES, ct)
  of_middle = wide(ct) + d_middle
  _, (d_first, of_first) = reference(x, kernels, SIZES, of_middle)
  near(d_x, of_middle + d_first, 1e-4)
  for given, *wanted in zip(d_stacked, of_first, of_last):
    near(given, np.stack(wanted), 1e-4)


def dequantized(x):
  return wide(x.qvalue) * wide(x.scale)


def test_float8_as_qwix_quantises_it(rng, ours):
  """All products have operands in float8, of two formats in the backward pass."""
  options = ours.Options(quantization="fp8_full")
  x, (kernel, *_) = operands(rng)
  ct = array(rng, M, N)

  def gradients(x, kernel, ct):
    out, back = jax.vjp(lambda x, w: ours.product(x, w, SIZES, 0, options), x, kernel)
    return out, *back(ct)

  lowered = jax.jit(gradients).lower(x, kernel, ct)
  calls = re.findall(r"@jaxgemm_gemm\(.*\) .*: \((.*?)\) ->", lowered.as_text())
  assert sorted(re.findall(r"f8(\w+)>", call) for call in calls) == [
      ["E4M3FN", "E4M3FN"], ["E4M3FN", "E5M2"], ["E5M2", "E4M3FN"]]
  assert not moved_operands(gradients, x, kernel, ct)
  out, d_x, d_kernel = jax.jit(gradients)(x, kernel, ct)
  left, right = (ours.quantize(a, jnp.float8_e4m3fn, [axis]) for a, axis in ((x, 0), (kernel, 2)))
  a, w = dequantized(left), dequantized(right)
  near(out, np.concatenate([rows @ w[i] for i, rows in enumerate(groups(a, SIZES))]
                           + [np.zeros((1, N))]), 1e-5)
  of_lhs = dequantized(ours.quantize(ct * right.scale.reshape(1, -1), jnp.float8_e5m2, [0]))
  of_rhs = dequantized(ours.quantize(ct * left.scale, jnp.float8_e5m2, [1]))
  near(d_x, np.concatenate([rows @ wide(right.qvalue)[i].T for i, rows in enumerate(
      groups(of_lhs, SIZES))] + [np.zeros((1, K))]), 1e-5)
  near(d_kernel, np.stack([rows.T @ columns for rows, columns in zip(
      groups(wide(left.qvalue), SIZES), groups(of_rhs, SIZES))]), 1e-5)


def sharded(function, in_specs, out_specs, axes, **options):
  mesh = jax.make_mesh(tuple(axes.values()), tuple(axes),
                       axis_types=(jax.sharding.AxisType.Auto,) * len(axes))
  return jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **options)


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("megablox", [True, False])
def test_tokens_on_eight_devices(rng, ours, megablox, check_vma):
  """The weights are the same on all devices. With check_vma=True their gradient needs a psum."""
  options = ours.Options(megablox)
  x, kernels = operands(rng, m=8 * M)
  ct = array(rng, 8 * M, K)
  function = sharded(lambda x, kernels: ours.experts(x, kernels, SIZES, options),
                     (P("x"), P()), P("x"), {"x": 8}, check_vma=check_vma)
  out, back = jax.vjp(jax.jit(function), x, kernels)
  d_x, d_kernels = back(ct)
  parts = [reference(a, kernels, SIZES, b) for a, b in zip(jnp.split(x, 8), jnp.split(ct, 8))]
  near(out, np.concatenate([part[0] for part in parts]), 1e-4)
  near(d_x, np.concatenate([part[1][0] for part in parts]), 1e-4)
  for given, *wanted in zip(d_kernels, *(part[1][1] for part in parts)):
    near(given, np.sum(wanted, 0), 1e-4)


def test_a_ring_of_experts(rng, ours):
  """Each of four devices has all rows, and computes those of one expert, by group_offset."""
  options = ours.Options()
  x, kernels = operands(rng)
  ct = array(rng, M, K)

  def part(x, kernels):
    offset = lax.axis_index("expert")
    return lax.psum(ours.experts(x, kernels, SIZES, options, offset), "expert")

  function = sharded(part, (P(), P("expert")), P(), {"expert": 4}, check_vma=False)
  out, back = jax.vjp(jax.jit(function), x, kernels)
  wanted, of_operands = reference(x, kernels, SIZES, ct)
  near(out, wanted, 1e-4)
  jax.tree.map(functools.partial(near, tolerance=1e-4), back(ct), of_operands)


def test_what_install_says(layer, capsys):
  maxtext.install()
  maxtext.install()
  first, = capsys.readouterr().err.splitlines()
  assert "MaxText 0.2.5 has the grouped products of jaxgemm" in first and "tile options" in first
  for megablox in (True, False):
    options = layer.Options(megablox, jnp.bfloat16)
    x, kernels = operands(np.random.default_rng(0), jnp.bfloat16)
    jax.grad(lambda x: layer.experts(x, kernels, SIZES, options).astype(jnp.float32).sum())(x)
  lines = capsys.readouterr().err.splitlines()
  places = ("maxtext.kernels.megablox.backend.gmm", "maxtext.kernels.megablox.backend.tgmm",
            "jax.lax.ragged_dot")
  assert [line.split(" of ")[0] for line in lines] == [
      f"jaxgemm.maxtext: jaxgemm's kernels compute {place}" for place in places]


def test_what_xla_computes_is_said(layer, capsys):
  maxtext.install()
  with pytest.warns(UserWarning, match="leaves this product to XLA"):
    lax.ragged_dot(jnp.ones((4, 3), jnp.complex64), jnp.ones((1, 3, 2), jnp.complex64),
                   jnp.array([4]))
  assert "XLA computes (lhs has dtype complex64" in capsys.readouterr().err


def test_another_version(layer, capsys, monkeypatch):
  monkeypatch.setattr(maxtext.importlib.metadata, "version", lambda name: "9.9")
  maxtext.install()
  assert "MaxText 0.2.5 was tried with this, and not 9.9" in capsys.readouterr().err


def test_a_version_with_an_argument_that_is_not_known(layer, monkeypatch):
  from maxtext.kernels.megablox import backend

  def gmm(lhs, rhs, group_sizes, sparsity=None):
    del lhs, rhs, group_sizes, sparsity

  monkeypatch.setattr(backend, "gmm", gmm)
  before = lax.ragged_dot
  with pytest.raises(RuntimeError, match="backend.gmm of MaxText 0.2.5 has the arguments sparsity"):
    maxtext.install()
  assert backend.gmm is gmm and lax.ragged_dot is before


PROGRAM = ["-m", "maxtext.train"]


def run(*arguments, **environment):
  """Runs Python with the stand-in, and with the module that JAX calls for JAXGEMM_MAXTEXT."""
  package = pathlib.Path(maxtext.__file__).parent
  paths = os.pathsep.join(map(str, (STAND_IN, ROOT, package)))
  return subprocess.run(
      [sys.executable, *arguments], text=True, capture_output=True, timeout=300, cwd=ROOT,
      env=os.environ | {"PYTHONPATH": paths, "JAX_PLATFORMS": "cpu"} | environment)


def test_a_program_of_maxtext():
  runs = {
      "xla": run(*PROGRAM, "megablox=false"),
      "command": run("-m", "jaxgemm.maxtext", *PROGRAM, "megablox=true"),
      "variable": run(*PROGRAM, "megablox=false", JAXGEMM_MAXTEXT="1"),
  }
  for name, done in runs.items():
    assert done.returncode == 0, done.stderr
    assert ("jaxgemm's kernels compute" in done.stderr) == (name != "xla")
  losses = {name: np.array(done.stdout.split(), float) for name, done in runs.items()}
  assert len(losses["xla"]) == 3 and (np.diff(losses["xla"]) < 0).all()
  for name in ("command", "variable"):
    np.testing.assert_allclose(losses[name], losses["xla"], atol=2e-6)


@pytest.mark.parametrize("before", ["import jax", "import jax, maxtext"])
def test_a_program_that_imports_maxtexts_experts_after_it_has_asked_for_devices(before):
  program = f"{before}; jax.devices(); from maxtext import train; train.main()"
  done = run("-c", program, "megablox=true", JAXGEMM_MAXTEXT="1")
  assert done.returncode == 0, done.stderr
  assert "jaxgemm's kernels compute maxtext.kernels.megablox.backend.gmm" in done.stderr
  assert len(done.stdout.split()) == 3


def test_the_variable_does_nothing_in_other_programs():
  done = run("-c", "import jax; print(len(jax.devices()), jax.lax.ragged_dot.__module__)",
             JAXGEMM_MAXTEXT="1")
  assert done.returncode == 0 and "_src.lax" in done.stdout and "jaxgemm" not in done.stderr


UNKNOWN = """
from maxtext.kernels.megablox import backend
backend.tgmm = lambda lhs, sparsity: None
"""


@pytest.mark.parametrize("use", [
    "from maxtext import train; train.main()",
    "jax.lax.ragged_dot_general(jnp.ones((4, 3)), jnp.ones((1, 3, 2)), jnp.array([4]), None)",
    "backend.gmm(None, None, None)", "backend.tgmm(None, None)"])
def test_what_cannot_be_installed_ends_the_program(use):
  """JAX only logs what it is told while it looks for devices."""
  done = run("-c", f"import jax, jax.numpy as jnp{UNKNOWN}jax.devices()\nprint('on')\n{use}",
             JAXGEMM_MAXTEXT="1")
  assert done.returncode == 1 and done.stdout == "on\n"
  assert re.search("^RuntimeError: JAXGEMM_MAXTEXT is set, and jaxgemm could not be put into "
                   "MaxText. .*backend.tgmm of MaxText 0.2.5 has the arguments sparsity",
                   done.stderr, re.MULTILINE)


def test_what_cannot_be_installed_later_ends_the_program(tmp_path):
  """Here in the import of MaxText's experts, and in each further one."""
  (tmp_path / "backend.py").write_text("gmm = tgmm = lambda lhs, sparsity: None\n")
  program = f"""
import jax, maxtext.kernels.megablox
jax.devices()
maxtext.kernels.megablox.__path__.insert(0, {str(tmp_path)!r})
try:
  import maxtext.kernels.megablox.backend
except RuntimeError:
  print("once")
import maxtext.kernels.megablox.backend
"""
  done = run("-c", program, JAXGEMM_MAXTEXT="1")
  assert done.returncode == 1 and done.stdout == "once\n"
  assert re.search("RuntimeError: .*backend.gmm of MaxText 0.2.5 has the arguments sparsity",
                   done.stderr.splitlines()[-1])


@pytest.mark.parametrize("message, note", [
    ("HLO opcode `ragged-all-to-all` is not supported", "no ragged all-to-all for CPUs"),
    ("INVALID_ARGUMENT: RaggedAllToAll fallback to NCCL is not allowed",
     "--xla_gpu_allow_ragged_all_to_all_nccl_send_recv_fallback=true"),
    ("RESOURCE_EXHAUSTED", None)])
def test_what_xla_does_not_say(tmp_path, message, note):
  program = tmp_path / "program.py"
  program.write_text(f"import sys\nprint(sys.argv)\nraise RuntimeError({message!r})\n")
  done = run("-m", "jaxgemm.maxtext", str(program), "base.yml", "steps=3")
  assert done.returncode == 1 and f"'{program}', 'base.yml', 'steps=3'" in done.stdout
  assert message in done.stderr
  notes = [line for line in done.stderr.splitlines() if "use_ring_of_experts" in line]
  assert len(notes) == (note is not None) and all(note in line for line in notes)
