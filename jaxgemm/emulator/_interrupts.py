"""Ctrl-C during an emulated call ends in KeyboardInterrupt.

When SIGINT comes, the emulator ends its kernel, and XLA raises a JaxRuntimeError in C++. Python
itself acts on a signal only when it next runs Python code. That may be too late: the error has
then passed an `except KeyboardInterrupt`. So the error's class gets an `__init__` in Python, and
Python acts on the signal when it enters that.

On virtual devices XLA learns of no error: it takes what was being computed for finished. So those
arrays are deleted, and a later use of them is an error.
"""

import ctypes
import functools

import jax


@functools.cache
def act_on_signals_in_errors() -> None:
  """Changes the class of jax's runtime errors in this process, as described above."""
  own = jax.errors.JaxRuntimeError.__init__

  def init(self, *args, **kwargs):
    own(self, *args, **kwargs)

  jax.errors.JaxRuntimeError.__init__ = init


@ctypes.CFUNCTYPE(None)
def delete_unfinished_arrays() -> None:
  """Deletes the arrays that are being computed on the default platform."""
  for array in jax.live_arrays():
    if not array.is_deleted() and not array.is_ready():
      array.delete()
