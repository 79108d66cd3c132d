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


def casts_to_float8(text: str, dtypes: tuple[str, ...] = ("f32", "bf16")) -> tuple[list, list]:
  """Shapes of the float8 arrays that a compiled program casts from wider floats: (in loops, else).

  Args:
    text: the program.
    dtypes: the wider floats. XLA for CPUs moves float8 by way of f16, which is no quantisation.
  """
  parts = re.findall(r"^(?:ENTRY )?%?([\w.\-]+) [^\n]*\{\n(.*?)^\}", text, re.M | re.S)
  bodies = dict(parts)
  in_loops: set[str] = set()

  def visit(name: str) -> None:
    if name not in in_loops:
      in_loops.add(name)
      for called in re.findall(r"(?:calls|body|condition|to_apply)=%?([\w.\-]+)", bodies[name]):
        visit(called)

  for body in re.findall(r"body=%?([\w.\-]+)", text):
    visit(body)
  found: tuple[list, list] = [], []
  for name, body in bodies.items():
    types = dict(re.findall(r"%?([\w.\-]+) = (\w+)\[", body))
    for shape, operand in re.findall(
        r"= f8e\dm\d\w*\[([\d,]*)\]\S* convert\((?:\S+ )?%?([\w.\-]+)\)", body):
      if types[operand] in dtypes:
        found[name not in in_loops].append(tuple(map(int, shape.split(","))))
  return found


def loops(text: str) -> list[list[tuple[str, tuple[int, ...]]]]:
  """The arrays that each loop of a compiled program carries, as pairs of dtype and shape."""
  carried = re.findall(r"= (\(.*?\)) while\(", text)
  return [[(dtype, tuple(map(int, shape.split(",") if shape else ())))
           for dtype, shape in re.findall(r"(\w+)\[([\d,]*)\]", arrays)] for arrays in carried]
