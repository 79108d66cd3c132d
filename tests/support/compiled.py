"""What is in a compiled program, or in one that XLA has not yet compiled."""

import re

import jax


def count_calls(function, *args) -> int:
  """The calls of kernels in the program of a function; those in the body of a loop count once."""
  text = jax.jit(function).lower(*args).compile().as_text()
  return text.count('custom_call_target="jaxgemm_gemm"')


def count_lowered(function, *args) -> int:
  """As `count_calls`, before XLA, which on CPUs finds that two calls compute the same.

  A function that is called twice counts twice.
  """
  text = jax.jit(function).lower(*args).as_text()
  parts = re.split(r"func\.func \w+ @(\w+)\(", text)
  bodies = dict(zip(parts[1::2], parts[2::2], strict=True))

  def count(name: str) -> int:
    called = re.findall(r"call @(\w+)\(|called_computations = \[@(\w+)\]", bodies[name])
    return sum(1 if a == "jaxgemm_gemm" else count(a or b) for a, b in called if (a or b) in bodies
               or a == "jaxgemm_gemm")

  return count("main")
