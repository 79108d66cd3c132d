"""Scenarios that each instance of the AMD kernels runs in emulation.

Every run takes the way of a user's call: jaxgemm.dot_general inside jit, the plan, the
launcher, the kernel's machine code. The emulator ends a run with an error for a hazard,
a race, an access outside the buffers or a hang. In addition, the result is compared
with float64, and the number of bytes written to out with its size.
"""

import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi, emulator
from tests.amdgpu import emulation_chunks, emulation_grouped
from tests.support.paths import ROOT

_NAME = re.compile(r"gemm_(\w+)_(\d+)x(\d+)x(\d+)_([rc])([rc])r")
_DTYPE = r"(?:float32|float16|bfloat16|int8|float8_e\dm\d(?:fnuz|fn)?)"

# XCC ids that the workgroups read one after the other: wrong ids, and the only id of a device with
# all other XCDs masked off.
WRONG_XCCS, ONE_XCC = (7, 7, 3, 0), (5,)


@dataclasses.dataclass(frozen=True)
class Instance:
  """A kernel, described by its name."""

  arch: str
  name: str
  lhs_dtype: str
  rhs_dtype: str
  tile: tuple[int, int, int]
  lhs_contracting: int
  rhs_contracting: int

  @classmethod
  def parse(cls, arch: str, name: str) -> "Instance":
    dtypes, m, n, k, lhs, rhs = _NAME.fullmatch(name).groups()
    lhs_dtype, rhs_dtype = re.fullmatch(f"({_DTYPE})_({_DTYPE})", dtypes).groups()
    return cls(arch, name, lhs_dtype, rhs_dtype, (int(m), int(n), int(k)),
               int(lhs == "r"), int(rhs == "c"))


def instances() -> list[Instance]:
  """All AMD kernels, also those that this build lacks; a launch of such a kernel is an error.

  Kernels of float4 are left out, because they multiply only operands in an MX format.
  test_emulated_mx.py launches them.
  """
  return [Instance.parse(arch, name) for arch, name in sorted(
      kernel for kernel in _ffi.NAMES["gpu_kernels"] if kernel[0] in _ffi.ROCM_ARCHS)
      if not name.startswith("gemm_float4_")]


def small_part() -> list[Instance]:
  """The kernels that the default tests launch, which JAXGEMM_GPU_KERNELS=tests builds."""
  build = (ROOT / "ffi" / "gpu_kernels.cmake").read_text()
  listed = re.search(r'set\(kernels_of_the_tests((?:\s+"[^"]+")+)\)', build)[1]
  patterns = re.findall(r'"([^"]+)"', listed)
  return [instance for instance in instances() if any(
      re.search(pattern, f"{instance.arch}/{instance.name}") for pattern in patterns)]


@dataclasses.dataclass(frozen=True)
class Order:
  """The order in which waves run, and the XCC ids that they read.

  quantum: instructions of a wave until another wave runs; resident: workgroups that run at the
  same time, which are few on a device with masked CUs; xcc: as in emulator.Options.
  """

  seed: int = 0
  quantum: int = 64
  resident: int = 8
  xcc: str | tuple[int, ...] | None = None


ORDERS = (
    Order(1, 64), Order(2, 1, 3), Order(3, 7, 8, WRONG_XCCS), Order(4, 1000, 1),
    Order(5, 33, 5, "random"), Order(6, 200, 2, ONE_XCC),
)


@dataclasses.dataclass(frozen=True)
class Scenario:
  """A problem in units of the instance's tile, and how it is scheduled.

  m, n and k are (tiles, additional elements). If `chunks` is set, k has additional
  16-byte vectors instead, so that the operands' rows keep the alignment of fast loads.
  """

  m: tuple[int, int] = (1, 0)
  n: tuple[int, int] = (1, 0)
  k: tuple[int, int] = (2, 0)
  chunks: bool = False
  batch: int = 1
  schedule: str = "persistent"
  reduction: str | None = None
  workgroups: int = 1
  queues: int | None = None
  own_type: bool = False  # out has the operands' dtype, not the accumulators'
  orders: tuple[Order, ...] = ORDERS[:1]
  reproducible: bool = False  # random operands; the same bits in every order

  def problem(self, instance: Instance) -> tuple[int, int, int]:
    """m, n, k in elements."""
    chunk = 16 // np.dtype(jnp.dtype(instance.lhs_dtype)).itemsize
    m, n, k = (tiles * tile for (tiles, _), tile in
               zip((self.m, self.n, self.k), instance.tile))
    return (m + self.m[1], n + self.n[1],
            k + self.k[1] * (chunk if self.chunks else 1))

  def operands(self, rng, instance):
    """lhs and rhs in the instance's layout, and their product in float64.

    The operands are small integers: their sums are exact in every dtype and order. For
    `reproducible` they are random numbers, which show any change of the order.
    """
    m, n, k = self.problem(instance)
    lead = (self.batch,) if self.batch > 1 else ()

    def draw(rows, columns, dtype):
      shape = lead + (rows, columns)
      if self.reproducible and dtype != "int8":
        values = rng.standard_normal(shape)
      else:
        values = rng.integers(-3, 4, shape)
      return values.astype(jnp.dtype(dtype))

    lhs, rhs = draw(m, k, instance.lhs_dtype), draw(k, n, instance.rhs_dtype)
    wanted = np.matmul(lhs.astype(np.float64), rhs.astype(np.float64))
    if not instance.lhs_contracting:
      lhs = np.swapaxes(lhs, -1, -2)
    if instance.rhs_contracting:
      rhs = np.swapaxes(rhs, -1, -2)
    return (np.ascontiguousarray(lhs), np.ascontiguousarray(rhs)), wanted

  def function(self, instance: Instance, out_dtype):
    """The jitted call, a function of the arrays that `operands` returns."""
    batch = int(self.batch > 1)
    numbers = (
        ((instance.lhs_contracting + batch,), (instance.rhs_contracting + batch,)),
        ((0,), (0,)) if batch else ((), ()),
    )
    config = jaxgemm.GemmConfig(
        kernel=instance.name, schedule=self.schedule, reduction=self.reduction,
        num_workgroups=self.workgroups, num_queues=self.queues, partition=False,
    )
    return jax.jit(lambda arrays: jaxgemm.dot_general(
        *arrays, numbers, preferred_element_type=out_dtype, config=config,
        implementation=f"emulated:{instance.arch}",
    ))

  def bytes_written(self, instance, got) -> int:
    return got.nbytes


SCENARIOS = {
    "one_tile": Scenario(orders=ORDERS[:3]),
    "k_of_one_tile": Scenario(k=(1, 0)),
    "no_k": Scenario(
        m=(3, 0), k=(0, 0), schedule="work_stealing", queues=2, orders=ORDERS[:3]
    ),
    "k_below_a_tile": Scenario(k=(0, 1), chunks=True),
    "k_tail": Scenario(k=(2, 3), chunks=True, own_type=True),
    "odd_k": Scenario(k=(1, 1), n=(1, 0)),
    "full_tiles": Scenario(
        m=(2, 0), n=(2, 0), k=(3, 0), workgroups=4, own_type=True, orders=ORDERS[:2]
    ),
    "many_tiles_per_workgroup": Scenario(
        m=(3, 0), n=(2, 0), k=(2, 0), workgroups=2, orders=ORDERS[1:4]
    ),
    "edges": Scenario(
        m=(1, 16), n=(1, 48), k=(1, 2), chunks=True, workgroups=2, orders=ORDERS[:2]
    ),
    "odd_edges": Scenario(
        m=(1, 7), n=(1, 13), k=(1, 5), schedule="work_stealing", workgroups=2,
        queues=1, own_type=True, orders=ORDERS[1:3],
    ),
    "below_a_tile": Scenario(m=(0, 2), n=(0, 3), k=(3, 0)),
    "more_workgroups_than_tiles": Scenario(n=(2, 0), workgroups=7, orders=ORDERS[:2]),
    "batches": Scenario(
        batch=3, m=(0, 33), n=(1, 1), k=(1, 0), workgroups=4, orders=ORDERS[1:3]
    ),
    "batches_of_known_tiles": Scenario(
        batch=3, m=(1, 0), n=(2, 0), workgroups=6, own_type=True, orders=ORDERS[:2]
    ),
    "batches_of_known_slices": Scenario(
        batch=2, n=(2, 0), k=(4, 0), schedule="stream_k", reduction="linear", workgroups=8,
        orders=ORDERS[:3], reproducible=True,
    ),
    "stealing": Scenario(
        m=(3, 0), n=(2, 16), k=(1, 1), chunks=True, schedule="work_stealing",
        workgroups=5, queues=8, orders=ORDERS,
    ),
    "stealing_alone": Scenario(
        m=(2, 5), n=(1, 0), schedule="work_stealing", workgroups=1, queues=3,
        orders=ORDERS[3:],
    ),
    "stream_k_linear": Scenario(
        n=(3, 0), k=(5, 0), schedule="stream_k", reduction="linear", workgroups=4,
        orders=ORDERS, reproducible=True,
    ),
    "stream_k_tree": Scenario(
        n=(2, 5), k=(7, 2), chunks=True, schedule="stream_k", reduction="tree",
        workgroups=5, orders=ORDERS, reproducible=True,
    ),
    "stream_k_odd": Scenario(
        m=(0, 9), n=(2, 0), k=(3, 7), schedule="stream_k", reduction="linear",
        workgroups=3, orders=ORDERS[1:4], reproducible=True,
    ),
    "stream_k_after_whole_waves": Scenario(
        m=(2, 0), n=(3, 0), k=(3, 0), schedule="stream_k", reduction="linear",
        workgroups=4, orders=ORDERS[1:3], reproducible=True,
    ),
    "stream_k_atomic": Scenario(
        m=(2, 3), k=(4, 1), chunks=True, schedule="stream_k", reduction="atomic",
        workgroups=4, orders=ORDERS[1:],
    ),
    **emulation_grouped.scenarios(ORDERS),
    **emulation_chunks.scenarios(ORDERS),
}


def fits(instance: Instance, scenario_name: str) -> bool:
  """Whether a call may run this kernel on the scenario."""
  scenario = SCENARIOS[scenario_name]
  if not isinstance(scenario, emulation_grouped.Grouped):
    return True
  if scenario.gathered and scenario.mode == "k":
    return instance.lhs_contracting == instance.rhs_contracting == 0 and instance.tile[0] > 32
  if scenario.gathered and not instance.lhs_contracting:
    return False
  return not (scenario.gated and instance.rhs_contracting)


def out_dtype(instance: Instance, scenario) -> np.dtype:
  integer = instance.lhs_dtype == "int8"
  # Integers have a bias of int32; activations and gates need a float result.
  float_out = isinstance(scenario, emulation_grouped.Grouped) and (
      scenario.activation or scenario.gated)
  dtype = "int32" if integer and not float_out else "float32"
  if scenario.own_type:
    half = instance.lhs_dtype in ("bfloat16", "float16")
    dtype = instance.lhs_dtype if half else "float32" if integer else "bfloat16"
  return jnp.dtype(dtype)


def check_values(got, wanted, scenario, k: int) -> None:
  """Asserts exact values, or for random operands the accuracy of a float32 sum of k."""
  if not scenario.reproducible or np.issubdtype(got.dtype, np.integer):
    # Sums below 2**24 are exact in float32: the only rounding is that to out's dtype.
    np.testing.assert_array_equal(got, wanted.astype(got.dtype))
    return
  largest = max(np.abs(wanted).max(initial=0), np.sqrt(k))
  np.testing.assert_array_less(
      np.abs(got.astype(np.float64) - wanted), 2e-7 * (np.sqrt(k) + 1) * largest
  )


def check(arch: str, name: str, scenario_name: str) -> dict[str, int]:
  """Runs the scenario of this name on the kernel of this name, as `run` does."""
  return run(Instance.parse(arch, name), SCENARIOS[scenario_name])


def run(instance: Instance, scenario) -> dict[str, int]:
  """Runs the scenario in each of its orders. Raises an error if anything is wrong.

  Returns the numbers of launches and instructions, which show that the kernel ran.
  """
  dtype = out_dtype(instance, scenario)
  call = scenario.function(instance, dtype)
  rng = np.random.default_rng(0)
  given = scenario.operands(rng, instance)
  first = None
  counts = {"launches": 0, "instructions": 0}
  for order in scenario.orders:
    if not scenario.reproducible:
      # New operands, so that values that an earlier run left in the memory of out are wrong.
      given = scenario.operands(rng, instance)
    arrays, wanted = given
    beside = None
    if isinstance(scenario, emulation_chunks.Chunks):
      beside = scenario.beside(rng, instance, arrays)
    with emulator.options(**dataclasses.asdict(order), beside=beside):
      got = np.asarray(jax.block_until_ready(call(arrays)))
      record = emulator.last_record()
    assert (got.shape, got.dtype) == (wanted.shape, dtype), order
    check_values(got, wanted, scenario, scenario.problem(instance)[2])
    if scenario.reproducible:
      first = got if first is None else first
      assert got.tobytes() == first.tobytes(), f"{order} gives other bits"
    if scenario.schedule != "stream_k":
      # Each element of out was written once; a claim is a 4-byte atomic of one lane.
      written = record.cost["global_write_bytes"] - 4 * record.cost["global_atomic"]
      assert written == scenario.bytes_written(instance, got), order
    assert record.kernel == instance.name
    counts["launches"] += 1
    counts["instructions"] += record.cost["instructions"]
  return counts
