"""Steps of a random program that communicate between devices, for programs that are mapped."""

import functools

from jax import lax
import numpy as np

from tests.support.random_programs.program import EXACT, Program

varying = functools.partial(lax.pcast, axis_name="x", to="varying")


def psum(p: Program, x: int):
  x = p.bounded(x, EXACT // 8)
  return p.step("psum", lambda x: varying(lax.psum(x, "x")),
                lambda xs: [sum(xs)] * len(xs), x, shape=p.values[x].shape,
                bound=p.values[x].bound * p.devices, across=True)


def pmax(p: Program, x: int):
  return p.step("pmax", lambda x: varying(lax.pmax(x, "x")),
                lambda xs: [functools.reduce(np.maximum, xs)] * len(xs), x,
                shape=p.values[x].shape, bound=p.values[x].bound, across=True)


def all_gather(p: Program, x: int):
  rows, columns = p.values[x].shape
  if rows > 200:
    return None
  return p.step("all_gather", lambda x: lax.all_gather(x, "x", tiled=True),
                lambda xs: [np.concatenate(xs)] * len(xs), x,
                shape=(rows * p.devices, columns), bound=p.values[x].bound, across=True)


def ppermute(p: Program, x: int):
  n = p.devices
  return p.step("ppermute",
                lambda x: lax.ppermute(x, "x", [(i, (i + 1) % n) for i in range(n)]),
                lambda xs: [xs[i - 1] for i in range(n)], x, shape=p.values[x].shape,
                bound=p.values[x].bound, across=True)


def psum_scatter(p: Program, x: int):
  rows, columns = p.values[x].shape
  if rows % p.devices:
    return None
  x = p.bounded(x, EXACT // 8)
  return p.step("psum_scatter", lambda x: lax.psum_scatter(x, "x", tiled=True),
                lambda xs: np.split(sum(xs), len(xs)), x, shape=(rows // p.devices, columns),
                bound=p.values[x].bound * p.devices, across=True)


COLLECTIVES = (psum, pmax, all_gather, ppermute, psum_scatter)
