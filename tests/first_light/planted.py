"""Kernels with planted faults, for programs of other processes.

A folder with a sitecustomize.py, which Python runs when it starts, and kernels: processes that have
the folder in PYTHONPATH load these in place of those of the same names.
"""

import os
import pathlib

from jaxgemm import _ffi
from tests.support import amdgpu

_SITE = """
from jaxgemm import _ffi
_ffi.native.set_kernel_folder({folder!r})
"""
# The bodies of kernels with the arguments of ffi/kernel/gemm_args.h.
FAULTS = {
    "wrong result": "",
    "hang": "while (true) { asm volatile(\"s_nop 0\"); }",
    "out of bounds": "*(volatile int*)((char*)args.lhs + (1ll << 40)) = 1;",
    "beside its operand": "((volatile int*)args.lhs)[-1] = 1;",
}
_SOURCE = """
struct Args {{ void* lhs; void* rhs; void* out; char rest[160]; }};
extern "C" __global__ void {name}(Args args) {{ {body} }}
"""


def environment(folder: pathlib.Path, target: str, faults: dict[str, str]) -> dict[str, str]:
  """Variables for a process whose kernels of these names have these faults.

  Args:
    folder: an empty folder.
    faults: the name of a fault for each kernel.
  """
  (folder / target).mkdir(parents=True)
  for path in (_ffi.KERNEL_FOLDER / target).iterdir():
    (folder / target / path.name).symlink_to(path.resolve())
  for kernel, fault in faults.items():
    file = folder / target / f"{kernel}.hsaco"
    file.unlink()
    file.write_bytes(amdgpu.compile_hip(
        _SOURCE.format(name=kernel, body=FAULTS[fault]), target))
  (folder / "sitecustomize.py").write_text(_SITE.format(folder=str(folder)))
  path = os.environ.get("PYTHONPATH")
  return {"PYTHONPATH": os.pathsep.join([str(folder), *([path] if path else [])])}
