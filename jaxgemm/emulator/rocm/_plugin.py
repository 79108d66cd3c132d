"""Finds JAX's ROCm plugin, and installs it into a folder of its own.

JAX starts each plugin that it finds when a program first looks for devices. This one then says,
with a traceback, that there is no AMD GPU. So it has a folder that only `start` adds to sys.path;
a plugin that is installed like other packages is found, too. Its names have ROCm's version in them
(xla_rocm7, jax-rocm7-pjrt). They are found by the plugin's entry point, or in what jax requires.
"""

import dataclasses
import importlib.metadata
import pathlib
import re
import subprocess
import sys

_GROUP = "jax_plugins"
COMMAND = "python -m jaxgemm.emulator.rocm --install"


@dataclasses.dataclass(frozen=True)
class Plugin:
  """An installed plugin.

  Attributes:
    versions: the versions of its two packages, by their names. None: the package is missing.
    libraries: its shared libraries that are linked with ROCm's.
    folder: what must be added to sys.path, or None.
  """

  versions: dict[str, str | None]
  libraries: list[pathlib.Path]
  folder: pathlib.Path | None


def own_folder() -> pathlib.Path:
  """The folder of the plugin for this Python environment and this version of JAX."""
  import jaxlib

  name = f"{jaxlib.__version__}-{sys.implementation.cache_tag}"
  return pathlib.Path(sys.prefix, "share", "jaxgemm", "rocm-plugin", name)


def is_for_jaxlib(version: str) -> bool:
  """Whether a plugin of this version is one for the installed jaxlib."""
  import jaxlib

  return version.split(".")[:2] == jaxlib.__version__.split(".")[:2]


def find() -> Plugin | None:
  """The plugin that is installed like other packages, or else the one in `own_folder`."""
  return _find_in(sys.path, None) or _find_in([str(own_folder())], own_folder())


def _find_in(path: list[str], folder: pathlib.Path | None) -> Plugin | None:
  packages: dict[str, importlib.metadata.Distribution] = {}
  for each in importlib.metadata.distributions(path=path):
    if each.name:
      packages.setdefault(re.sub(r"[-_.]+", "-", each.name.lower()), each)
  found = [name for name, package in packages.items()
           if any(point.group == _GROUP and "rocm" in point.name for point in package.entry_points)]
  if not found:
    return None
  # Perhaps there are plugins for two versions of ROCm.
  pjrt = min(found, key=lambda name: not is_for_jaxlib(packages[name].version))
  names = pjrt, pjrt.replace("pjrt", "plugin")
  libraries = [
      pathlib.Path(str(packages[name].locate_file(file))) for name in names if name in packages
      for file in packages[name].files or ()
      if re.fullmatch(r"xla_rocm\w*plugin\.so|rocm\w*plugin_extension\.so", file.name)]
  versions = {name: packages[name].version if name in packages else None for name in names}
  return Plugin(versions, libraries, folder)


def requirements() -> list[str]:
  """What pip installs for this version of JAX, by what its newest ROCm extra requires."""
  required = importlib.metadata.requires("jax") or []
  packages = [each.partition(";")[0].strip() for each in required
              if re.match(r"jax-rocm\d*-plugin\b.*;.*extra == .rocm\d*-local", each)]
  newest = max(packages, default=None,
               key=lambda each: int(re.findall(r"rocm(\d*)", each)[0] or 0))
  if newest is None:
    return []
  return [newest, re.sub("plugin", "pjrt", newest)]


def _of_any_patch(package: str) -> str:
  """The requirement of a package for a version of JAX, without the last numbers of the version."""
  return re.sub(r"==(\d+\.\d+)\..*", r"==\1.*", package)


def install() -> pathlib.Path:
  """Installs the plugin by pip into `own_folder`, and returns that.

  A patch release of JAX may name a plugin that was never released. Then the newest one of the same
  minor version is installed, which JAX takes, too.

  Raises:
    RuntimeError: this version of JAX names no plugin, or pip fails.
  """
  wanted = requirements()
  if not wanted:
    raise RuntimeError("This version of jax names no ROCm plugin in its extras. Install another "
                       "version of jax; docs/guides/virtual-rocm.md has those that were tried.")
  folder = own_folder()

  def pip(packages) -> bool:
    return subprocess.run([sys.executable, "-m", "pip", "install", "--upgrade", "--no-deps",
                           f"--target={folder}", *packages]).returncode == 0

  if not pip(wanted) and not pip(map(_of_any_patch, wanted)):
    raise RuntimeError(f"pip could not install {' and '.join(wanted)} into {folder}. Its message "
                       "is above. Make that folder writable, or pip available.")
  return folder
