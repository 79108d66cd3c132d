"""Kernels with planted faults, for programs of other processes.

    python -m tests.first_light.planted FOLDER TARGET KERNEL=FAULT...

makes a folder with these kernels and a sitecustomize.py, which Python runs when it starts.
Processes that have the folder in PYTHONPATH load these kernels in place of those of the same names.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from jaxgemm import _ffi
from tests.support import amdgpu
from tests.support.paths import ROOT

# The kernels of the build, and in their places those beside this file.
_SITE = """
import pathlib
from jaxgemm import _ffi

here = pathlib.Path(__file__).parent
for target in (here / "planted").iterdir():
  (here / "all" / target.name).mkdir(parents=True, exist_ok=True)
  for file in [*target.iterdir(), *(_ffi.KERNEL_FOLDER / target.name).iterdir()]:
    try:
      (here / "all" / target.name / file.name).symlink_to(file.resolve())
    except FileExistsError:
      pass
_ffi.native.set_kernel_folder(str(here / "all"))
"""
# The bodies of kernels. On AMD GPUs they have the arguments of ffi/kernel/gemm_args.h.
FAULTS = {
    "wrong_result": "",
    "hang": "while (true) { asm volatile(\"s_nop 0\"); }",
    "out_of_bounds": "*(volatile int*)((char*)args.lhs + (1ll << 40)) = 1;",
    "beside_its_operand": "((volatile int*)args.lhs)[-1] = 1;",
}
_SM90_FAULTS = {
    "wrong_result": "",
    "hang": "while (true) __nanosleep(100);",
    "out_of_bounds": "*(volatile int*)16 = 1;",
}
_SOURCE = """
struct Args {{ void* lhs; void* rhs; void* out; char rest[160]; }};
extern "C" __global__ void {name}(Args args) {{ {body} }}
"""


def _of_hopper(kernel: str, fault: str) -> bytes:
  """A cubin with all forms of a kernel."""
  forms = re.findall(r'^JAXGEMM_(?:CLUSTER_SPLIT_K_)?FORM\(\w+, +"\w+", +(\w*),',
                     (ROOT / "ffi/sm90/forms.def").read_text(), re.M)
  assert len(forms) > 5
  names = [kernel + form + multicast for form in forms for multicast in ("", "_multicast")]
  with tempfile.TemporaryDirectory() as folder:
    source, out = (pathlib.Path(folder, name) for name in ("k.cu", "k.cubin"))
    source.write_text("".join(
        f'extern "C" __global__ void {name}() {{ {_SM90_FAULTS[fault]} }}\n' for name in names))
    subprocess.run(["nvcc", "-cubin", "-arch=sm_90a", str(source), "-o", str(out)], check=True)
    return out.read_bytes()


def make(folder: pathlib.Path, target: str, faults: dict[str, str]) -> None:
  """Makes the folder. `faults` has the name of a fault for each kernel."""
  (folder / "planted" / target).mkdir(parents=True)
  for kernel, fault in faults.items():
    place = folder / "planted" / target / kernel
    if target == "sm90":
      place.with_name(f"{kernel}.cubin").write_bytes(_of_hopper(kernel, fault))
    else:
      source = _SOURCE.format(name=kernel, body=FAULTS[fault])
      place.with_name(f"{kernel}.hsaco").write_bytes(amdgpu.compile_hip(source, target))
  (folder / "sitecustomize.py").write_text(_SITE)


def environment(folder: pathlib.Path, target: str, faults: dict[str, str]) -> dict[str, str]:
  """The variables of a process whose kernels have these faults; `folder` is made."""
  make(folder, target, faults)
  path = os.environ.get("PYTHONPATH")
  return {"PYTHONPATH": os.pathsep.join([str(folder), *([path] if path else [])])}


if __name__ == "__main__":
  for each in sys.argv[3:]:
    assert (sys.argv[2], each.partition("=")[0]) in _ffi.NAMES["gpu_kernels"], each
  make(pathlib.Path(sys.argv[1]), sys.argv[2], dict(each.split("=") for each in sys.argv[3:]))
