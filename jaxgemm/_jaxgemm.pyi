# Types of the native module. Its functions are in ffi/bindings/module.cc.
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np

class _Names(TypedDict):
  operand_dtypes: tuple[str, ...]
  out_dtypes: tuple[str, ...]
  activations: tuple[str, ...]
  reductions: tuple[str, ...]
  schedules: tuple[str, ...]
  targets: dict[str, str]  # from a target's name to its platform
  mx_targets: list[str]
  fnuz_targets: list[str]
  chips: dict[str, tuple[str, int]]  # from a chip's name to its target and number of CUs
  rates: dict[str, tuple[float, float]]  # from an AMD chip's name to MHz, and GB/s of the memory
  gpu_kernels: list[tuple[str, str]]  # pairs of target and kernel name

class _HostKernel(TypedDict):
  name: str
  math: str
  available: bool
  runs: str | None

def registrations(command_buffers: bool) -> dict[str, dict[str, Any]]: ...
def set_kernel_folder(folder: str) -> None: ...
def set_emulator_library(path: str) -> None: ...
def names() -> _Names: ...
most_timeout_ns: int
def operands_error(lhs: str, rhs: str, target: str) -> str: ...
def host_kernels() -> list[_HostKernel]: ...
# `target` may also be the name of one of a target's chips.
def plan(
    problem: dict[str, str | int], config: dict[str, str | int], target: str,
    num_cus: int = 0,
) -> dict[str, Any]: ...
def xla_rules() -> list[dict[str, str]]: ...
def sm90_model() -> dict[str, tuple[float, bool]]: ...
def sm90_predictor(
    calls: list[tuple[dict[str, Any], dict[str, Any]]], chip: str, num_cus: int = 0,
) -> Callable[[dict[str, float]], list[float]]: ...
most_table_experts: int
most_top_k: tuple[int, int]  # of how many experts, and how many of them
def table_workspace(batch: int, choices: int, num_experts: int) -> int: ...
def start_trace() -> None: ...
def stop_trace() -> list[tuple[str, int, int, int, int]]: ...
def enumerate_work_tiles(
    batch: int, tiles_m: int, tiles_n: int, tiles_k: int, num_workgroups: int,
    num_queues: int = 0, group_m: int = 1, num_xcds: int = 1, cut_tiles: int = 0,
    num_shares: int = 0, order: Sequence[int] = (),
) -> np.ndarray: ...
