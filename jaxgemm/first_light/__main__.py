"""Finds out what of jaxgemm works on this machine's GPU, and how fast.

It checks every kernel of the build against float64, and what programs use of the package; times
products beside XLA and beside the predicted times; and writes report.md to read and report.json to
attach to an issue. It may be stopped, and goes on where it was when it is started again.
"""

import argparse
import pathlib
import re
import sys

from jaxgemm.first_light import report
from jaxgemm.first_light.run import PARTS, NoGpu, Options, run, write


def main(argv=None) -> int:
  parser = argparse.ArgumentParser(
      prog="python -m jaxgemm.first_light", description=__doc__,
      formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--folder", default="first-light",
                      help="folder for the reports and for what is known already")
  parser.add_argument("--minutes", type=float, default=15.0,
                      help="no step begins after this time")
  parser.add_argument("--write", action="store_true",
                      help="never choose on this chip what was found wrong, and use what was tuned")
  parser.add_argument("--again", action="store_true", help="run also what is known already")
  parser.add_argument("--parts", default=",".join(PARTS),
                      help=f"some of {','.join(PARTS)}")
  parser.add_argument("--kernels", default="", metavar="PATTERN",
                      help="check only kernels whose names have this regular expression")
  parser.add_argument("--further", type=int, default=0, metavar="COUNT",
                      help="time so many random products, too, which have no part in the fit")
  parser.add_argument("--step_seconds", type=float, default=90.0,
                      help="a part of a step that takes longer counts as hanging")
  given = parser.parse_args(argv)
  parts = [each for each in given.parts.split(",") if each]
  if unknown := [each for each in parts if each not in PARTS]:
    parser.error(f"--parts has {', '.join(unknown)}; allowed are {', '.join(PARTS)}")
  if given.minutes <= 0 or given.step_seconds <= 0 or given.further < 0:
    parser.error("--minutes and --step_seconds are above 0, and --further is not below it")
  try:
    re.compile(given.kernels)
  except re.error as error:
    parser.error(f"--kernels={given.kernels} is no regular expression: {error}")
  folder = pathlib.Path(given.folder)
  try:
    found = run(Options(folder, given.minutes, parts, given.kernels, given.further, given.again,
                        given.step_seconds))
  except NoGpu as none:
    print(f"There is nothing to do: {none}. Virtual AMD GPUs run it, too: python -m "
          "jaxgemm.emulator.rocm --arch=MI300X -m jaxgemm.first_light", file=sys.stderr)
    return 2
  except (RuntimeError, OSError) as error:
    print(f"{error}.", file=sys.stderr)
    return 2
  except KeyboardInterrupt:
    print("\nStopped, without a report. Run the command again from here to go on.", file=sys.stderr)
    return 130
  data = found.data
  for line in report.verdict(data):
    print(f"- {line.replace('**', '')}")
  print(f"The report is in {folder / 'report.md'}; attach {folder / 'report.json'} to an issue.")
  if given.write:
    try:
      write(found, folder, print)
    except (OSError, ValueError) as error:
      print(f"Nothing is denied: {str(error).removesuffix('.')}.", file=sys.stderr)
      return 2
  return 1 if report.is_bad(data) else 0


if __name__ == "__main__":
  sys.exit(main())
