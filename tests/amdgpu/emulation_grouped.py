"""Grouped scenarios of emulation_matrix.py, which every AMD kernel runs."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm.call import options
from jaxgemm.call.spec import Spec
from jaxgemm.grouped.form import GroupedParams, Operands
from jaxgemm.grouped.primitive import ragged


def lines_at(lines, indices):
  """The lines with these indices; zeros for indices out of range."""
  inside = (indices >= 0) & (indices < len(lines))
  return np.where(inside[:, None], lines[np.where(inside, indices, 0)], 0).astype(lines.dtype)


@dataclasses.dataclass(frozen=True)
class Grouped:
  """A grouped problem in units of the instance's tile, as in `Scenario`.

  mode: the ragged dimension, "m" or "k". groups: (tiles, additional elements) of each
  group. rest: elements after the last group. m (for mode "k"), n and k (for mode "m"):
  the other dimensions. first, count: the first group of this shard and their number, if it does
  not have all. gathered: the operand whose lines are gathered by random indices.
  """

  mode: str
  groups: tuple[tuple[int, int], ...]
  rest: int = 0
  m: tuple[int, int] = (1, 0)
  n: tuple[int, int] = (1, 0)
  k: tuple[int, int] = (1, 0)
  first: int | None = None
  count: int | None = None
  gathered: str | None = None
  bias: bool = False
  activation: str | None = None
  gated: bool = False
  accumulate: bool = False
  schedule: str = "persistent"
  reduction: str | None = None
  workgroups: int = 1
  queues: int | None = None
  own_type: bool = False
  orders: tuple = ()
  reproducible: bool = False

  def sizes(self, instance) -> np.ndarray:
    tile = instance.tile[0 if self.mode == "m" else 2]
    return np.array([tiles * tile + more for tiles, more in self.groups], np.int32)

  def problem(self, instance) -> tuple[int, int, int]:
    """m, n, k in elements."""
    m, n, k = (tiles * tile + more for (tiles, more), tile in
               zip((self.m, self.n, self.k), instance.tile))
    cut = int(self.sizes(instance).sum()) + self.rest
    if self.gated:
      n = n // 2
    return (cut, n, k) if self.mode == "m" else (m, n, cut)

  def accumulates(self, instance) -> bool:
    return self.accumulate and instance.lhs_dtype != "int8"

  def local(self) -> range:
    first = self.first or 0
    return range(first, first + (self.count or len(self.groups)))

  def operands(self, rng, instance):
    """({lhs, rhs, sizes, and offset, buffer and bias where there are any}, result)."""
    m, n, k = self.problem(instance)
    columns = 2 * n if self.gated else n

    def draw(*shape, dtype="float32"):
      if self.reproducible and dtype != "int8":
        values = rng.standard_normal(shape)
      else:
        values = rng.integers(-3, 4, shape)
      return values.astype(jnp.dtype(dtype))

    groups = (len(self.local()),) if self.mode == "m" else ()
    lhs = draw(m, k, dtype=instance.lhs_dtype)
    rhs = draw(*groups, k, columns, dtype=instance.rhs_dtype)
    arrays = {"sizes": self.sizes(instance)}
    if self.gathered:
      rows = lhs if self.mode == "m" else lhs.T if self.gathered == "lhs" else rhs
      lines = draw(len(rows) // 2 + 3, rows.shape[1], dtype=rows.dtype)
      indices = rng.integers(-2, len(lines) + 2, len(rows)).astype(np.int32)
      rows[:] = lines_at(lines, indices)
      arrays[f"{self.gathered}_indices"] = indices
    if self.first is not None:
      arrays["offset"] = np.array([self.first], np.int32)
    if self.accumulates(instance):
      arrays["buffer"] = draw(len(self.local()), m, n)
    if self.bias:
      arrays["bias"] = draw(len(self.local()), columns)
    wanted = self._wanted(lhs.astype(np.float64), rhs.astype(np.float64), arrays)
    # Elements that belong to no group of the shard are never read.
    if lhs.dtype != np.int8:
      mine = self._mine(arrays["sizes"], m if self.mode == "m" else k)
      if self.mode == "m":
        lhs[~mine] = np.nan
      else:
        lhs[:, ~mine] = np.nan
        rhs[~mine] = np.nan
      if self.gathered:
        lines[~np.isin(np.arange(len(lines)), indices[mine])] = np.nan
    if not instance.lhs_contracting:
      lhs = np.swapaxes(lhs, -1, -2)
    if instance.rhs_contracting:
      rhs = np.swapaxes(rhs, -1, -2)
    given = {"lhs": np.ascontiguousarray(lhs), "rhs": np.ascontiguousarray(rhs), **arrays}
    if self.gathered:
      given[self.gathered] = lines
    return given, wanted

  def _ranges(self, sizes):
    ends = np.cumsum(sizes)
    return [slice(ends[g] - sizes[g], ends[g]) for g in self.local()]

  def _mine(self, sizes, extent):
    mine = np.zeros(extent, bool)
    for part in self._ranges(sizes):
      mine[part] = True
    return mine

  def _wanted(self, lhs, rhs, arrays):
    parts = self._ranges(arrays["sizes"])
    if self.mode == "k":
      old = arrays.get("buffer", np.zeros((len(parts), 1, 1)))
      return np.stack([lhs[:, part] @ rhs[part] for part in parts]) + old
    z = np.zeros((lhs.shape[0], rhs.shape[-1]))
    for local, part in enumerate(parts):
      z[part] = lhs[part] @ rhs[local]
      if self.bias:
        z[part] += arrays["bias"][local]
    activate = {None: lambda x: x, "relu": lambda x: np.maximum(x, 0)}[self.activation]
    if not self.gated:
      return activate(z)
    gate, up = np.split(z, 2, axis=1)
    return activate(gate) * up

  def function(self, instance, out_dtype):
    """The jitted call, a function of the arrays that `operands` returns."""
    options.use_emulator()
    config = jaxgemm.GemmConfig(
        kernel=instance.name, schedule=self.schedule, reduction=self.reduction,
        num_workgroups=self.workgroups, num_queues=self.queues, partition=False)
    spec = Spec(out_dtype, self.activation, config=config, emulated=instance.arch)
    form = GroupedParams(self.mode, instance.lhs_contracting, instance.rhs_contracting,
                         len(self.local()), paired=self.gated, gated=self.gated)

    @jax.jit
    def call(arrays):
      if self.gated:
        pairs = {name: arrays[name] for name in ("rhs", "bias") if name in arrays}
        arrays = arrays | {name: x.reshape(*x.shape[:-1], 2, -1)
                           for name, x in pairs.items()}
      return ragged(Operands(**arrays), form=form, spec=spec)[0]

    return call

  def bytes_written(self, instance, got) -> int:
    """Bytes of out that a run writes. In a buffer, those of empty groups are not written."""
    if not self.accumulates(instance):
      return got.nbytes
    sizes = self.sizes(instance)[list(self.local())]
    return got.nbytes * int((sizes > 0).sum()) // len(sizes)


def scenarios(orders) -> dict[str, Grouped]:
  """The grouped scenarios by name; `orders` are ORDERS of emulation_matrix.py."""
  return {
      "groups": Grouped(
          "m", ((0, 0), (1, 5), (0, 3), (0, 0), (1, 0)), rest=9, bias=True,
          activation="relu", schedule="work_stealing", workgroups=3, queues=2,
          own_type=True, orders=orders[:2]),
      "groups_of_chunks": Grouped(
          "m", ((1, 16), (0, 0), (0, 32)), k=(2, 0), n=(1, 16), rest=16, workgroups=2,
          orders=orders[1:3]),
      "many_groups": Grouped(
          "m", ((0, 7), *((0, 0),) * 68, (0, 16), *((0, 0),) * 70, (0, 1)), rest=3,
          k=(1, 0), schedule="work_stealing", workgroups=2, queues=8,
          orders=orders[1:3]),
      "groups_of_a_shard": Grouped(
          "m", ((0, 16), (0, 48), (0, 0), (0, 32), (0, 64)), first=1, count=3,
          workgroups=2, orders=orders[:2]),
      "groups_stream_k": Grouped(
          "m", ((0, 16), (1, 16), (0, 0)), rest=16, k=(3, 0), schedule="stream_k",
          reduction="linear", workgroups=6, orders=orders[1:4], reproducible=True),
      "groups_tree": Grouped(
          "m", ((0, 5), (0, 0), (0, 3)), k=(4, 1), schedule="stream_k",
          reduction="tree", workgroups=7, orders=orders[1:3], reproducible=True),
      "groups_of_k": Grouped(
          "k", ((1, 16), (0, 0), (0, 5), (2, 0)), rest=7, m=(0, 33), n=(1, 1),
          workgroups=3, orders=orders[:2]),
      "groups_of_k_in_chunks": Grouped(
          "k", ((0, 0), (1, 16), (2, 0), (0, 48)), rest=16, first=1, count=3,
          schedule="work_stealing", workgroups=2, queues=2, orders=orders[1:3]),
      # There are as many workgroups as tiles, so those of low tiles find them by the sizes.
      "found_tiles": Grouped(
          "m", ((0, 0), (1, 5), (0, 3), (2, 1), (0, 0), (1, 0)), rest=9, n=(2, 16), bias=True,
          activation="relu", workgroups=64, own_type=True, orders=orders[:3]),
      "found_tiles_of_many_groups": Grouped(
          "m", ((0, 7), *((0, 0),) * 270, (1, 16), *((0, 0),) * 250, (0, 1)), rest=3,
          k=(1, 5), n=(1, 3), workgroups=64, orders=orders[1:3]),
      "found_tiles_of_a_shard": Grouped(
          "m", ((0, 16), (1, 8), (0, 0), (0, 32), (0, 64)), first=1, count=3, gathered="lhs",
          k=(3, 0), workgroups=64, orders=orders[:3], reproducible=True),
      "gathered": Grouped(
          "m", ((1, 5), (0, 0), (0, 33)), rest=9, k=(1, 16), gathered="lhs", workgroups=2,
          schedule="work_stealing", queues=2, orders=orders[1:3]),
      "gathered_by_element": Grouped(
          "m", ((0, 9), (0, 0), (0, 40)), rest=3, k=(1, 5), n=(0, 33), gathered="lhs",
          workgroups=2, orders=orders[:2]),
      "gathered_stream_k": Grouped(
          "m", ((0, 16), (1, 7)), k=(4, 0), gathered="lhs", schedule="stream_k",
          reduction="linear", workgroups=6, orders=orders[1:3], reproducible=True),
      "gathered_gated": Grouped(
          "m", ((1, 3), (0, 40)), rest=5, n=(1, 32), k=(1, 0), gathered="lhs", gated=True,
          activation="relu", workgroups=3, own_type=True, orders=orders[1:3]),
      "gathered_shard": Grouped(
          "m", ((0, 16), (0, 48), (0, 0), (0, 32), (0, 64)), first=1, count=3, gathered="lhs",
          workgroups=2, orders=orders[:2]),
      "gathered_k": Grouped(
          "k", ((4, 16), (0, 0), (0, 5), (2, 0)), rest=7, m=(0, 48), n=(1, 16), gathered="lhs",
          schedule="stream_k", reduction="linear", workgroups=6, orders=orders[1:3],
          reproducible=True),
      "gathered_k_of_rhs": Grouped(
          "k", ((0, 7), (5, 1), (0, 0), (1, 0)), rest=7, m=(1, 16), n=(0, 48), gathered="rhs",
          schedule="work_stealing", workgroups=2, queues=2, orders=orders[1:3]),
      "accumulate": Grouped(
          "k", ((1, 16), (0, 0), (0, 32)), rest=16, m=(1, 16), accumulate=True,
          workgroups=2, orders=orders[:2]),
      "gated": Grouped(
          "m", ((1, 3), (0, 0), (0, 40)), rest=5, n=(1, 32), k=(1, 0), gated=True,
          bias=True, activation="relu", workgroups=3, own_type=True,
          orders=orders[1:3]),
      "gated_odd": Grouped(
          "m", ((0, 9), (0, 21)), n=(1, 14), k=(1, 3), gated=True, workgroups=2,
          orders=orders[:2]),
      "gated_stream_k": Grouped(
          "m", ((0, 16), (0, 32)), k=(4, 0), gated=True, activation="relu",
          schedule="stream_k", reduction="linear", workgroups=6, orders=orders[1:3],
          reproducible=True),
  }
