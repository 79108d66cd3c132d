"""Sharded products of several processes, which tests/collective/test_processes.py starts:

    python -m tests.collective.process_programs RESULTS NUM_PROCESSES PROCESS PORT

All processes together have four CPU devices. Process 0 writes the results.
"""

import sys

import jax
from jax.experimental import multihost_utils
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
from jaxgemm.flax import Mlp, MoEParams, moe

OURS = {"implementation": "jaxgemm"}


def main(path: str, num_processes: int, process: int, port: int):
  jax.config.update("jax_num_cpu_devices", 4 // num_processes)
  if num_processes > 1:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", num_processes, process,
                               initialization_timeout=60)
  assert jax.process_count() == num_processes and jax.device_count() == 4
  mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))
  rng = np.random.default_rng(0)
  results = {}

  def run(name, f, arrays, specs, collectives):
    # Each process has all of the data, and puts its own part on its devices.
    args = [jax.make_array_from_callback(x.shape, NamedSharding(mesh, spec), x.__getitem__)
            for x, spec in zip(arrays, specs)]
    program = jax.jit(f).lower(*args).compile()
    text = program.as_text()
    for collective, count in collectives.items():
      assert text.count(f" {collective}(") == count, f"{name}: {text}"
    for i, out in enumerate(jax.tree.leaves(program(*args))):
      results[f"{name}.{i}"] = np.asarray(
          multihost_utils.process_allgather(out, tiled=True))

  def with_gradients(f):
    def both(*arrays):
      out, pullback = jax.vjp(f, *arrays)
      return out, *pullback(out)
    return both

  array = lambda *shape: rng.standard_normal(shape, np.float32)
  a, b = array(64, 48), array(48, 32)
  run("sharded_k", lambda a, b: jaxgemm.matmul(a, b, activation="gelu", **OURS), (a, b),
      (P(None, "x"), P("x")), {"all-reduce": 1, "all-gather": 0})
  run("gradients_of_sharded_k", with_gradients(
      lambda a, b: jaxgemm.matmul(a, b, activation="gelu", **OURS)), (a, b),
      (P(None, "x"), P("x")), {"all-gather": 0})

  experts, sizes = array(8, 48, 32), np.array([9, 0, 20, 3, 11, 8, 0, 13], np.int32)
  run("experts", lambda rows, experts, sizes: with_gradients(
      lambda rows, experts: jaxgemm.ragged_dot(rows, experts, sizes, **OURS))(rows, experts),
      (a, experts, sizes), (P(), P("x"), P()), {"all-gather": 0})

  for name, specs, out in (
      ("allgather_matmul", (P("x"), P(None, "x")), P(None, "x")),
      ("matmul_reduce_scatter", (P(None, "x"), P("x")), P("x"))):
    function = getattr(jaxgemm, name)
    mapped = jax.shard_map(lambda a, b, f=function: f(a, b, "x", **OURS), mesh=mesh,
                           in_specs=specs, out_specs=out)
    run(name, mapped, (a, b), specs, {"collective-permute": 3, "all-gather": 0})

  router, gate_up, down = array(48, 8), array(8, 48, 2, 16), array(8, 16, 48)
  for dispatch, collectives in (("gather", {"reduce-scatter": 1, "all-to-all": 0}),
                                ("all_to_all", {"reduce-scatter": 0, "all-to-all": 2})):
    def layer(x, router, gate_up, down, dispatch=dispatch):
      params = MoEParams(router, Mlp(down=down, gate_up=gate_up))
      out, stats = moe(x, params, top_k=2, expert_axis_name="x", dispatch=dispatch)
      return out, stats.load_balancing_loss, stats.tokens_per_expert

    mapped = jax.shard_map(layer, mesh=mesh, in_specs=(P("x"), P(), P("x"), P("x")),
                           out_specs=(P("x"), P(), P()))
    run(f"moe_{dispatch}", mapped, (a, router, gate_up, down), (P("x"), P(), P("x"), P("x")),
        collectives)

  if process == 0:
    np.savez(path, **results)


if __name__ == "__main__":
  main(sys.argv[1], *map(int, sys.argv[2:]))
