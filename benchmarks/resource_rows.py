"""The rows of `python -m benchmarks.resources`: a kernel's metadata, and cycles of its main loop.

The emulator runs the kernel on the CPU; no GPU is used.
"""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import pipes
import jaxgemm
from jaxgemm import _ffi, emulator

# The k tiles of the first launch, which reach the loop's steady state, and how many more the second
# launch has.
FIRST_K_TILES, MORE_K_TILES = 4, 4
# The counts of instructions to report; the first is that of all instructions.
KINDS = ("instructions", "matrix", "vector", "scalar", "lds_read", "lds_write",
         "global_load", "global_to_lds", "scratch", "wait", "barrier", "other")
_NAME = re.compile(
    r"gemm_(?P<lhs>[a-z]+\d+(?:_e\dm\d[a-z]*)?)_(?P<rhs>[a-z]+\d+(?:_e\dm\d[a-z]*)?)"
    r"_(?P<tile>\d+x\d+x\d+)_(?P<layout>[rc]{3})"
)


def kernel_names(arch: str) -> list[str]:
  """Names of the kernels that this build has, the large tiles first.

  Kernels of float4 are left out: they multiply only operands in an MX format, which these reports
  do not have.
  """
  names = [name for name in _ffi.built_kernels(arch) if not name.startswith("gemm_float4_")]
  return sorted(names, key=lambda name: (-_parse(name)["tile"][0], name))


def _parse(name: str) -> dict:
  found = _NAME.fullmatch(name)
  return {
      "dtypes": [found["lhs"], found["rhs"]],
      "tile": [int(size) for size in found["tile"].split("x")],
      "layout": found["layout"],
  }


def divides_k(name: str) -> bool:
  """Whether the waves of a kernel divide its k tiles, so that a row has more than 128 bytes."""
  parsed = _parse(name)
  return parsed["tile"][2] * jnp.dtype(parsed["dtypes"][0]).itemsize > 128


def _operand(shape: tuple[int, int], dtype: str):
  values = np.random.default_rng(0).integers(-3, 4, shape)
  return values.astype(jnp.dtype(dtype))


def _contracting(layout: str) -> tuple[int, int]:
  return int(layout[0] == "r"), int(layout[1] == "c")


def _launch_kernel(arch: str, name: str, k_tiles: int) -> dict:
  """The cost record of one output tile by one workgroup."""
  parsed = _parse(name)
  m, n, k = parsed["tile"]
  k *= k_tiles
  lhs_contracting, rhs_contracting = _contracting(parsed["layout"])
  lhs = _operand((m, k) if lhs_contracting else (k, m), parsed["dtypes"][0])
  rhs = _operand((n, k) if rhs_contracting else (k, n), parsed["dtypes"][1])
  config = jaxgemm.GemmConfig(
      kernel=name, schedule="persistent", num_workgroups=1, partition=False
  )
  call = jax.jit(functools.partial(
      jaxgemm.dot_general,
      dimension_numbers=(((lhs_contracting,), (rhs_contracting,)), ((), ())),
      config=config, implementation=f"emulated:{arch}",
      preferred_element_type=jnp.int32 if lhs.dtype == np.int8 else jnp.float32,
  ))
  with emulator.options():
    out = np.asarray(call(lhs, rhs))
    cost = emulator.last_record().cost
  if not np.array_equal(out, _product(lhs, rhs, lhs_contracting, rhs_contracting)):
    raise RuntimeError(f"{name} for {arch} is wrong here: K has {k_tiles} tiles.")
  return cost


def _product(lhs, rhs, lhs_contracting, rhs_contracting) -> np.ndarray:
  """[M, N] in float32, exact: the operands are small integers."""
  x = lhs if lhs_contracting else lhs.T
  y = rhs.T if rhs_contracting else rhs
  return x.astype(np.float32) @ y.astype(np.float32)


def _row(arch, name, metadata, waves, lds_bytes, launch) -> dict:
  """A row without dtypes, tile and layout; `launch(k_tiles)` returns a record."""
  longer, shorter = launch(FIRST_K_TILES + MORE_K_TILES), launch(FIRST_K_TILES)
  cost = pipes.difference(longer, shorter, MORE_K_TILES)
  by_pipe = pipes.cycles(arch, cost)
  return {
      "arch": arch,
      "kernel": name,
      "resources": {
          "vgprs": metadata["vgprs"], "agprs": metadata["agprs"],
          "sgprs": metadata["sgprs"], "lds_bytes": lds_bytes,
          "vgpr_spills": metadata["vgpr_spills"],
          "sgpr_spills": metadata["sgpr_spills"],
          "scratch_bytes": metadata["scratch_bytes"],
          "code_bytes": metadata["code_bytes"], "waves": waves,
          **pipes.occupancy(arch, metadata["vgprs"], lds_bytes, waves),
      },
      "cycles": by_pipe,
      "conflict_cycles": cost["lds_conflict_cycles"],
      "instructions": {kind: cost[kind] / waves for kind in KINDS},
      "summary": pipes.summary(by_pipe),
  }


def of_kernel(arch: str, name: str) -> dict:
  """The row of one of this build's kernels."""
  code_object = (_ffi.KERNEL_FOLDER / arch / f"{name}.hsaco").read_bytes()
  metadata, = (x for x in emulator.kernels(code_object) if x["name"] == name)
  waves = metadata["max_workgroup"] // 64
  row = _row(arch, name, metadata, waves, metadata["lds_bytes"],
             functools.partial(_launch_kernel, arch, name))
  return {**_parse(name), "peer": False, **row}


def _aligned(array: np.ndarray) -> np.ndarray:
  """A copy at a multiple of 256 bytes, as device memory is allocated."""
  memory = np.empty(array.nbytes + 256, np.uint8)
  start = -memory.ctypes.data % 256
  copy = memory[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
  copy[...] = array
  return copy


def _launch_triton(arch, peer, layout, tile, k_tiles) -> dict:
  from benchmarks import triton_peer

  m, n, k = tile[0], tile[1], tile[2] * k_tiles
  lhs_contracting, rhs_contracting = _contracting(layout)
  lhs = _aligned(_operand((m, k) if lhs_contracting else (k, m), "bfloat16"))
  rhs = _aligned(_operand((n, k) if rhs_contracting else (k, n), "bfloat16"))
  out = _aligned(np.zeros((m, n), lhs.dtype))
  arguments = peer.arguments(
      lhs.ctypes.data, rhs.ctypes.data, out.ctypes.data, m, n, k, lhs.shape[1],
      rhs.shape[1], n,
  )
  record = emulator.launch(
      peer.code_object, triton_peer.NAME, arguments, grid=1,
      block=64 * peer.waves, arch=arch, dynamic_lds=peer.lds_bytes,
      buffers=[lhs, rhs, out],
  )
  wanted = _product(lhs, rhs, lhs_contracting, rhs_contracting).astype(out.dtype)
  if not np.array_equal(out, wanted):
    raise RuntimeError(f"Triton's kernel for {arch} ({peer.options}) is wrong here.")
  return record.cost


def of_triton(arch: str) -> list[dict]:
  """A row for each layout: the Triton variant that uses the matrix pipe best.

  That is the one with the largest share, and among equals the largest share in turn.
  """
  from benchmarks import triton_peer

  rows = []
  for layout in ("rcr", "rrr", "ccr", "crr"):
    candidates = []
    num_cus = pipes.DEVICES[arch].num_cus
    for peer in triton_peer.variants(arch, *_contracting(layout), num_cus):
      (metadata,) = emulator.kernels(peer.code_object)
      tile = list(triton_peer.TILE)
      row = _row(arch, f"Triton {layout}", metadata, peer.waves, peer.lds_bytes,
                 functools.partial(_launch_triton, arch, peer, layout, tile))
      candidates.append({
          "dtypes": ["bfloat16"] * 2, "tile": tile, "layout": layout, "peer": True,
          "options": peer.options, **row,
      })
    best = max(candidates, key=lambda row: (
        round(row["summary"]["share"], 6), row["summary"]["share_in_turn"]
    ))
    rows.append({**best, "variants": len(candidates)})
  return rows
