"""Draws the loss curve of a training run, and the load of its experts.

train_lm.py writes the picture: run that.
"""

import pathlib

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402  (after the choice of backend)
import numpy as np  # noqa: E402


def smooth(values: np.ndarray) -> np.ndarray:
  """Moving average over a window that is centred, except near the end of the curve."""
  count = len(values)
  index = np.arange(count)
  half = np.minimum(index, max(1, count // 40))
  end = np.minimum(index + half + 1, count)
  total = np.concatenate([[0.0], np.cumsum(values)])
  return (total[end] - total[index - half]) / (end - index + half)


def draw_load(ax, load: list) -> None:
  """Bars of each expert's share at the end; `load` is metrics["expert_load"]."""
  step, layers = load[-1]
  num_experts = len(layers[0])
  width = 0.8 / len(layers)
  for index, shares in enumerate(layers):
    offset = (index - (len(layers) - 1) / 2) * width
    ax.bar(
        np.arange(num_experts) + offset, 100 * np.asarray(shares), width,
        color=plt.colormaps["viridis"](0.25 + 0.5 * index / max(1, len(layers) - 1)),
        label=f"block {index + 1}",
    )
  ax.axhline(100 / num_experts, color="0.4", linestyle=":", linewidth=1, label="even")
  ax.set_xticks(range(num_experts))
  ax.set_xlabel("expert")
  ax.set_ylabel("per cent of the layer's rows")
  ax.set_title(f"Expert load on held-out text, step {step}", fontsize=10)
  ax.legend(frameon=False, fontsize=8, ncols=len(layers) + 1, loc="upper center")
  ax.set_ylim(0, 1.25 * 100 * max(map(max, layers)))
  for side in ("top", "right"):
    ax.spines[side].set_visible(False)


def save(metrics: dict, path: pathlib.Path) -> None:
  """Writes the curves of `train_lm.run`'s metrics to `path`, a PNG file."""
  losses = np.asarray(metrics["loss"])
  steps = np.arange(1, len(losses) + 1)
  held_steps, held_losses = np.asarray(metrics["held_out"]).T
  fig, (ax, load_ax) = plt.subplots(
      2, figsize=(9, 7.4), dpi=150, height_ratios=(5, 2), layout="constrained"
  )
  draw_load(load_ax, metrics["expert_load"])
  ax.plot(
      steps, losses, color="#9ecae1", linewidth=0.8, label="training, each step"
  )
  ax.plot(
      steps, smooth(losses), color="#08519c", linewidth=2,
      label="training, smoothed",
  )
  ax.plot(
      held_steps, held_losses, color="#d94801", linewidth=1.5, marker="o",
      markersize=5, label="held out",
  )
  ax.axhline(np.log(256), color="0.6", linestyle=":", linewidth=1)
  ax.annotate(
      "uniform over 256 bytes", (1, np.log(256)),
      xycoords=("axes fraction", "data"),
      xytext=(-4, -4), textcoords="offset points", ha="right", va="top",
      fontsize=8, color="0.45",
  )
  ax.annotate(
      f"{held_losses[-1]:.2f}", (held_steps[-1], held_losses[-1]),
      xytext=(0, 9), textcoords="offset points", ha="right",
      color="#d94801", fontweight="bold",
  )
  ax.set_xlim(0, max(len(losses), 1) * 1.02)
  ax.set_ylim(0, 1.05 * max(np.log(256), losses.max()))
  ax.set_xlabel("step")
  ax.set_ylabel("loss, nats per byte")
  bits = ax.secondary_yaxis(
      "right", functions=(lambda x: x / np.log(2), lambda x: x * np.log(2))
  )
  bits.set_ylabel("bits per byte")
  per_step = metrics["tokens_per_step"]
  tokens = ax.secondary_xaxis(
      "top", functions=(lambda x: x * per_step / 1e3, lambda x: x / per_step * 1e3)
  )
  tokens.set_xlabel("thousand tokens")
  ax.set_title(
      "Byte-level mixture of experts on the standard library's source\n"
      f"{metrics['parameters'] / 1e6:.1f}M parameters, {metrics['dtype']} products "
      f"by jaxgemm, {metrics['tokens_per_second']:,.0f} tokens/s",
      fontsize=11,
  )
  ax.grid(alpha=0.25)
  ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.88))
  for side in ("top", "right"):
    ax.spines[side].set_visible(False)
  fig.savefig(path)
  plt.close(fig)


def save_comparison(results: dict[str, dict], path: pathlib.Path) -> None:
  """Writes the loss curves of several trainings over each other to `path`, a PNG file.

  Args:
    results: the metrics of `train_lm.run` by name; the others are compared with the first.
    path: the file.
  """
  fig, (ax, ratio_ax) = plt.subplots(
      2, sharex=True, figsize=(9, 7.4), dpi=150, height_ratios=(5, 2), layout="constrained")
  first = next(iter(results))
  base = smooth(np.asarray(results[first]["loss"]))
  for index, (name, metrics) in enumerate(results.items()):
    losses = smooth(np.asarray(metrics["loss"]))
    steps = np.arange(1, len(losses) + 1)
    options = dict(color=f"C{index}", linewidth=2 if index == 0 else 1.2)
    ax.plot(steps, losses, label=f"{name}, training, smoothed", **options)
    held_steps, held_losses = np.asarray(metrics["held_out"]).T
    ax.plot(held_steps, held_losses, color=f"C{index}", linestyle="", marker="o",
            markersize=4, label=f"{name}, held out: {held_losses[-1]:.3f} at the end")
    shared = min(len(base), len(losses))
    ratio_ax.plot(steps[:shared], losses[:shared] / base[:shared], **options)
  metrics = results[first]
  ax.set_ylabel("loss, nats per byte")
  ax.set_title(
      "Byte-level mixture of experts on the standard library's source\n"
      f"{metrics['parameters'] / 1e6:.1f}M parameters, {metrics['tokens_per_step']} tokens a step",
      fontsize=11)
  ax.legend(frameon=False, fontsize=8, ncols=2)
  ratio_ax.axhspan(0.99, 1.01, color="0.9", label="within 1 %")
  ratio_ax.set_ylim(0.95, 1.05)
  ratio_ax.set_ylabel(f"over {first}")
  ratio_ax.set_xlabel("step")
  ratio_ax.legend(frameon=False, fontsize=8)
  for each in (ax, ratio_ax):
    each.grid(alpha=0.25)
    for side in ("top", "right"):
      each.spines[side].set_visible(False)
  fig.savefig(path)
  plt.close(fig)
