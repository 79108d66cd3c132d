"""The native module: its custom call targets, plans and dtypes."""

import functools
import os
import pathlib

import jax
import jax.numpy as jnp

from jaxgemm import _jaxgemm as native

NAMES = native.names()
ROCM_ARCHS, CUDA_ARCHS = (
    tuple(name for name, platform in NAMES["targets"].items() if platform == wanted)
    for wanted in ("rocm", "cuda"))
# The targets whose kernels read the scales of MX formats (others get them as float32), and those
# that read float8 in the FNUZ formats.
MX_TARGETS, FNUZ_TARGETS = NAMES["mx_targets"], NAMES["fnuz_targets"]
OPERAND_DTYPES = frozenset(map(jnp.dtype, NAMES["operand_dtypes"]))
OUT_DTYPES = frozenset(map(jnp.dtype, NAMES["out_dtypes"]))


def _is_on(name: str, given: str, off: str) -> bool:
  """Whether a switch is on. `off` says what 0 does, for the error about another value."""
  if given not in ("0", "1"):
    raise ValueError(
        f"{name} is {given!r}; allowed are 0 and 1. Set it to 0 to {off}, or unset it.")
  return given == "1"


def _command_buffers() -> bool:
  return _is_on("JAXGEMM_COMMAND_BUFFERS", os.environ.get("JAXGEMM_COMMAND_BUFFERS", "1"),
                "keep GPU calls out of XLA's command buffers")


# Whether the devices of one process may copy from each other by calls of this package.
PEER_COPIES = _is_on(
    "JAXGEMM_PEER_COPIES", os.environ.get("JAXGEMM_PEER_COPIES", "1"),
    "let XLA send what travels between the GPUs of one process")

for _platform, _targets in native.registrations(_command_buffers()).items():
  for _name, _handler in _targets.items():
    # jax accepts a target for a platform that is registered later, or never.
    jax.ffi.register_ffi_target(_name, _handler, platform=_platform, api_version=1)

# The build puts the kernels beside the native module. An editable installation has the sources in
# another folder.
KERNEL_FOLDER = pathlib.Path(native.__file__).with_name("kernels")
native.set_kernel_folder(str(KERNEL_FOLDER))


@functools.cache
def _code_objects(target_name: str) -> frozenset[str]:
  return frozenset(
      path.stem for path in (KERNEL_FOLDER / target_name).glob("*")
      if path.suffix in (".hsaco", ".cubin"))


@functools.cache
def built_kernels(target_name: str) -> frozenset[str]:
  """The names of a GPU target's kernels of products that this build has."""
  return frozenset(name for name in _code_objects(target_name) if name.startswith("gemm_"))


def is_built(target_name: str, name: str) -> bool:
  """Whether this build has a GPU target's code object of another name than those of products."""
  return name in _code_objects(target_name)


@functools.cache
def platforms() -> frozenset[str]:
  """The platforms for which this build has kernels. Programs can be lowered for others, too."""
  archs = {"rocm": ROCM_ARCHS, "cuda": CUDA_ARCHS}
  return frozenset(
      ["cpu", *(name for name in archs if any(map(built_kernels, archs[name])))])


def default_platform() -> str:
  """The platform of a computation that is not placed on a device."""
  # mypy does not see the options of jax.config, which jax defines at run time.
  device = jax.config.jax_default_device  # type: ignore[attr-defined]
  if device is None:
    platform = jax.default_backend()
  else:
    platform = getattr(device, "platform", device)
  if platform != "gpu":
    return platform
  return "rocm" if "rocm" in jax.devices()[0].client.platform_version else "cuda"


def _local_arch(platform: str) -> str | None:
  """The architecture of this process's GPUs, such as "sm90", or None if it has none of these."""
  if platform == "cpu" or default_platform() != platform:
    return None
  capability = jax.devices(platform)[0].compute_capability
  # AMD: "gfx942", or with features: "gfx942:sramecc+:xnack-". NVIDIA: "9.0".
  return capability.split(":")[0] if platform == "rocm" else "sm" + capability.replace(".", "")


def target_of(name: str) -> str | None:
  """The target that a name means: that of a target ("gfx942"), or of a chip that has it ("MI300A").

  It is None if the name is unknown.
  """
  return name if name in NAMES["targets"] else NAMES["chips"].get(name, (None, 0))[0]


# The names of AMD's targets and chips, which are allowed wherever one of these is named.
ROCM_NAMES = (*ROCM_ARCHS, *(name for name, (of, _) in NAMES["chips"].items() if of in ROCM_ARCHS))


@functools.cache
def _wanted_rocm_arch() -> str | None:
  """JAXGEMM_ROCM_ARCH. It is read once, because jax keeps programs that were lowered for it."""
  return os.environ.get("JAXGEMM_ROCM_ARCH") or None


def chip(target_name: str) -> str:
  """The name of the chip that plans are made for, or the target's name if it is unknown.

  Chips with the same number of compute units may differ in memory and frequency. The name
  is that in JAXGEMM_ROCM_ARCH, or part of the device's kind ("AMD Instinct MI325X", "NVIDIA
  H100 80GB HBM3").
  """
  platform = NAMES["targets"][target_name]
  wanted = _wanted_rocm_arch() if platform == "rocm" else None
  if wanted is not None:
    return chip_in(wanted, target_name)
  return own_chip(target_name) or target_name


def own_chip(target_name: str) -> str | None:
  """The chip of this process's GPUs, as `chip`, whatever JAXGEMM_ROCM_ARCH says.

  It is None if they are not of this target.
  """
  if _local_arch(NAMES["targets"][target_name]) != target_name:
    return None
  return chip_in(jax.devices()[0].device_kind, target_name)


def chip_in(kind: str, target_name: str) -> str:
  """The chip of this target whose name is in a device's kind, or the target's name."""
  words = set(kind.split())
  known = [name for name, (of, _) in NAMES["chips"].items()
           if of == target_name and words.issuperset(name.split())]
  return max(known, key=len, default=target_name)


def num_cus(target_name: str) -> int:
  """The number of compute units or multiprocessors that plans are made for.

  It is the number of this process's devices, or of the chip that JAXGEMM_ROCM_ARCH names.
  It is 0 if there is no such device; plans are then made for the target's first chip.
  """
  platform = NAMES["targets"][target_name]
  wanted = _wanted_rocm_arch() if platform == "rocm" else None
  if wanted in NAMES["chips"]:
    of, count = NAMES["chips"][wanted]
    return count if of == target_name else 0
  if _local_arch(platform) != target_name:
    return 0
  return getattr(jax.devices()[0], "core_count", 0)


def target(platform: str) -> str:
  """The plan's target for a lowering platform ("cpu", "cuda" or "rocm").

  For CUDA it is the architecture of this process's GPUs, or sm90 without one. For ROCm
  it is what the environment variable JAXGEMM_ROCM_ARCH named at the first call of this
  function, an architecture ("gfx942") or a chip ("MI308X"). If the variable is not set,
  it is the architecture of this process's GPUs, or gfx942 without one.

  Raises:
    ValueError: there are no kernels for that architecture, or the variable has changed.
  """
  if platform == "cuda":
    arch = _local_arch("cuda") or CUDA_ARCHS[0]
    if arch not in CUDA_ARCHS:
      raise ValueError(
          f"the GPU's architecture is {arch!r}; allowed are {', '.join(CUDA_ARCHS)}. "
          "Pass implementation='xla'."
      )
    return arch
  if platform != "rocm":
    return platform
  wanted, now = _wanted_rocm_arch(), os.environ.get("JAXGEMM_ROCM_ARCH") or None
  if wanted != now:
    was, now = ("unset" if x is None else repr(x) for x in (wanted, now))
    raise ValueError(
        f"JAXGEMM_ROCM_ARCH is {now}, and was {was} when this process first planned a "
        "product for ROCm. It is read once, because jax keeps programs that it has lowered. "
        "Lower for another architecture in another process.")
  source = "JAXGEMM_ROCM_ARCH is"
  if wanted is None:
    wanted = _local_arch("rocm") or ROCM_ARCHS[0]
    source = "the GPU's architecture is"
  found = target_of(wanted)
  if found is None or found not in ROCM_ARCHS:
    raise ValueError(
        f"{source} {wanted!r}; allowed are {', '.join(ROCM_NAMES)}. Set JAXGEMM_ROCM_ARCH to the "
        "architecture of the GPUs that will run the program, or pass implementation='xla'.")
  return found


# Architecture and number of this process's virtual GPUs; jaxgemm.emulator.rocm sets it.
virtual_gpus: tuple[str, int] | None = None


@functools.lru_cache(maxsize=4096)
def native_plan(problem: tuple, config: tuple, target_name: str, cus: int = 0,
                chip_name: str | None = None) -> dict:
  """The native plan of a problem. Its entry "built" says whether this build has the kernel.

  Args:
    problem: pairs of name and value: the lines JAXGEMM_PROBLEM of ffi/spec/call_schema.def.
    config: the same for the lines JAXGEMM_CONFIG.
    target_name: "cpu", "gfx942", "gfx950", "gfx90a" or "sm90".
    cus: see `num_cus`.
    chip_name: see `chip`.

  Raises:
    ValueError: the problem or the config does not fit the target.
  """
  for name, value in problem:
    if isinstance(value, int) and value >= 2**63:
      raise ValueError(
          f"{name} is {value}; sizes below 2**63 are allowed. Split the product.")
  chosen = native.plan(dict(problem), dict(config), chip_name or target_name, cus)
  chosen["built"] = (
      target_name == "cpu" or chosen["kernel"] in built_kernels(target_name))
  return chosen
