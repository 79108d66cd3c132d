"""The environment variable JAXGEMM_MAXTEXT=1 calls `jaxgemm.maxtext.install`.

This module is installed in the namespace package jax_plugins. JAX imports such modules, and calls
their `initialize`, when it looks for its devices. A program without MaxText, or without the
variable, does nothing here.
"""

import os
import sys


def initialize() -> None:
  """What JAX calls. MaxText is imported by then; it asks for devices when it reads its options."""
  if os.environ.get("JAXGEMM_MAXTEXT", "0") in ("", "0") or "maxtext" not in sys.modules:
    return
  if "maxtext.kernels.megablox.backend" not in sys.modules:
    # It cannot be imported here: modules of MaxText may ask for devices, which JAX is looking for.
    raise RuntimeError(
        "JAXGEMM_MAXTEXT is set, and this program asks JAX for its devices before it imports "
        "MaxText's experts. Run it by python -m jaxgemm.maxtext, or call "
        "jaxgemm.maxtext.install().")
  from jaxgemm import maxtext
  maxtext.install()
