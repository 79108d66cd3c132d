"""Runs a program with virtual AMD GPUs; see `jaxgemm.emulator.rocm`."""

import argparse
import runpy
import sys

from jaxgemm.emulator import rocm
from jaxgemm.emulator.rocm import _plugin


def main() -> None:
  parser = argparse.ArgumentParser(
      prog="python -m jaxgemm.emulator.rocm",
      description="Runs a Python program with virtual AMD GPUs: JAX's own ROCm client, "
      "with every kernel executed by jaxgemm's emulator on the CPU.",
      allow_abbrev=False,
  )
  parser.add_argument(
      "--arch", default="gfx942",
      help="gfx942 (MI300X), gfx950 (MI355X), gfx90a (MI250X) or a chip, such as MI300A or MI308X",
  )
  parser.add_argument("--devices", type=int, default=1, help="number of devices")
  parser.add_argument(
      "--over-real-rocm", action="store_true",
      help="start even if ROCm or an AMD GPU is on this machine",
  )
  parser.add_argument(
      "--stream-seed", type=int, default=0,
      help="seed of random delays of the streams' operations; 0: no delays",
  )
  parser.add_argument(
      "--most-delay-us", type=int, default=2000,
      help="longest of these delays in microseconds",
  )
  parser.add_argument(
      "--install", action="store_true",
      help="install JAX's ROCm plugin (150 MB to download) where only this command and "
      "jaxgemm.emulator.rocm.start find it, and run no program",
  )
  parser.add_argument("-m", dest="module", action="store_true",
                      help="the program is a module")
  parser.add_argument("program", nargs="?", help="file (or module) to run")
  parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
  args = parser.parse_args()
  if args.install:
    if args.program is not None:
      parser.error("--install runs no program")
    try:
      print(f"jaxgemm: JAX's ROCm plugin is in {_plugin.install()}")
    except RuntimeError as error:
      sys.exit(f"jaxgemm: {error}")
    return
  if args.program is None:
    parser.error("the following arguments are required: program")
  try:
    rocm.start(
        args.arch, args.devices, over_real_rocm=args.over_real_rocm,
        stream_seed=args.stream_seed, most_delay_us=args.most_delay_us,
    )
  except (rocm.VirtualRocmError, ValueError) as error:
    sys.exit(f"jaxgemm: {error}")
  sys.argv = [args.program, *args.arguments]
  if args.module:
    runpy.run_module(args.program, run_name="__main__", alter_sys=True)
  else:
    import os

    sys.path[0] = os.path.dirname(os.path.abspath(args.program))
    runpy.run_path(args.program, run_name="__main__")


if __name__ == "__main__":
  main()
