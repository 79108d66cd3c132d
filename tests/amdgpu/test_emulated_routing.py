"""The kernels of a routing (ffi/routing/) in the emulator, against NumPy."""

import numpy as np
import pytest

from jaxgemm import _ffi, emulator
from tests.support.routing import check_table, check_top_k, routings, score_rows

ARCHS = ("gfx942", "gfx950", "gfx90a")
# kTableThreads, the least part of a workgroup, and kTopKThreads.
THREADS, TOP_K_THREADS = 512, 256


def code_object(arch) -> bytes:
  return (_ffi.KERNEL_FOLDER / arch / "routing.hsaco").read_bytes()


def launch(arch, batch, num_experts, part, options=None):
  """(table, group sizes) of each of the batch, by workgroups with `part` choices each."""
  choices = batch[0].size
  workgroups = max(1, -(-choices // part))
  missing = lambda size: np.full((len(batch), size), -77, np.int32)
  sizes, counts = missing(num_experts), missing(workgroups * num_experts)
  rows = [missing(choices) for _ in range(4)]
  chosen = np.stack(batch)
  chosen.flags.writeable = False
  arguments = emulator.pack_arguments(
      chosen, sizes, *rows, counts,
      *map(np.int32, (choices, num_experts, batch[0].shape[1], workgroups, part)))
  arguments += bytes(-len(arguments) % 8)  # TableArgs has addresses, so its size is a multiple of 8
  buffers = {"chosen": chosen, "group_sizes": sizes, "experts": rows[0], "choice": rows[1],
             "token": rows[2], "row": rows[3]}
  kernels = ["jaxgemm_routing_table"]
  if workgroups > 1:
    buffers["counts"] = counts
    kernels.insert(0, "jaxgemm_routing_counts")
  for kernel in kernels:
    emulator.launch(code_object(arch), kernel, arguments, grid=len(batch) * workgroups,
                    block=THREADS, arch=arch, buffers=buffers, options=options)
  return [((*(x[i] for x in rows[:3]), rows[3][i].reshape(batch[0].shape)), sizes[i])
          for i in range(len(batch))]


def check(arch, batch, num_experts, part, options=None):
  for chosen, made in zip(batch, launch(arch, batch, num_experts, part, options), strict=True):
    check_table(chosen, num_experts, *made)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tokens, top_k, num_experts", [
    (1, 8, 128), (77, 3, 17), (65, 8, 8), (1, 1, 1), (0, 4, 6), (9, 7, 512)])
def test_one_workgroup(rng, arch, tokens, top_k, num_experts):
  part = -(-max(tokens * top_k, 1) // THREADS) * THREADS
  check(arch, [*routings(rng, tokens, top_k, num_experts).values()], num_experts, part)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tokens, top_k, num_experts, part", [
    (300, 8, 60, 512), (150, 7, 512, 512), (257, 8, 2, 1024), (600, 1, 300, 512)])
def test_several_workgroups(rng, arch, tokens, top_k, num_experts, part):
  batch = [*routings(rng, tokens, top_k, num_experts).values()]
  check(arch, batch, num_experts, part)


@pytest.mark.parametrize("arch", ARCHS)
def test_any_order_of_waves_gives_the_same(rng, arch):
  batch = [routings(rng, 200, 8, 20)["repeated experts of a token"]]
  for seed in range(4):
    check(arch, batch, 20, 512, emulator.Options(seed=seed, quantum=7, resident=2 + seed))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("num_experts, count", [
    (128, 8), (8, 2), (1, 1), (64, 6), (65, 9), (130, 16), (300, 4), (512, 10), (1024, 32)])
def test_top_k(rng, arch, num_experts, count):
  scores = score_rows(rng, num_experts)
  scores.flags.writeable = False
  chosen = np.full((len(scores), count), -77, np.int32)
  weights = np.full((len(scores), count), np.nan, np.float32)
  arguments = emulator.pack_arguments(
      scores, chosen, weights, np.int64(len(scores)), np.int32(num_experts), np.int32(count))
  grid = -(-len(scores) // (TOP_K_THREADS // 64))
  emulator.launch(code_object(arch), "jaxgemm_top_k", arguments, grid=grid, block=TOP_K_THREADS,
                  arch=arch, buffers={"scores": scores, "chosen": chosen, "weights": weights})
  check_top_k(scores, count, chosen, weights)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_kernels_use_no_scratch(arch):
  threads = {"jaxgemm_routing_counts": THREADS, "jaxgemm_routing_table": THREADS,
             "jaxgemm_top_k": TOP_K_THREADS}
  kernels = {each["name"]: each for each in emulator.kernels(code_object(arch))
             if each["name"] in threads}
  assert {name: each["max_workgroup"] for name, each in kernels.items()} == threads
  for each in kernels.values():
    assert each["scratch_bytes"] == each["vgpr_spills"] == 0
    assert each["vgprs"] <= 128 and each["lds_bytes"] <= 32 << 10  # two workgroups fit a CU
