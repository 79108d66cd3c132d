"""What the suites on several devices share: the mesh, and calls that are timed back to back."""

from collections.abc import Callable, Mapping, Sequence

from absl import app, flags
import jax
from jax.sharding import AxisType, Mesh

from benchmarks import measure, progress, run, watch
from jaxgemm.tune import timing

FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_integer("devices", 0, "Number of devices; 0 uses all GPUs, or 4 CPU devices.")
  flags.DEFINE_integer("calls", 0, "Calls in a sample; 0 is 10 on GPUs and 1 on CPUs.")


def mesh() -> Mesh:
  """The mesh of --devices, with the axis "x"."""
  if not watch.has_gpu():
    jax.config.update("jax_num_cpu_devices", FLAGS.devices or 4)
  devices = jax.devices()[:FLAGS.devices or None]
  if len(devices) < max(FLAGS.devices, 2):
    raise app.UsageError(f"There are {len(devices)} devices of {jax.default_backend()}; this "
                         f"needs {max(FLAGS.devices, 2)}. See --devices.")
  return jax.make_mesh((len(devices),), ("x",), axis_types=(AxisType.Auto,), devices=devices)


def add_times(
    entries: dict[str, run.Row], ways: Mapping[str, Callable], arguments: Mapping[str, tuple],
    parts: tuple[str, str], overlapped: Sequence[str], flops: float, options: measure.Options,
    label: str,
) -> run.Row:
  """Times all ways in turn, and adds their times to the entries.

  Args:
    entries: of each way by name.
    arguments: of each way.
    parts: the names of the communication alone, which has no FLOPs, and of the products alone.
    overlapped: the names of the ways that do both. They are compared with the larger part, and all
      others with the first of them.
    label: the name of the traces.

  Returns:
    The fields of the row that say how it was timed.
  """
  calls = FLAGS.calls or (10 if measure.on_gpu() else 1)

  def several(name: str):
    def run_it():
      for _ in range(calls):
        out = ways[name](*arguments[name])
      return out
    return run_it

  timed = {name: several(name) for name in ways}
  measured = measure.per(timing.interleave(
      timed, [()], min_rounds=options.rounds, min_seconds=0, sample_seconds=0,
      warmup=-(-options.warmup // calls), within=progress.within), calls)
  larger = max(parts, key=lambda name: measured.timing.time(name).median)
  for name, entry in entries.items():
    entry |= measure.entry(measured, name, None if name == parts[0] else flops, overlapped[0])
    if name in overlapped:
      entry["of_larger"] = measure.ratio(measured, larger, name)
      entry["note"] = f"{entry['of_larger']['median']:.3f} of {larger}"
  measure.keep_trace(options, label, timed)
  return {"larger": larger, "calls": calls}
