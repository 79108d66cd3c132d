"""The report of `python -m benchmarks train_step`, from the rows of moe_rows.py."""

from typing import Any

HEADER = (
    "| experts | top k | features | hidden | tokens | ragged_dot | ms a step "
    "[quartiles] | its time / jaxgemm's | TFLOP/s of grouped products | GB: arguments "
    "+ temporary | loss | largest difference of a gradient |\n"
    f"{'|---' * 12}|\n"
)


def lines(row: dict[str, Any]) -> list[str]:
  """A row's lines of the table under HEADER."""
  keys = ("num_experts", "top_k", "features", "hidden_features", "tokens")
  case = [str(row[key]) for key in keys]
  found = []
  for name, entry in row["candidates"].items():
    ms = {key: 1e3 * value for key, value in entry["seconds"].items()}
    ratio = entry.get("ratio")
    size = {key: value / 1e9 for key, value in entry["bytes"].items()}
    compared = ratio is not None
    found.append([
        *case, name, f"{ms['median']:.2f} [{ms['q1']:.2f}, {ms['q3']:.2f}]",
        f"{ratio['median']:.2f} [{ratio['q1']:.2f}, {ratio['q3']:.2f}]"
        if compared else "-",
        f"{entry['tflops']:.3g}", f"{size['arguments']:.2f} + {size['temporary']:.2f}",
        f"{entry['loss']:.6f}",
        f"{max(row['gradients'].values()):.1e}" if compared else "-"])
  found += [[*case, name, why[:160], *"-----"] for name, why in row["missing"].items()]
  return [f"| {' | '.join(cells)} |" for cells in found]


def markdown(rows: list[dict[str, Any]], about: dict[str, Any]) -> str:
  """The whole report."""
  driver = f", driver {about['driver']}" if about["driver"] else ""
  where = f"{about['device']}{driver}; {about['cpu']}, {about['threads']} thread(s)"
  table = HEADER + "\n".join(line for row in rows for line in lines(row))
  return "\n".join([
      "# A training step of a mixture of experts", "",
      f"{where}; jax {about['jax']}, jaxlib {about['jaxlib']}, jaxgemm "
      f"{about['jaxgemm']}; {about['date']}.", "", f"`{about['command']}`", "",
      "Forward, backward and an update by optax.adamw of one layer "
      "(jaxgemm.flax.nnx.MoE, bfloat16 with float32 parameters) with `ragged_dot` "
      f"exchanged. Medians by the {about['clock']} clock, turn by turn in one process; "
      "ratios are of the same round. Memory is what XLA says of the compiled step. "
      "Losses and gradients are those of the first step, which both begin with the "
      "same parameters.", "", table, ""])
