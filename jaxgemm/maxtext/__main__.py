"""Runs a program of MaxText with this package's grouped products; see `jaxgemm.maxtext`."""

import argparse
import os
import runpy
import sys

from jaxgemm import maxtext

# What XLA's errors do not say, by a part of their text.
_NOTES = {
    "ragged-all-to-all": "XLA has no ragged all-to-all for CPUs.",
    "RaggedAllToAll": "The flag --xla_gpu_allow_ragged_all_to_all_nccl_send_recv_fallback=true in "
                      "XLA_FLAGS lets NCCL (RCCL) do it.",
}


def main() -> None:
  parser = argparse.ArgumentParser(
      prog="python -m jaxgemm.maxtext",
      description="Runs a program of MaxText with jaxgemm's grouped products.",
      epilog="Example: python -m jaxgemm.maxtext -m maxtext.trainers.pre_train.train base.yml "
      "model_name=mixtral-8x7b sparse_matmul=true",
      allow_abbrev=False)
  parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
  parser.add_argument("program", help="file (or module) to run")
  parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
  args = parser.parse_args()
  maxtext.install()
  sys.argv = [args.program, *args.arguments]
  try:
    if args.module:
      runpy.run_module(args.program, run_name="__main__", alter_sys=True)
    else:
      sys.path[0] = os.path.dirname(os.path.abspath(args.program))
      runpy.run_path(args.program, run_name="__main__")
  except ModuleNotFoundError as error:
    if error.name == "maxtext":
      parser.error("MaxText is not installed here. It needs Python 3.12: see its own guide, and "
                   "docs/guides/maxtext.md")
    raise
  except Exception as error:
    for part, note in _NOTES.items():
      if part in str(error):
        error.add_note(
            f"jaxgemm.maxtext: {note} MaxText sends tokens to their experts by it, unless "
            "use_ring_of_experts=true is given: then it gathers them.")
    raise


if __name__ == "__main__":
  main()
