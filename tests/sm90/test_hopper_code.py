"""The machine code of Hopper's kernels has properties that ptxas does not promise. The tests
need a build with these kernels, and CUDA's or Triton's cuobjdump.
"""

import functools
import importlib.util
import pathlib
import re
import shutil
import subprocess

import pytest

from jaxgemm import _ffi


def _cuobjdump() -> str | None:
  folders = [None, "/usr/local/cuda/bin"]
  if triton := importlib.util.find_spec("triton"):
    folders += [pathlib.Path(each) / "backends/nvidia/bin"
                for each in triton.submodule_search_locations]
  return next(filter(None, (shutil.which("cuobjdump", path=folder)
                            for folder in folders)), None)


KERNELS = sorted(name for name in _ffi.built_kernels("sm90")
                 if re.match("gemm_(bfloat16_|float8_e4m3fn_float8_e5m2.*_rcr)", name))
# The fast forms of a kernel.
FIRST_LOADS = ("plain", "pingpong", "peers", "fused", "fused_pingpong")
MULTICAST = "peers_multicast"
FORMS = (*FIRST_LOADS, MULTICAST, "grouped", "grouped_vectors", "grouped_wide", "grouped_gated",
         "few_rows", "claimed", "quantized", "grouped_quantized")

pytestmark = pytest.mark.skipif(
    not KERNELS or not _cuobjdump(),
    reason="needs a build with kernels for sm90, and cuobjdump")


@functools.cache
def functions(kernel: str) -> dict[str, list[str]]:
  """The opcodes of each fast form of a kernel, in order."""
  listing = subprocess.run(
      [_cuobjdump(), "-sass", _ffi.KERNEL_FOLDER / "sm90" / f"{kernel}.cubin"],
      check=True, text=True, stdout=subprocess.PIPE).stdout
  found = {}
  for part in listing.split("Function : ")[1:]:
    form = part.split(None, 1)[0].removeprefix(kernel).removeprefix("_")
    found[form] = re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z]\w*)",
                             part, re.MULTILINE)
  # A form without code of its own has a line or two.
  return {form: code for form, code in found.items() if form in FORMS and multiplies(code)}


def multiplies(code: list[str]) -> list[int]:
  """Positions of the wgmmas: HGMMA for 16 bits, QGMMA for 8."""
  return [i for i, name in enumerate(code) if name in ("HGMMA", "QGMMA")]


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_main_loop_is_short(kernel):
  """Uniform instructions compute the descriptors of wgmma's operands, because single moves from
  vector registers would let the tensor cores wait. No register is spilled.
  """
  forms = functions(kernel)
  assert "plain" in forms or "peers" in forms
  for form, code in forms.items():
    loop = multiplies(code)
    assert not {"R2UR", "STL", "LDL"} & set(code[loop[0]:loop[-1]]), form


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_first_load_comes_soon(kernel):
  """Few instructions may come before the first load, because new code is fetched slowly. The
  number depends on the version of nvcc.
  """
  for form, code in functions(kernel).items():
    if form in (*FIRST_LOADS, MULTICAST):
      assert code.index("UTMALDG") <= (190 if form == MULTICAST else 160), form
