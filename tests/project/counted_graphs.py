"""Runs a program on virtual devices, and then prints how many HIP graphs have run:

    python -m jaxgemm.emulator.rocm -m tests.project.counted_graphs PROGRAM ARGUMENTS...
"""

import atexit
import pathlib
import runpy
import sys

from jaxgemm.emulator import rocm

if __name__ == "__main__":
  atexit.register(lambda: print(rocm.count_graphs(), "graphs"))
  del sys.argv[0]
  sys.path.insert(0, str(pathlib.Path(sys.argv[0]).parent))
  runpy.run_path(sys.argv[0], run_name="__main__")
