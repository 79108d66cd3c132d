"""JAX's own ROCm client on virtual devices.

The tests that run programs need JAX's ROCm plugin, which the extra `test` has.
"""

import json
import os
import re
import subprocess
import sys
import tomllib

import jaxlib
import pytest

import jaxgemm
from jaxgemm.emulator import rocm
from jaxgemm.emulator.rocm import _elf, _plugin
import jaxgemm.flax
from tests.emulator import deviceless_programs
from tests.support.paths import ROOT
from tests.support.virtual_rocm import needs_plugin, run


def check_programs(*names, options=(), of="tests.emulator.virtual_programs", **environment):
  done = run(*options, "-m", of, *names, **environment)
  lines = done.stdout.splitlines()
  for name in names:
    assert f"{name} is right" in lines, done.stdout + done.stderr
  assert done.returncode == 0
  return done


# ------------------------------------------------------------------------- the programs


@needs_plugin
@pytest.mark.parametrize("arch, chip", [
    ("gfx942", "MI300X"), ("gfx950", "MI355X"), ("gfx90a", "MI250X")])
def test_products_in_jit(arch, chip):
  done = check_programs("devices", "schedules", "epilogue", options=[f"--arch={arch}"])
  assert f"1 AMD Instinct {chip} (emulated by jaxgemm)" in done.stdout
  assert f"1 virtual ROCm device(s) ({arch})" in done.stderr
  assert "times mean nothing" in done.stderr


@needs_plugin
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_weights_of_4_bits(arch):
  check_programs("weights_of_4_bits", options=[f"--arch={arch}"])


@needs_plugin
def test_products_between_kernels_of_xla():
  check_programs("gradient", "ragged", "scan", "mixed", "large_sort", "scatter", "routing",
                 "gated_gradients", "gathered_rows", "other_products",
                 "integers_with_a_float_result", "division_of_float64", "serialized", "profiled",
                 "quantized")


@needs_plugin
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_operands_in_mx_formats(arch):
  check_programs("mx", options=[f"--arch={arch}"])


@needs_plugin
def test_programs_on_late_streams():
  check_programs("gradient", "ragged", "scan", "again", "chunked", "routing", "gated_gradients",
                 options=["--stream-seed=7", "--most-delay-us=3000"])


@needs_plugin
@pytest.mark.parametrize("arch, names", [
    ("gfx942", ("functions", "workspace", "accumulate", "scan", "ring")),
    ("gfx950", ("workspace", "accumulate")),
    pytest.param("gfx950", ("functions", "scan", "ring"), marks=pytest.mark.whole)])
def test_what_xla_makes_of_the_functions_without_a_device(arch, names):
  check_programs(*names, of="tests.emulator.deviceless_programs", JAXGEMM_ROCM_ARCH=arch)


# Public names that make no product of their own.
OTHERS = {
    "ChunkedArray", "Explanation", "GemmConfig", "Quantized", "chunk_rows", "explain", "fp8",
    "megablox", "qarray", "quantize", "supports", "tune", "workspace_size", "fp8.Amax",
    "fp8.DelayedScaling", "fp8.PreparedWeight", "fp8.contracted_of_flax", "fp8.originals",
    "fp8.prepare",
    "qarray.Operand", "qarray.operand", "flax.ClampedSwiGLU", "flax.Mlp",
    "flax.MoEParams", "flax.MoEStats", "flax.NodeLimit", "flax.linen",
    "flax.linen.promote_dtype", "flax.load_balancing_loss", "flax.nnx",
    "flax.nnx.OverwriteWithGradient", "flax.nnx.RouterBias", "flax.nnx.overwrite",
    "flax.nnx.promote_dtype",
    "flax.updated_router_bias", "RoutingTable", "checkpoint_policies", "combine", "routing_table",
}


def public(module) -> set[str]:
  """The public names of a module: those of its __all__, or the functions and classes in it."""
  names = getattr(module, "__all__", None) or [
      name for name, value in vars(module).items() if not name.startswith("_")
      and getattr(value, "__module__", None) == module.__name__]
  prefix = module.__name__.removeprefix("jaxgemm").removeprefix(".")
  return {f"{prefix}.{name}".removeprefix(".") for name in names}


def test_every_public_product_is_compiled_without_a_device():
  names = public(jaxgemm)
  for module in (jaxgemm.fp8, jaxgemm.megablox, jaxgemm.qarray, jaxgemm.flax,
                 jaxgemm.flax.linen, jaxgemm.flax.nnx):
    names |= public(module)
  assert deviceless_programs.covered() == names - OTHERS and OTHERS <= names


@needs_plugin
@pytest.mark.parametrize("name", [
    "accumulate", pytest.param("functions", marks=pytest.mark.whole)])
def test_functions_stay_out_of_command_buffers(name):
  check_programs(name, of="tests.emulator.deviceless_programs",
                 JAXGEMM_ROCM_ARCH="gfx942", JAXGEMM_COMMAND_BUFFERS="0")


@needs_plugin
@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("program, operations", [
    ("again", 5), ("routing", 2), ("gated_gradients", 1)])
def test_command_buffers(program, operations, wanted):
  done = check_programs(program, JAXGEMM_COMMAND_BUFFERS=str(int(wanted)),
                        XLA_FLAGS=f"--xla_gpu_graph_min_graph_size={operations}")
  graphs = int(done.stdout.split(" graphs")[0].split()[-1])
  assert graphs > 0 if wanted else graphs == 0


@needs_plugin
def test_export_on_a_cpu_is_loaded_on_the_device(tmp_path):
  path = {"EXPORTED": str(tmp_path / "product")}
  done = subprocess.run([sys.executable, "-m", "tests.emulator.virtual_programs", "export"],
                        cwd=ROOT, env=os.environ | path | {"JAX_PLATFORMS": "cpu"})
  assert done.returncode == 0
  check_programs("exported", **path)


@needs_plugin
def test_second_process_finds_programs_in_the_compilation_cache(tmp_path):
  hits = [int(check_programs(
      "cached", JAX_COMPILATION_CACHE_DIR=str(tmp_path),
      JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0").stdout.split(" hits")[0].split()[-1])
          for _ in range(2)]
  assert hits[0] == 0 < hits[1]


@needs_plugin
@pytest.mark.parametrize("late", [pytest.param([], marks=pytest.mark.whole), ["--stream-seed=3"]])
def test_two_devices(late):
  done = check_programs("devices", "sharded_rows", "sharded_k", "sharded_experts",
                        "collectives", "ring",
                        options=["--devices=2", *late])
  assert done.stdout.startswith("2 ")


@needs_plugin
def test_copies_along_axes_in_any_order():
  check_programs("orders_of_axes", options=["--devices=4"])


@needs_plugin
def test_copies_between_four_devices():
  check_programs("copies", options=["--devices=4", "--stream-seed=5", "--most-delay-us=3000"])


@needs_plugin
@pytest.mark.parametrize("count", [3, pytest.param(8, marks=pytest.mark.whole)])
def test_any_number_of_devices_and_any_size(count):
  check_programs("unequal_parts", options=[f"--devices={count}", "--stream-seed=7"])


@needs_plugin
@pytest.mark.whole  # tests/dense/test_sharding_table.py has it on CPU devices
def test_every_sharding_on_four_devices():
  check_programs("every_sharding", options=["--devices=4"])


def check_random_programs(first, count, *options, **environment):
  done = run(*options, "-m", "tests.support.random_programs", str(first), str(count),
             **environment)
  assert f"{count} programs are right" in done.stdout, done.stdout + done.stderr[-5000:]


@needs_plugin
@pytest.mark.parametrize("options", [
    ["--devices=4", "--stream-seed=11"],
    pytest.param(["--arch=gfx950", "--stream-seed=12"], marks=pytest.mark.whole)])
def test_random_programs(options):
  """Each buffer has an allocation of its own, so that a guard page follows it."""
  check_random_programs(300, 3, *options, XLA_PYTHON_CLIENT_ALLOCATOR="platform")


@needs_plugin
@pytest.mark.whole
@pytest.mark.parametrize("batch", range(50))
def test_a_thousand_random_programs(batch):
  arch = ("gfx942", "gfx942", "gfx950")[batch % 3]
  allocator = ("platform", "default")[batch % 2]
  check_random_programs(1000 + 20 * batch, 20, "--devices=4", f"--arch={arch}",
                        f"--stream-seed={batch}", XLA_PYTHON_CLIENT_ALLOCATOR=allocator)


# ------------------------------------------------------------------------ XLA's own kernels

# Some of the programs of each kind, among them those that once ended the process.
PROGRAMS = ("^linspace$", "^matmul_highest_64x16x8$", "^sin_of_large_f64$", "^matmul_float64$",
            "^scatter_max_int64$", "^sort_float16$", "^argmax_over_1$", "^random_normal$",
            "^cumsum$", "^lax_erf_inv_f32$", "^linalg_cholesky$", "^fft$", "^power_f32$", "^conv$")


@needs_plugin
@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx90a"])
def test_kernels_of_xla(arch):
  done = run(f"--arch={arch}", "-m", "tests.emulator.xla_programs", "--together=6", *PROGRAMS)
  assert done.returncode == 0, done.stdout + done.stderr
  assert re.search("programs on .* 11 right, 3 refused, 0 WRONG", done.stdout), done.stdout
  # Cholesky, convolutions and FFTs are of libraries that have no stand-in.
  refused = re.findall(r"(?im)^(\w+) refused: .*(?:hip|miopen|fft)", done.stdout)
  assert sorted(refused) == ["conv", "fft", "linalg_cholesky"]


@needs_plugin
@pytest.mark.whole
@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx90a"])
def test_all_kernels_of_xla(arch):
  done = run(f"--arch={arch}", "-m", "tests.emulator.xla_programs", "--together=24", timeout=3600)
  assert done.returncode == 0, done.stdout + done.stderr


# ----------------------------------------------------------------------- planted faults


READ = "v_mfma.*is read while the LDS read that writes it is outstanding"
LOADED = "is read while the vector memory load that writes it is outstanding"
# On gfx950 operands are loaded to the LDS, and pass through no register.
LOADED_TO_LDS = "LDS race .*loads from global memory, but .*s_waitcnt vmcnt"


@needs_plugin
@pytest.mark.parametrize("fault, arch, report", [
    ("missing_lds_wait", "gfx942", READ), ("missing_lds_wait", "gfx950", READ),
    ("missing_load_wait", "gfx942", LOADED),
    ("missing_load_wait", "gfx950", LOADED_TO_LDS),
])
def test_missing_wait_in_a_kernel_is_found(fault, arch, report):
  check_planted_fault(fault, report, f"--arch={arch}")


@needs_plugin
@pytest.mark.parametrize("fault, report", [
    ("small_workspace", r"the workspace has (\d+) bytes; this plan needs uint8\[\d+\]"),
    ("allocation_in_capture", "Failed to end stream capture: .*StreamCaptureInvalidated"),
    ("wrong_stream", "Mismatched elements"),
    ("unknown_instruction", r"Traceback.*Error: .*kernel gemm_bfloat16\w+\+0x\w+: the emulator "
                            "cannot execute this: s_sethalt"),
])
def test_planted_fault_is_found(fault, report):
  # With this delay the reader runs before the wrong stream writes, even on a busy machine.
  late = ["--most-delay-us=50000"] if fault == "wrong_stream" else []
  check_planted_fault(fault, report, *late)


def check_planted_fault(fault, report, *options):
  done = run("--stream-seed=5", *options, "-m", "tests.emulator.planted_faults", fault)
  assert done.stdout == "right without the fault\n", done.stdout + done.stderr
  assert done.returncode != 0 and re.search(report, done.stderr, re.DOTALL), done.stderr


# ----------------------------------------------------------------------------- commands


@needs_plugin
def test_tuning_times_on_virtual_devices_what_no_real_one_takes(tmp_path):
  shapes, kept = tmp_path / "shapes.json", tmp_path / "kept.json"
  shapes.write_text('[{"m": 128, "n": 128, "k": 128}]')
  done = run("-m", "jaxgemm.tune", str(shapes), "--workers=1", JAXGEMM_TUNING=str(kept))
  assert done.returncode == 0, done.stderr
  # The worker prints this line, too.
  assert done.stderr.count("1 virtual ROCm device(s) (gfx942)") == 2
  (key, entry), = json.loads(kept.read_text())["entries"].items()
  assert key.startswith("gfx942 304 virtual | ")
  assert entry["seconds"] <= entry["plan_seconds"] and entry["xla_seconds"] > 0


@needs_plugin
@pytest.mark.whole
def test_benchmark(tmp_path):
  done = run("-m", "benchmarks", "train_step", "--tokens=16", "--cases=8", "--rounds=3",
             f"--json={tmp_path}/rows.json", JAX_PLATFORMS="rocm,cpu", timeout=600)
  assert done.returncode == 0, done.stderr
  row, = json.loads((tmp_path / "rows.json").read_text())["rows"]
  errors = row["candidates"]["jaxgemm.ragged_dot"]["errors"]
  assert len(row["candidates"]) == len(errors) - 2 == 2 and max(errors.values()) < 0.02


@needs_plugin
@pytest.mark.whole
@pytest.mark.parametrize("suite, problem, options, rows", [
    ("dense", {"m": 64, "n": 64, "k": 64}, [], 1),
    ("stream_k", {"m": 64, "n": 64, "k": 512}, ["--runs=3"], 1),
    ("grouped", {"m": 64, "n": 64, "k": 64, "groups": 2}, ["--routings=balanced"], 3),
    ("cu_sweep", {"m": 64, "n": 64, "k": 64}, [], 6),  # five numbers of CUs; the first is steal
    ("chunked", {"m": 512, "n": 64, "k": 64}, [], 3),
    ("tuned", None, ["--num_products=1", "--most=128"], 1),
])
def test_benchmark_suites(tmp_path, suite, problem, options, rows):
  if problem:
    (tmp_path / "problems.json").write_text(json.dumps([problem]))
    options = [*options, f"--problems={tmp_path}/problems.json"]
  done = run("-m", "benchmarks", suite, "--rounds=3", f"--json={tmp_path}/rows.json", *options,
             timeout=600)
  assert done.returncode == 0, done.stdout + done.stderr
  found = json.loads((tmp_path / "rows.json").read_text())["rows"]
  assert len(found) == rows
  assert all("row" not in row.get("missing", ()) for row in found)


# ------------------------------------------------------------------------------- errors


def make_plugin(folder, rocm_version, version, extension=True):
  """Makes the files of an installed plugin that are looked at, without libraries."""
  def package(name, files, points=""):
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    (info / "entry_points.txt").write_text(points)

  name = f"rocm{rocm_version}"
  package(f"jax-{name}-pjrt", [f"jax_plugins/xla_{name}/xla_rocm_plugin.so"],
          f"[jax_plugins]\nxla_{name} = jax_plugins.xla_{name}\n")
  if extension:
    package(f"jax-{name}-plugin", [f"jax_{name}_plugin/rocm_plugin_extension.so",
                                   f"jax_{name}_plugin/_solver.so"])


@pytest.fixture
def path(monkeypatch, tmp_path):
  """A folder that takes the place of those where plugins are looked for."""
  monkeypatch.setattr(sys, "path", [str(tmp_path)])
  monkeypatch.setattr(_plugin, "own_folder", lambda: tmp_path / "own")
  monkeypatch.setattr(_plugin, "requirements",
                      lambda: ["jax-rocm10-plugin==1.0.*", "jax-rocm10-pjrt==1.0.*"])
  return tmp_path


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("rocm_version", ["7", "10", ""])
def test_plugin_is_found_by_its_entry_point(path, rocm_version, own):
  folder = path / "own" if own else path
  make_plugin(folder, rocm_version, jaxlib.__version__)
  plugin = rocm._check_versions()
  assert plugin.libraries == [
      folder / f"jax_plugins/xla_rocm{rocm_version}/xla_rocm_plugin.so",
      folder / f"jax_rocm{rocm_version}_plugin/rocm_plugin_extension.so"]
  assert plugin.folder == (folder if own else None)


def test_plugin_of_jaxs_version_among_two(path):
  make_plugin(path, "7", "0.9.1")
  make_plugin(path, "10", jaxlib.__version__)
  assert set(rocm._check_versions().versions) == {"jax-rocm10-pjrt", "jax-rocm10-plugin"}


def test_plugin_that_is_not_installed(path):
  with pytest.raises(rocm.VirtualRocmError,
                     match="jax-rocm10-plugin==1.0.* is missing.*rocm --install"):
    rocm._check_versions()
  make_plugin(path, "7", jaxlib.__version__, extension=False)
  with pytest.raises(rocm.VirtualRocmError,
                     match=": jax-rocm7-plugin is missing.*rocm --install"):
    rocm._check_versions()


def test_plugin_of_another_version(path):
  make_plugin(path, "7", "0.9.1")
  with pytest.raises(
      rocm.VirtualRocmError,
      match=rf"jaxlib is {jaxlib.__version__}, .* jax-rocm7-plugin 0\.9\.1.*rocm --install"):
    rocm._check_versions()


def test_plugin_is_installed_where_other_programs_do_not_find_it(path, monkeypatch):
  called = []
  monkeypatch.setattr(subprocess, "run", lambda command: (
      called.append(command) or make_plugin(path / "own", "10", jaxlib.__version__)
      or subprocess.CompletedProcess(command, 0)))
  assert _plugin.install() == path / "own"
  command, = called
  assert f"--target={path / 'own'}" in command and "--no-deps" in command
  assert command[-2:] == _plugin.requirements()
  assert rocm._check_versions().folder == path / "own" and sys.path == [str(path)]
  monkeypatch.setattr(subprocess, "run", lambda command: subprocess.CompletedProcess(command, 1))
  with pytest.raises(RuntimeError, match="pip could not install jax-rocm10-plugin"):
    _plugin.install()


def test_a_patch_of_jax_takes_the_plugin_of_its_minor_version(path, monkeypatch):
  # jax 0.12.0.1 names jax-rocm7-plugin==0.12.0.1.*, and there is 0.12.0 only.
  monkeypatch.setattr(_plugin, "requirements", lambda: [
      "jax-rocm7-plugin==0.12.0.1.*", "jax-rocm7-pjrt==0.12.0.1.*"])
  called = []
  monkeypatch.setattr(subprocess, "run", lambda command: (
      called.append(command[-2:]) or subprocess.CompletedProcess(command, len(called) == 1)))
  _plugin.install()
  assert called[1:] == [["jax-rocm7-plugin==0.12.*", "jax-rocm7-pjrt==0.12.*"]]


def test_jax_names_its_plugin():
  assert [re.sub(r"rocm\d*|==.*", "", each) for each in _plugin.requirements()] == [
      "jax--plugin", "jax--pjrt"]


def test_an_environment_for_tests_has_no_plugin_that_other_programs_find():
  extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
  assert not re.search("rocm", " ".join(extras["test"] + extras["docs"] + extras["examples"]))


def test_real_rocm_is_not_shadowed(monkeypatch, tmp_path):
  (tmp_path / "libamdhip64.so.7").touch()
  monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
  with pytest.raises(rocm.VirtualRocmError, match="libamdhip64.so.7.*--over-real-rocm"):
    rocm._check_no_real_rocm()


def test_jax_that_looked_for_devices_already():
  import jax

  assert jax.devices()
  with pytest.raises(rocm.VirtualRocmError, match="has looked for devices already"):
    rocm._check_not_initialized()


def test_plugin_that_needs_what_there_is_no_stand_in_for(monkeypatch, tmp_path):
  plugin, real = tmp_path / "plugin.so", _elf.read
  new = _elf.Dynamic(frozenset({"libamdhip64.so.7", "libc.so.6", "libnew.so.1"}), frozenset(),
                     frozenset({"hipMalloc", "hipNewFunction"}))
  monkeypatch.setattr(_elf, "read", lambda path: new if path == plugin else real(path))
  with pytest.raises(
      rocm.VirtualRocmError,
      match="needs libraries libnew.so.1 and functions hipNewFunction, which"):
    rocm._check_libraries([plugin], rocm.library_folder())


def test_library_is_read_as_the_loader_does():
  hip = _elf.read(rocm.library_folder() / "libamdhip64.so.7")
  assert {"hipMalloc", "hipGraphLaunch", "__hipRegisterFatBinary"} <= hip.defined
  assert "libc.so.6" in hip.needed and not hip.undefined
  rccl = _elf.read(rocm.library_folder() / "librccl.so.1")
  assert "libamdhip64.so.7" in rccl.needed and "hipLaunchHostFunc" in rccl.undefined
  with pytest.raises(ValueError, match="not a 64-bit"):
    _elf.read(ROOT / "README.md")


def test_nothing_is_loaded_by_importing():
  code = ("import jaxgemm.emulator.rocm\n"
          "assert 'amdhip64' not in open('/proc/self/maps').read()\n")
  assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@needs_plugin
@pytest.mark.parametrize("platforms", ["", "cpu", "rocm"])
def test_plugin_says_that_there_is_no_gpu_only_if_rocm_is_wanted(platforms):
  code = "import jaxgemm, jax\nprint(jax.devices()[0].platform)\n"
  path = {"PYTHONPATH": str(plugin.folder)} if (plugin := _plugin.find()).folder else {}
  done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                        env=os.environ | path | {"JAX_PLATFORMS": platforms})
  assert ("No AMD GPUs were found" in done.stderr) == (platforms == "rocm"), done.stderr
  assert done.stdout == ("" if platforms == "rocm" else "cpu\n")


@needs_plugin
def test_errors_of_the_command():
  done = run("--arch=MI999", "-m", "tests.emulator.virtual_programs", "devices")
  assert done.returncode == 1 and "There is no chip \"MI999\"" in done.stderr
  assert "Traceback" not in done.stderr
