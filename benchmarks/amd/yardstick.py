r"""Kernel times that the plan predicts for AMD GPUs, beside the best that others measured.

    python -m benchmarks yardstick --table=aiter-gemm.csv.xz --markdown=amd-yardstick.md \
        --json=amd-yardstick.json
    python -m benchmarks yardstick --table=aiter-gemm.csv.xz --fit

The table has a product in each row: gfx, cus, kind, out, batch, m, n, k, and us, the time of the
best kernel that somebody found. Ours was made of the tuning tables of ROCm/aiter, in which
the kernels of all of AMD's libraries compete (assembler, CK, hipBLASLt, Triton); it is not in this
repository. These times are those of kernels alone, so they stand beside the predicted time
without the launch. Of several rows of a product the least time counts, and rows above the peak
rate of the data sheet are left out. No time is measured here, and no GPU is used.

Two thirds of the rows, chosen by SEED, were there to fit the constants of what a chip reaches
(JAXGEMM_AMD_REACHED and ramp_us in ffi/plan/amd/model.def), which --fit does again.
The errors are those of the other third. But the form of the model was chosen with all rows in
sight, and the measured kernels are not ours: an error has in it how much faster or slower they are.
"""

import collections
import csv
import lzma
from typing import Any

from absl import flags
import numpy as np

from benchmarks import amd
from jaxgemm import _ffi

SEED, HELD_OUT = 55, 1 / 3
CHIPS = {("gfx942", "304"): "MI300X", ("gfx942", "80"): "MI308X", ("gfx950", "256"): "MI355X",
         ("gfx950", ""): "MI355X"}
# Bits of an element of the operands, and the call's other fields, of each kind.
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "bfloat16": (16, {}), "fp8_row": (8, {"scale": 1, "row_scale": 1}),
    "int8_row": (8, {"scale": 1, "row_scale": 1}),
    "fp8_block128": (8, {"block_k": 128, "block_n": 128}),
    "mxfp8": (8, {"block_k": 32, "mx": 1}), "mxfp4": (4, {"block_k": 32, "mx": 1})}
ROWS = (1, 16, 64, 256, 1024)  # the largest m of the classes but the last
SHORT_US = 4  # a kernel is bound by its launch if neither CUs nor memory need so long
# If a prediction is too long by more than this factor, the report gives the likely reason.
LONGER = 1.2
# power_exponent, sustained_share and memory_norm of model.def. An exponent of 1.25 for the last one
# would have a slightly smaller error, but then the plan cuts tiles that the clock would not cut.
POWER, SHARE, NORM = 3, 0.94, 2
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_string("table", None, "The table, compressed by xz.", required=True)
  flags.DEFINE_bool("fit", False, "Fit what the chips reach.")


def read(path: str) -> dict[tuple, float]:
  """The least microseconds by chip, kind, out, batch, m, n and k."""
  best: dict[tuple, float] = {}
  with lzma.open(path, "rt") as file:
    for row in csv.DictReader(file):
      chip, us = CHIPS.get((row["gfx"], row["cus"])), float(row["us"])
      if chip is None or row["kind"] not in KINDS or not 0 < us < np.inf:
        continue
      batch, *sizes = (int(row[name]) for name in ("batch", "m", "n", "k"))
      bits = KINDS[row["kind"]][0]
      cus, mhz = _ffi.NAMES["chips"][chip][1], _ffi.NAMES["rates"][chip][0]
      peak = cus * mhz * 16 / bits * (1024 if chip != "MI355X" else 2048)  # in a microsecond
      if batch * np.prod(sizes, dtype=float) / us < peak:
        key = (chip, row["kind"], row["out"] or "bfloat16", batch, *sizes)
        best[key] = min(us, best.get(key, np.inf))
  return dict(sorted(best.items()))


def problem(chip: str, kind: str, out: str, batch: int, m: int, n: int, k: int) -> dict:
  """The fields of the plan's problem; both operands are contiguous along k, as in the tables."""
  float8 = "float8_e4m3fn" if chip == "MI355X" else "float8_e4m3fnuz"
  dtype = {"bfloat16": kind, "int8_row": "int8", "mxfp4": "float4_e2m1fn"}.get(kind, float8)
  return {"batch": batch, "m": m, "n": n, "k": k, "lhs_dtype": dtype, "rhs_dtype": dtype,
          "out_dtype": out, "lhs_contracting": 1, "rhs_contracting": 1,
          "lhs_batched": batch > 1, "rhs_batched": batch > 1, **KINDS[kind][1]}


def reason(row: dict) -> str:
  """Why our kernel takes longer than the measured one, as far as the plan shows it."""
  (tile_m, tile_n, _), cus = row["tile"], _ffi.NAMES["chips"][row["chip"]][1]
  tiles = row["batch"] * -(-row["m"] // tile_m) * -(-row["n"] // tile_n)
  if 2 * row["m"] <= tile_m:
    return f"few rows in a tile of {tile_m}"
  if row["workgroups"] <= cus / 2:
    return "few workgroups"
  if row["kind"] == "fp8_block128":
    return "scales of blocks"
  if row["m"] * row["n"] * row["batch"] < 0.75 * tiles * tile_m * tile_n:
    return "tiles beyond the end"
  if tiles > row["workgroups"] and tiles / row["workgroups"] % 1 < 0.5:
    return "last round"
  return "not known"


def compared(best: dict[tuple, float]) -> list[dict]:
  """A record of each product: its class, the measured time, and what the plan predicts."""
  held = np.random.default_rng(SEED).random(len(best)) < HELD_OUT
  rows = []
  for (key, us), is_held in zip(best.items(), held):
    chip, kind, out, batch, m, n, k = key
    plan = _ffi.native.plan(problem(*key), {}, chip, 0)
    parts, bits = plan["predicted_parts"], KINDS[kind][0]
    operands = (m + n) * k * bits / 8
    bound = ("launch" if max(parts["cus"], parts["memory"]) < SHORT_US else
             "memory" if parts["memory"] > parts["cus"] else "matrix")
    rows.append({
        **dict(zip(("chip", "kind", "out", "batch", "m", "n", "k"), key)), "us": us,
        "held": bool(is_held), "kernel_us": parts["kernel"], "ratio": parts["kernel"] / us,
        "cycles": parts["cus"] * parts["mhz"], "activity": parts["activity"],
        "megabytes": batch * (operands + m * n * np.dtype(
            "float32" if out == "float32" else "int16").itemsize) / 1e6,
        "bound": bound, "tile": plan["tile"], "schedule": plan["schedule"],
        "workgroups": plan["num_workgroups"],
        "rows": next((f"m <= {most}" for most in ROWS if m <= most), f"m > {ROWS[-1]}")})
  return rows


def figures(rows: list[dict]) -> dict[str, float]:
  ratios = np.array([row["ratio"] for row in rows])
  return {"rows": len(rows), "mean": float(np.exp(np.log(ratios).mean())),
          "low": float(np.quantile(ratios, 0.1)), "high": float(np.quantile(ratios, 0.9)),
          "error": float(np.median(abs(ratios - 1))),
          "rank": amd.rank_correlation([row["kernel_us"] for row in rows],
                                       [row["us"] for row in rows])}


def classes(rows: list[dict], *names: str) -> dict[str, dict[str, float]]:
  """The figures of each class that has at least ten rows."""
  found = collections.defaultdict(list)
  for row in rows:
    found[", ".join(row[name] for name in names)].append(row)
  return {name: figures(found[name]) for name in sorted(found) if len(found[name]) >= 10}


def goals(rows: list[dict]) -> dict[str, dict[str, float]]:
  """The classes in which the plan's choice is to be as fast as the measured kernels."""
  of = {"bfloat16, m >= 256": lambda x: x["kind"] == "bfloat16" and x["m"] >= 256,
        "bfloat16, m <= 64": lambda x: x["kind"] == "bfloat16" and x["m"] <= 64,
        "other types, m <= 64": lambda x: x["kind"] != "bfloat16" and x["m"] <= 64,
        "scales of blocks of 128, m > 64": lambda x: x["kind"] == "fp8_block128" and x["m"] > 64}
  return {name: figures([*filter(holds, rows)]) for name, holds in of.items()}


def fit(rows: list[dict]) -> dict[str, Any]:
  """The constants with the least mean error, each kind and size of each chip weighing alike.

  Few rows of other types than bfloat16 are left out, because we have no kernels of their kind. But
  of all rows that are bound by the memory, the fastest tenth says what a chip's memory reaches.
  """
  rows = [row for row in rows if not row["held"]]
  column = lambda name: np.array([row[name] for row in rows])
  chip, us, cycles, megabytes = map(column, ("chip", "us", "cycles", "megabytes"))
  is_large = (megabytes > 64) & (column("m") <= 64)
  group = list(zip(chip, column("kind"), np.digitize(us, (8, 20, 100))))
  count = collections.Counter(group)
  weights = np.array([count[each] ** -0.5 for each in group])
  weights *= (column("kind") == "bfloat16") | (column("m") > 128)
  faster = (SHARE / np.maximum(column("activity"), 1e-3)) ** (1 / POWER)
  best: dict[str, Any] = {"error": np.inf}
  for ramp in np.arange(0, us.min(), 0.5):
    total, found = 0.0, {}
    for name in dict.fromkeys(chip):
      mhz, gb_per_s = _ffi.NAMES["rates"][name]
      mine = chip == name
      large = mine & is_large
      share = np.quantile(megabytes[large] * 1e3 / (us[large] - ramp), 0.9) / gb_per_s
      memory = megabytes[mine] * 1e3 / gb_per_s / share

      def loss(sustained, mine=mine, memory=memory, mhz=mhz):
        on_cus = cycles[mine] / np.minimum(mhz, sustained * faster[mine])
        time = ramp + (on_cus**NORM + memory**NORM) ** (1 / NORM)
        return (weights[mine] * abs(np.log(time / us[mine]))).sum()

      sustained = min(range(700, int(mhz), 10), key=loss)
      total += loss(sustained)
      found[name] = {"sustained_mhz": sustained, "memory_share": round(float(share), 3)}
    if total / weights.sum() < best["error"]:
      best = {"error": total / weights.sum(), "ramp_us": ramp, **found}
  return best


def _table(head: str, found: dict[str, dict[str, float]]) -> str:
  return amd.table(
      [head, "rows", "geometric mean", "10 %", "90 %", "median error", "rank correlation"],
      [[name, each["rows"], *(f"{each[key]:.2f}" for key in ("mean", "low", "high")),
        f"{each['error']:.0%}", f"{each['rank']:.2f}"] for name, each in found.items()])


def worst(rows: list[dict]) -> str:
  """The ten rows that are predicted too long the most, and the ten too short."""
  ordered = sorted(rows, key=lambda row: row["ratio"])
  lines = [[f"{row['chip']} {row['kind']}", f"{row['batch']} x " * (row["batch"] > 1) +
            " x ".join(str(row[name]) for name in "mnk"),
            f"{'x'.join(map(str, row['tile'][:2]))} {row['schedule']}", f"{row['ratio']:.2f}"]
           for row in (*ordered[:10], *ordered[:-11:-1])]
  return amd.table(["", "m x n x k", "chosen by the plan", "predicted / measured"], lines, 3)


def reasons(rows: list[dict]) -> list[list]:
  """Where the measured kernels are faster than ours by prediction: kind, rows, reason, number."""
  found: dict[tuple, list[float]] = collections.defaultdict(list)
  for row in rows:
    if row["ratio"] > LONGER:
      found[row["chip"], row["kind"], row["rows"], reason(row)].append(row["ratio"])
  ordered = sorted(found.items(), key=lambda item: -len(item[1]))
  return [[*key, len(mine), f"{np.exp(np.log(mine).mean()):.2f}"] for key, mine in ordered]


def markdown(rows: list[dict], held: dict[str, dict[str, dict]]) -> str:
  explained = [part.strip() for part in (__doc__ or "").split("\n\n")[2:]]
  return "\n\n".join([
      "# Predicted kernel times on AMD GPUs, beside measured ones of other libraries", *explained,
      f"Command: `{amd.about()['command']}`. A ratio is the predicted time over the measured one.",
      "## The rows left out of the fit", *(_table(name, each) for name, each in held.items()),
      "## All rows: our choice beside the best of other libraries", _table("", goals(rows)),
      f"Where the prediction is longer than the measured time by more than {LONGER - 1:.0%}:",
      amd.table(["chip", "kind", "rows of lhs", "reason", "rows", "geometric mean"],
                reasons(rows)[:40], 4),
      "## The most too short, and the most too long", worst(rows)]) + "\n"


def main(_) -> int:
  rows = compared(read(FLAGS.table))
  if FLAGS.fit:
    print(fit(rows))
    return 0
  left_out = [row for row in rows if row["held"]]
  of = {"all": lambda x: True, "m <= 64": lambda x: x["m"] <= 64, "m > 64": lambda x: x["m"] > 64,
        "m > 64, no scales of blocks": lambda x: x["m"] > 64 and x["kind"] != "fp8_block128"}
  held = {"rows of lhs": {name: figures([*filter(holds, left_out)]) for name, holds in of.items()},
          "kind": classes(left_out, "chip", "kind"),
          "bound by": classes(left_out, "chip", "bound"),
          "rows of lhs, chip": classes(left_out, "chip", "rows")}
  amd.write(markdown(rows, held), {"held_out": held, "goals": goals(rows),
                                   "longer": reasons(rows)})
  return 0
