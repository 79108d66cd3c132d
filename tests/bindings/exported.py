"""Exported programs of each version of the call, in tests/data/exported-<version>.zip.

Run `python -m tests.bindings.exported` when kCallVersion (ffi/spec/problem.h) has been raised. It
writes the file of this build's version. Files of older versions stay as they are.
"""

import io
import re
import zipfile

import jax
from jax import export
import jax.numpy as jnp
import numpy as np

import jaxgemm
from tests.support.paths import ROOT

FOLDER = ROOT / "tests" / "data"
GROUP_SIZES = np.array([0, 33, 1, 30], np.int32)
_ALLOW = [export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")]


def _normal(seed: int, *shape) -> jax.Array:
  return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.bfloat16)


def _with_bias(lhs, rhs, bias):
  return jaxgemm.matmul(lhs, rhs, bias=bias, activation="relu")


def _stream_k(lhs, rhs):
  return jaxgemm.matmul(lhs, rhs, config=jaxgemm.GemmConfig(schedule="stream_k"))


def _ragged(lhs, rhs):
  return jaxgemm.ragged_dot(lhs, rhs, GROUP_SIZES)


def _emulated(lhs, rhs):
  return jaxgemm.matmul(lhs, rhs, implementation="emulated:gfx942")


# Each program with the shapes of its operands.
PROGRAMS = {
    "with_bias": (_with_bias, [(37, 96), (96, 64), (64,)]),
    "stream_k": (_stream_k, [(64, 2048), (2048, 64)]),
    "ragged": (_ragged, [(64, 48), (4, 48, 32)]),
    "emulated": (_emulated, [(96, 64), (64, 128)]),
}


def operands(name: str) -> list[jax.Array]:
  return [_normal(seed, *shape) for seed, shape in enumerate(PROGRAMS[name][1])]


def reference(name: str) -> np.ndarray:
  """The program's result in float64."""
  lhs, rhs, *bias = (np.asarray(x, np.float64) for x in operands(name))
  if name == "ragged":
    group_of_row = np.repeat(np.arange(len(GROUP_SIZES)), GROUP_SIZES)
    return np.einsum("mk,mkn->mn", lhs, rhs[group_of_row])
  return np.maximum(lhs @ rhs + bias[0], 0) if bias else lhs @ rhs


def version() -> int:
  """The version of the calls that this build makes."""
  text = jax.jit(_with_bias).lower(*operands("with_bias")).as_text()
  return int(re.search(r"call_version = (\d+)", text)[1])


def write() -> None:
  path = FOLDER / f"exported-{version()}.zip"
  with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, (program, _) in PROGRAMS.items():
      exported = export.export(jax.jit(program), platforms=["cpu"], disabled_checks=_ALLOW)
      archive.writestr(name, bytes(exported(*operands(name)).serialize()))
  print(path)


def read(path) -> dict[str, export.Exported]:
  archive = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
  return {name: export.deserialize(bytearray(archive.read(name))) for name in archive.namelist()}


if __name__ == "__main__":
  write()
