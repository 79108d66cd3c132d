"""Trains a byte-level mixture of experts with all its products in jaxgemm.

    python examples/train_lm.py --seconds=75 --out_dir=out/train_lm

The text is the source of Python's standard library. Before and after training the
loss and all gradients are compared with the same model on jax's own products; the
exit status is 1 if they differ by more than the tolerances. `--out_dir` receives
`loss.png` and `metrics.json`.

On several devices, sequences are sharded along both axes of a mesh and experts along one. A machine
without GPUs gets virtual CPU devices:

    python examples/train_lm.py --mesh=data:2,expert:4

The products with the layers' weights can be in float8, by several recipes one after the other. Then
`loss.png` shows their losses over each other, and `out_dir` has a folder for each:

    python examples/train_lm.py --steps=2000 --microbatches=4 --recipe=bf16,fp8_rowwise,mxfp8
"""

import contextlib
import functools
import importlib.metadata
import itertools
import json
import math
import os
import pathlib
import time

from absl import app, flags, logging
import byte_lm
from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
import kernel_report
import loss_plot
import numpy as np
import optax
from rich import progress as rich_progress
from rich.console import Console
from rich.table import Table

import jaxgemm

FLAGS = flags.FLAGS
flags.DEFINE_float("seconds", 75.0, "Training time, evaluation included.")
flags.DEFINE_integer("steps", None, "Train for this many steps instead.")
flags.DEFINE_integer("batch_size", 16, "Sequences in a step.", lower_bound=1)
flags.DEFINE_integer(
    "microbatches", 1,
    "Parts of a batch, whose gradients are added up. In float8 weights are quantised once for all.",
    lower_bound=1)
flags.DEFINE_integer("seq_len", 128, "Bytes in a sequence.", lower_bound=2)
flags.DEFINE_integer(
    "num_layers", 3, "Transformer blocks; all but the first have experts.",
    lower_bound=2,
)
flags.DEFINE_integer("num_experts", 8, "Experts, two to a token.", lower_bound=2)
flags.DEFINE_integer("embed_dim", 128, "Channels of the residual stream.")
flags.DEFINE_float("learning_rate", 3e-3, "Learning rate after the warm-up, its peak.")
flags.DEFINE_string("out_dir", "out/train_lm", "Folder for the plot and the metrics.")
flags.DEFINE_integer("seed", 0, "Seed of the parameters, batches and sample.")
flags.DEFINE_enum("dtype", "bfloat16", ["bfloat16", "float32"], "Type of the products.")
flags.DEFINE_string("implementation", None, "The implementation= of every jaxgemm call.")
flags.DEFINE_integer("sample_bytes", 400, "Length of the text written at the end.")
flags.DEFINE_float(
    "loss_tolerance", None,
    "Largest relative difference of the loss from the model on jax's products. "
    "Default: 1e-3 for bfloat16, 1e-5 for float32.",
)
flags.DEFINE_float(
    "grad_tolerance", None,
    "Largest relative difference of any parameter's gradient (Frobenius norm) from "
    "the model on jax's products. Default: 2e-2 for bfloat16, 1e-4 for float32.",
)

flags.DEFINE_list(
    "mesh", [], "Axes of the mesh as name:devices, one of them expert; empty: one device.")
flags.DEFINE_enum(
    "dispatch", "gather", ["gather", "all_to_all"],
    "With --mesh, how tokens get to their experts; see jaxgemm.flax.moe.")

# Recipes of --recipe and of jaxgemm.fp8. None: products in --dtype.
RECIPES = {
    "bf16": None, "fp8_tensorwise": "tensorwise", "fp8_rowwise": "rowwise",
    "fp8_blockwise": "blockwise", "mxfp8": "mxfp8",
}
flags.DEFINE_list(
    "recipe", ["bf16"],
    f"How products are computed, one or several of {', '.join(RECIPES)}. bf16: in --dtype.")

TOLERANCES = {"bfloat16": (1e-3, 2e-2), "float32": (1e-5, 1e-4)}
# These are large, because a difference of one rounding may quantise an element to the other
# neighbour, and a cotangent in float8_e5m2 has neighbours that differ by a quarter. Also, the layer
# of experts with a recipe quantises its hidden rows elsewhere than the reference does.
FP8_TOLERANCES = (5e-3, 2e-1)


def make_mesh():
  """The mesh of --mesh, or None. Where there is no GPU it gets virtual CPU devices."""
  if not FLAGS.mesh:
    return None
  axes = dict(axis.split(":", 1) if ":" in axis else (axis, "") for axis in FLAGS.mesh)
  if "expert" not in axes or not all(size.isdigit() and int(size) for size in axes.values()):
    raise app.UsageError(
        f"--mesh={','.join(FLAGS.mesh)} was given; name:devices is allowed for each axis, "
        "and one axis is expert: --mesh=data:2,expert:4.")
  shape = tuple(map(int, axes.values()))
  count = math.prod(shape)
  for name, size, parts in (("batch_size", FLAGS.batch_size, count * FLAGS.microbatches),
                            ("num_experts", FLAGS.num_experts, int(axes["expert"]))):
    if size % parts:
      raise app.UsageError(
          f"--{name}={size} is no multiple of {parts}, over which --mesh shards it.")
  if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
    jax.config.update("jax_num_cpu_devices", count)
  if jax.device_count() < count:
    raise app.UsageError(
        f"--mesh={','.join(FLAGS.mesh)} needs {count} devices; there are "
        f"{jax.device_count()} of {jax.default_backend()}.")
  return jax.make_mesh(shape, tuple(axes), axis_types=(AxisType.Auto,) * len(axes),
                       devices=jax.devices()[:count])


class Stages:
  """Prints each stage when it begins, because compilation takes seconds."""

  def __init__(self, console: Console):
    self._console = console
    self._begin = time.perf_counter()

  @contextlib.contextmanager
  def __call__(self, what: str):
    seconds = time.perf_counter() - self._begin
    self._console.print(f"{seconds:4.0f} s  {what} ...")
    with self._console.status(what):  # an animation on a terminal
      yield


class AgreementError(Exception):
  """Loss or gradients differ from those of the model on jax's products."""


class Agreement:
  """Compares loss and gradients of two models of the same parameters."""

  def __init__(
      self, model, reference, loss_tolerance, grad_tolerance, console, stage
  ):
    self._console = console
    self._stage = stage
    self._compiled = [self._loss_and_grads(m) for m in (model, reference)]
    self._loss_tolerance = loss_tolerance
    self._grad_tolerance = grad_tolerance

  @staticmethod
  def _loss_and_grads(model):
    graphdef, _ = nnx.split(model)
    loss = lambda params, tokens, experts=None: byte_lm.loss_fn(
        nnx.merge(graphdef, params), tokens, experts
    )
    return jax.jit(jax.value_and_grad(loss, has_aux=True))

  def check(self, params, tokens, when: str) -> dict:
    """Returns the differences; raises AgreementError if one is too large."""
    ours, reference = self._compiled
    what = f"Loss and gradients {when}, "
    with self._stage(what + "by jaxgemm"):
      (_, (loss, experts)), grads = jax.block_until_ready(ours(params, tokens))
    # The routing is the same: where two experts are nearly tied, a rounding error may choose the
    # other one, which is not wrong but changes the gradients.
    with self._stage(what + "by jax's own products"):
      (_, (loss_ref, _)), grads_ref = jax.block_until_ready(
          reference(params, tokens, experts)
      )
    loss_error = float(abs(loss - loss_ref) / abs(loss_ref))
    pairs = zip(
        jax.tree_util.tree_leaves_with_path(nnx.to_pure_dict(grads)),
        jax.tree.leaves(nnx.to_pure_dict(grads_ref)),
        strict=True,
    )
    errors = {}
    for (path, grad), ref in pairs:
      ref = np.asarray(ref, np.float64)
      norm = np.linalg.norm(ref)
      name = jax.tree_util.keystr(path, simple=True, separator=".")
      errors[name] = float(np.linalg.norm(np.asarray(grad) - ref) / norm)
    # Not max(): it would ignore a NaN, and a NaN must fail the check.
    worst = sorted(errors, key=lambda n: (np.isfinite(errors[n]), -errors[n]))[0]
    result = {
        "when": when, "loss": float(loss), "loss_jnp": float(loss_ref),
        "loss_error": loss_error, "loss_tolerance": self._loss_tolerance,
        "grad_errors": errors, "worst_grad": worst,
        "worst_grad_error": errors[worst], "grad_tolerance": self._grad_tolerance,
    }
    text = (
        f"{when}: loss {loss:.5f} by jaxgemm, {loss_ref:.5f} by jax; "
        f"relative difference {loss_error:.1e}, tolerance "
        f"{self._loss_tolerance:.0e}. Gradients of {len(errors)} parameters; "
        f"largest relative difference {errors[worst]:.1e} ({worst}), tolerance "
        f"{self._grad_tolerance:.0e}."
    )
    if not (
        loss_error <= self._loss_tolerance
        and errors[worst] <= self._grad_tolerance
    ):
      raise AgreementError(text)
    self._console.print(f"Agrees {text}")
    return result


def make_optimizer(model) -> nnx.Optimizer:
  tx = optax.chain(
      optax.clip_by_global_norm(1.0),
      # The rate is set before each step: under --seconds it follows the clock.
      optax.inject_hyperparams(optax.adamw)(
          learning_rate=0.0, b2=0.95, weight_decay=0.1
      ),
  )
  return nnx.Optimizer(model, tx, wrt=nnx.Param)


def compile_step(model, optimizer, tokens, mesh, recipe):
  """(compiled step (state, tokens, rate) -> (state, loss), graphdef, state)."""
  graphdef, state = nnx.split((model, optimizer))
  shardings = None
  if mesh is not None:
    shardings = jax.tree.map(
        lambda spec: NamedSharding(mesh, spec), byte_lm.param_specs(state))
    state = jax.device_put(state, shardings)

  @functools.partial(jax.jit, donate_argnums=0, out_shardings=(shardings, None))
  def step(state, tokens, rate):
    model, optimizer = nnx.merge(graphdef, state)
    model_def, params = nnx.split(model)
    weights = params if recipe is None else byte_lm.prepared(params, recipe)

    def add(total, tokens):
      loss_of = lambda weights: byte_lm.loss_fn(nnx.merge(model_def, weights), tokens)
      (_, (loss, _)), grads = jax.value_and_grad(loss_of, has_aux=True)(weights)
      return jax.tree.map(jnp.add, total, (loss, jaxgemm.fp8.originals(grads))), None

    parts = tokens.reshape(FLAGS.microbatches, -1, tokens.shape[-1])
    total, _ = jax.lax.scan(
        add, (jnp.float32(0), jax.tree.map(jnp.zeros_like, params)), parts)
    loss, grads = jax.tree.map(lambda x: x / FLAGS.microbatches, total)
    optimizer.opt_state[1].hyperparams["learning_rate"][...] = rate
    optimizer.update(model, grads)
    return nnx.state((model, optimizer)), loss

  rate = jax.ShapeDtypeStruct((), jnp.float32)
  return step.lower(state, tokens, rate).compile(), graphdef, state


def train(step, state, text, evaluate, console) -> tuple:
  """Runs the training loop; returns (state, history)."""
  rate_of = optax.warmup_cosine_decay_schedule(
      0.0, FLAGS.learning_rate, warmup_steps=50, decay_steps=1000,
      end_value=0.05 * FLAGS.learning_rate,
  )
  stream = byte_lm.batches(text, FLAGS.batch_size, FLAGS.seq_len, FLAGS.seed)
  tokens_per_step = FLAGS.batch_size * FLAGS.seq_len
  history = {"loss": [], "held_out": [], "load": [], "speed": 0.0}
  bar = rich_progress.Progress(
      rich_progress.BarColumn(20),
      rich_progress.TaskProgressColumn(),
      rich_progress.TextColumn("{task.description}"),
      rich_progress.TimeRemainingColumn(),
      console=console,
  )
  busy, done, next_eval = 0.0, 0.0, 0.0
  start = time.perf_counter()
  with bar:
    task = bar.add_task("before the first step", total=1.0)
    for index in itertools.count():
      elapsed = time.perf_counter() - start
      done = index / FLAGS.steps if FLAGS.steps else elapsed / FLAGS.seconds
      if done >= next_eval or done >= 1.0:
        held_out, load = evaluate(state)
        history["held_out"].append((index, held_out))
        history["load"].append((index, load.tolist()))
        busiest = " and ".join(f"{100 * max(layer):.0f} %" for layer in load)
        console.print(
            f"step {index}: held-out loss {held_out:.3f} nats/byte; "
            f"busiest experts' load {busiest}"
        )
        next_eval += 0.1
      if done >= 1.0:
        break
      begin = time.perf_counter()
      rate = jnp.float32(rate_of(1000 * done))
      state, loss = step(state, next(stream), rate)
      history["loss"].append(float(loss))
      busy += time.perf_counter() - begin
      history["speed"] = (index + 1) * tokens_per_step / busy
      bar.update(
          task, completed=min(done, 1.0),
          description=f"step {index + 1}  loss {float(loss):.3f}  "
          f"{history['speed']:,.0f} tokens/s",
      )
    bar.update(task, completed=1.0)
  return state, history


def run(products: byte_lm.Products, options: dict, console: Console, mesh,
        recipe: str | None = None) -> dict:
  """Trains with `products`, and checks them against jax's; returns metrics.

  Args:
    recipe: the recipe of products in float8, which are checked against the same ones by XLA.
  """
  length = f"{FLAGS.steps} steps" if FLAGS.steps else f"{FLAGS.seconds:g} s"
  console.print(
      f"Trains a byte-level mixture of experts for {length}; before and after that "
      "its loss and gradients are checked against the same model on jax's own "
      "products. Parameters, compilation and checks take about a minute more on two "
      "CPUs."
  )
  stage = Stages(console)
  dtype = jnp.dtype(FLAGS.dtype)
  tolerances = TOLERANCES[FLAGS.dtype] if recipe is None else FP8_TOLERANCES
  if FLAGS.loss_tolerance is not None:
    tolerances = (FLAGS.loss_tolerance, tolerances[1])
  if FLAGS.grad_tolerance is not None:
    tolerances = (tolerances[0], FLAGS.grad_tolerance)
  calls = {}
  build = lambda products, mesh=None: byte_lm.ByteLM(
      FLAGS.embed_dim, FLAGS.num_layers, FLAGS.num_experts, dtype, products,
      rngs=nnx.Rngs(FLAGS.seed), mesh=mesh,
      dispatch="gather" if mesh is None else FLAGS.dispatch,
  )
  with stage("Making the parameters"):
    model = build(products, mesh)
  # The other models are only traced, or run on the parameters of this one.
  declare = lambda products: nnx.eval_shape(lambda: build(products))
  reference = declare(byte_lm.jnp_products() if recipe is None else
                      byte_lm.fp8_products(recipe, implementation="xla"))
  size = sum(x.size for x in jax.tree.leaves(nnx.state(model)))
  text, held_out_text = byte_lm.load_text()
  console.print(
      f"jaxgemm {importlib.metadata.version('jaxgemm')}, jax {jax.__version__}, "
      f"{jax.devices()[0].device_kind}: {FLAGS.num_layers} layers of "
      f"{FLAGS.embed_dim}, {FLAGS.num_experts} experts, {size:,} parameters, "
      f"{FLAGS.dtype}; "
      f"{len(text):,} bytes of training text, {len(held_out_text):,} held out"
  )
  held_out = byte_lm.batches(held_out_text, FLAGS.batch_size, FLAGS.seq_len, 1)
  held_out = [next(held_out) for _ in range(4)]

  if mesh is not None:
    console.print(f"Mesh of {mesh.size} devices: " + ", ".join(
        f"{size} along {name}" for name, size in mesh.shape.items())
        + f"; dispatch by {FLAGS.dispatch}. The table of products has those of one device "
        "that computes all.")
  agreement = Agreement(model, reference, *tolerances, console, stage)
  checks = [agreement.check(nnx.state(model), held_out[0], "before training")]
  # A separate model for tracing keeps the recorder out of the one that trains.
  recorder = declare(byte_lm.recorded(products, calls))
  nnx.eval_shape(lambda model, x: model(x), recorder, held_out[0][:, :-1])
  # In float8 the recorded operands are not yet quantised, so their plans would be wrong.
  plans = kernel_report.print_plans(console, calls, options) if recipe is None else []

  with stage("Compiling the training step"):
    step, graphdef, state = compile_step(
        model, make_optimizer(model), held_out[0], mesh, recipe)
  compiled = kernel_report.compiled_calls(step.as_text())
  console.print(f"Compiled train step: {kernel_report.summary(compiled)}")
  params_of = lambda state: nnx.state(nnx.merge(graphdef, state)[0])
  model_def = nnx.graphdef(model)
  evaluate_on = jax.jit(
      lambda params, tokens: byte_lm.evaluate(nnx.merge(model_def, params), tokens)
  )

  def evaluate(state) -> tuple[float, np.ndarray]:
    """(held-out loss, share of each layer's routed rows that each expert gets)."""
    losses, stats = zip(*(evaluate_on(params_of(state), t) for t in held_out))
    rows = np.sum([s.tokens_per_expert for s in stats], axis=0)
    return float(np.mean(losses)), rows / rows.sum(axis=1, keepdims=True)

  with stage("Compiling the evaluation"):  # before the clock starts
    evaluate(state)
  state, history = train(step, state, text, evaluate, console)
  params = params_of(state)
  checks.append(agreement.check(params, held_out[0], "after training"))
  kernel_report.print_expert_load(console, history["load"][-1][1])

  if FLAGS.sample_bytes:
    with stage("Writing a sample"):
      if mesh is not None:  # one sequence, on one device
        model_def = nnx.graphdef(declare(products))
        params = jax.device_put(params, jax.devices()[0])
      written = byte_lm.sample(
          nnx.merge(model_def, params), b"def ", FLAGS.sample_bytes, FLAGS.seq_len,
          jax.random.key(FLAGS.seed),
      )
    console.rule("A sample")
    console.print(written.decode("utf-8", "replace"), markup=False, highlight=False)
    console.rule()
  return {
      "parameters": size, "dtype": FLAGS.dtype, "steps": len(history["loss"]),
      "tokens_per_step": FLAGS.batch_size * FLAGS.seq_len,
      "tokens_per_second": history["speed"], "loss": history["loss"],
      "held_out": history["held_out"], "expert_load": history["load"],
      "agreement": checks,
      "products": plans, "compiled_step": compiled,
  }


def main(argv, products: byte_lm.Products | None = None) -> int:
  if len(argv) > 1:
    raise app.UsageError(f"Unexpected arguments: {argv[1:]}")
  if not FLAGS["verbosity"].present:
    logging.set_verbosity(logging.WARNING)  # no warning that there is no TPU
  console = Console()
  mesh = make_mesh()
  options = {}
  if FLAGS.implementation is not None:
    options["implementation"] = FLAGS.implementation
  unknown = [name for name in FLAGS.recipe if name not in RECIPES]
  if unknown or not FLAGS.recipe:
    raise app.UsageError(
        f"--recipe={','.join(FLAGS.recipe)} was given; one or several of {', '.join(RECIPES)} "
        "are allowed, with commas.")
  if FLAGS.batch_size % FLAGS.microbatches:
    raise app.UsageError(
        f"--batch_size={FLAGS.batch_size} is no multiple of --microbatches={FLAGS.microbatches}.")
  out_dir = pathlib.Path(FLAGS.out_dir)
  several = len(FLAGS.recipe) > 1
  results = {}
  for name in FLAGS.recipe:
    recipe = RECIPES[name]
    if several:
      console.rule(name)
    ours = (byte_lm.jaxgemm_products(**options) if recipe is None else
            byte_lm.fp8_products(recipe, **options))
    try:
      metrics = run(products or ours, options, console, mesh, recipe)
    except AgreementError as e:
      logging.error("Disagrees %s", e)
      return 1
    results[name] = metrics
    save(metrics, out_dir / name if several else out_dir, console)
  if several:
    compare(results, out_dir, console)
  return 0


def save(metrics: dict, out_dir: pathlib.Path, console: Console) -> None:
  """Writes metrics.json and loss.png of one training."""
  out_dir.mkdir(parents=True, exist_ok=True)
  (out_dir / "metrics.json").write_text(json.dumps(metrics, indent=1))
  loss_plot.save(metrics, out_dir / "loss.png")
  console.print(
      f"Held-out loss {metrics['held_out'][0][1]:.3f} -> "
      f"{metrics['held_out'][-1][1]:.3f} nats/byte in {metrics['steps']} steps, "
      f"{metrics['tokens_per_second']:,.0f} tokens/s; "
      f"plot in {out_dir / 'loss.png'}"
  )


def compare(results: dict[str, dict], out_dir: pathlib.Path, console: Console) -> None:
  """Prints, plots and writes the last losses of several trainings."""
  summary = {}
  for name, metrics in results.items():
    # The mean of the last twentieth, because the loss of one step depends on its text.
    last = metrics["loss"][-max(1, len(metrics["loss"]) // 20):]
    summary[name] = {
        "steps": metrics["steps"], "training": float(np.mean(last)),
        "held_out": metrics["held_out"][-1][1],
        "tokens_per_second": metrics["tokens_per_second"],
        "loss_errors": [check["loss_error"] for check in metrics["agreement"]],
        "worst_grad_errors": [check["worst_grad_error"] for check in metrics["agreement"]],
    }
  first = next(iter(summary))
  table = Table(title=f"Losses at the end, nats per byte, and over those of {first}")
  for column in ("recipe", "steps", "training", "ratio", "held out", "ratio"):
    table.add_column(column, justify="left" if column == "recipe" else "right")
  for name, row in summary.items():
    for key in ("training", "held_out"):
      row[f"{key}_ratio"] = row[key] / summary[first][key]
    table.add_row(name, str(row["steps"]), f"{row['training']:.4f}",
                  f"{row['training_ratio']:.4f}", f"{row['held_out']:.4f}",
                  f"{row['held_out_ratio']:.4f}")
  console.print(table)
  (out_dir / "metrics.json").write_text(json.dumps(summary, indent=1))
  loss_plot.save_comparison(results, out_dir / "loss.png")
  console.print(f"All curves are in {out_dir / 'loss.png'}")


if __name__ == "__main__":
  jax.config.config_with_absl()
  app.run(main)
