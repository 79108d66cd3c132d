"""MaxText itself trains tiny models on this package's kernels, where it is installed.

It needs Python 3.12: `pip install maxtext` and what its own installation adds. Each test runs its
program as a user does, and compares the losses with those of `jax.lax.ragged_dot`.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.support.paths import ROOT
from tests.support.virtual_rocm import needs_plugin

SPEC = importlib.util.find_spec("maxtext")
pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(SPEC is None or importlib.util.find_spec("qwix") is None,
                       reason="MaxText is not installed.")]

TINY = {
    "run_name": "tiny", "model_name": "mixtral-8x7b", "override_model_config": "true",
    "base_emb_dim": 64, "base_num_query_heads": 2, "base_num_kv_heads": 2, "base_mlp_dim": 96,
    "base_moe_mlp_dim": 96, "base_num_decoder_layers": 2, "head_dim": 32, "vocab_size": 256,
    "max_target_length": 32, "per_device_batch_size": 1, "steps": 3, "learning_rate": 0.01,
    "dataset_type": "synthetic", "tokenizer_path": "", "enable_checkpointing": "false",
    "attention": "dot_product", "skip_jax_distributed_system": "true",
    "enable_goodput_recording": "false", "monitor_goodput": "false",
    "wi_tile_fwd_batch_seq": 32, "wo_tile_fwd_batch_seq": 32,
}
OTHER_MODELS = {
    "qwen3-30b-a3b": {"base_num_decoder_layers": 2, "num_experts": 8, "num_experts_per_tok": 2},
    "deepseek2-16b": {
        "base_num_decoder_layers": 2, "first_num_dense_layers": 1, "num_experts": 8,
        "num_experts_per_tok": 2, "shared_experts": 1, "kv_lora_rank": 16, "qk_nope_head_dim": 16,
        "qk_rope_head_dim": 16, "v_head_dim": 16},
    "gpt-oss-20b": {"base_num_decoder_layers": 2, "num_experts": 8, "num_experts_per_tok": 2},
}


def train(folder, *prefix, devices=1, hardware="cpu", flags="", **options):
  """(losses, what it printed) of its steps."""
  metrics = folder / "-".join(["metrics", *prefix[1::2]])
  given = TINY | {"hardware": hardware, "base_output_directory": folder,
                  "metrics_file": metrics} | options
  environment = {name: value for name, value in os.environ.items()
                 if name not in ("JAX_PLATFORMS", "XLA_FLAGS")}
  environment |= {"DECOUPLE_GCLOUD": "TRUE", "JAX_ENABLE_COMPILATION_CACHE": "0"}
  if hardware == "cpu":
    environment |= {"JAX_PLATFORMS": "cpu",
                    "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices} {flags}"}
  base = os.path.join(*SPEC.submodule_search_locations, "configs", "base.yml")
  done = subprocess.run(
      [sys.executable, *prefix, "-m", "maxtext.trainers.pre_train.train", base,
       *(f"{name}={value}" for name, value in given.items())],
      text=True, capture_output=True, cwd=folder, env=environment | {"PYTHONPATH": str(ROOT)},
      timeout=1200)
  assert done.returncode == 0, done.stderr[-4000:]
  losses = [json.loads(line)["learning/loss"] for line in metrics.read_text().splitlines()]
  assert len(losses) == given["steps"] and np.isfinite(losses).all()
  return np.array(losses), done.stderr


def compare(folder, tolerance, megablox="true", prefix=(), theirs=None, place="jax.lax.ragged_dot",
            **options):
  """Trains with `jax.lax.ragged_dot` and with this package; the losses have to be near."""
  wanted, _ = train(folder, *prefix, **options | (theirs or {"megablox": "false"}))
  given, printed = train(folder, *prefix, "-m", "jaxgemm.maxtext", megablox=megablox, **options)
  places = ("backend.gmm", "backend.tgmm") if megablox == "true" else (place,)
  for each in places:
    assert f"{each} of " in printed and "XLA computes" not in printed, printed[-4000:]
  np.testing.assert_allclose(given, wanted, rtol=0, atol=tolerance)
  assert wanted[2] < wanted[0]


@pytest.mark.parametrize("megablox", ["true", "false"])
@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-5), ("bfloat16", 5e-3)])
def test_dropless(tmp_path, megablox, dtype, tolerance):
  compare(tmp_path, tolerance, megablox, dtype=dtype)


@pytest.mark.parametrize("megablox, tolerance", [("true", 5e-2), ("false", 5e-3)])
def test_dropless_in_float8(tmp_path, megablox, tolerance):
  """Qwix quantises the products; with megablox=true it has other scales than for lax.ragged_dot."""
  compare(tmp_path, tolerance, megablox, quantization="fp8_full", use_qwix_quantization="true",
          place="jax.lax.ragged_dot_general")


@pytest.mark.parametrize("options", [
    {"remat_policy": "full"}, {"remat_policy": "minimal"},
    {"remat_policy": "custom", "mlpwi_0": "device", "moe_mlpwi_1": "device", "mlpwo": "device"},
    {"scan_layers": "false"}, {"gradient_accumulation_steps": 2}], ids=str)
def test_ways_to_train(tmp_path, options):
  compare(tmp_path, 1e-5, dtype="float32", **options)


@pytest.mark.parametrize("model", OTHER_MODELS)
def test_models(tmp_path, model):
  compare(tmp_path, 1e-4, dtype="float32", model_name=model, **OTHER_MODELS[model])


@pytest.mark.parametrize("options", [
    {"ici_fsdp_parallelism": 8}, {"ici_fsdp_parallelism": 4, "ici_tensor_parallelism": 2},
    {"ici_fsdp_parallelism": 8, "check_vma": "true"}], ids=str)
def test_eight_devices(tmp_path, options):
  compare(tmp_path, 1e-5, dtype="float32", devices=8, **options)


def test_a_ring_of_experts(tmp_path):
  """The same tokens on eight devices, with and without experts on several of them."""
  compare(tmp_path, 1e-4, dtype="float32", devices=8, ici_fsdp_parallelism=2,
          ici_expert_parallelism=4, use_ring_of_experts="true",
          theirs={"megablox": "false", "ici_fsdp_parallelism": 8, "ici_expert_parallelism": 1,
                  "use_ring_of_experts": "false"})


COLLECTIVES = "all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute"
VARIANTS = {  # the options before -m, and MaxText's
    "capacity 1.25": ((), {"sparse_matmul": "false", "megablox": "false", "capacity_factor": 1.25}),
    "lax.ragged_dot": ((), {"megablox": "false"}),
    "megablox=false": (("-m", "jaxgemm.maxtext"), {"megablox": "false"}),
    "megablox=true": (("-m", "jaxgemm.maxtext"), {}),
}


def program_of(folder, *prefix, **options) -> dict[str, int]:
  """How often operations are in a compiled training step, and the bytes of temporary arrays."""
  flags = f"--xla_dump_to={folder} --xla_dump_hlo_module_re=.*train_step.* --xla_dump_hlo_as_text"
  train(folder, *prefix, devices=8, flags=flags, steps=1, ici_fsdp_parallelism=8,
        base_mlp_dim=128, base_moe_mlp_dim=128, max_target_length=128, per_device_batch_size=2,
        wi_tile_fwd_batch_seq=64, wo_tile_fwd_batch_seq=64, **options)
  texts = {path: path.read_text() for path in folder.glob("*after_optimizations.txt")}
  path, text = max(texts.items(), key=lambda x: len(x[1]))
  found = {name: text.count(f" {name}(") for name in (*COLLECTIVES, "transpose", "copy")}
  found["calls"] = text.count('custom_call_target="jaxgemm_gemm"')
  buffers = path.with_name(path.stem + "-buffer-assignment.txt").read_text()
  sizes = re.findall(r"allocation \d+: size (\d+),.* preallocated-temp", buffers)
  found["bytes"] = sum(map(int, sizes))
  return found


def test_the_program_of_a_step(tmp_path, say):
  """benchmarks/results/maxtext-program-cpu.md has the numbers that it says."""
  found = {}
  for name, (prefix, options) in VARIANTS.items():
    folder = tmp_path / name.replace(" ", "_")  # XLA_FLAGS has its path
    folder.mkdir()
    found[name] = program_of(folder, *prefix, **options)
    say(f"{name}: {found[name]}")
  dropping, theirs, *ours = found.values()
  for each in ours:
    assert each["calls"] == 12  # in the body of the scan over layers, with remat
    assert all(each[name] == theirs[name] for name in COLLECTIVES)
    assert each["transpose"] <= theirs["transpose"] and each["copy"] <= theirs["copy"]
    assert each["bytes"] <= 1.5 * dropping["bytes"] and each["bytes"] < theirs["bytes"]


@needs_plugin
@pytest.mark.parametrize("devices, options", [
    (1, {}), (1, {"quantization": "fp8_full", "use_qwix_quantization": "true"}),
    (2, {"ici_expert_parallelism": 2}),
    (2, {"ici_expert_parallelism": 2, "use_ring_of_experts": "true"})], ids=str)
def test_virtual_mi300x(tmp_path, devices, options):
  compare(tmp_path, 5e-2 if "quantization" in options else 5e-3, hardware="gpu",
          prefix=("-m", "jaxgemm.emulator.rocm", f"--devices={devices}"), **options,
          theirs={"megablox": "false", "ici_expert_parallelism": 1, "use_ring_of_experts": "false"})
