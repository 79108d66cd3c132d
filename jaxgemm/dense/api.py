"""matmul and dot_general: jax's semantics, computed by this package's kernels."""

import dataclasses
import functools
from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm import mesh as meshes
from jaxgemm.config import GemmConfig, check_activation, resolve
from jaxgemm.dense import sharding, xla
from jaxgemm.dense.dimensions import (
  Product,
  dot_general_product,
  indices,
  matmul_product,
)
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.primitive import contract, contract_local
from jaxgemm.dense.vectors import Scales, labelled_vector, place_scales
from jaxgemm.dtypes import preferred_of_scaled, promote_with
from jaxgemm.fallback import leaves_to_xla, on_xla, prefers_xla, unsupported_reason
from jaxgemm.options import array_argument, check_options, emulated_arch
from jaxgemm.precision import hashable, is_high
from jaxgemm.spec import Spec
from jaxgemm.transposes import INLINE


class Prepared(NamedTuple):
  """A product whose options are checked and resolved.

  Attributes:
    spec: what the call computes.
    dims: the product's labels, with those of bias and scales.
    vectors: bias, scale and row_scale in the dtypes that the kernels read; None for an absent one.
    reason: why the kernels cannot compute it, or None.
  """

  spec: Spec
  dims: Dims
  vectors: tuple[jax.Array | None, ...]
  reason: str | None


def prepare(lhs, rhs, bias, scales: Scales, product: Product, *, chunked: bool = False,
            precision, activation, schedule, reduction, deterministic, config,
            implementation) -> Prepared:
  """Checks the options of a call.

  Args:
    chunked: whether lhs arrives in chunks; then no part may run outside the kernel.
  """
  check_activation(activation)
  emulated = emulated_arch(implementation)
  config = resolve(config, schedule, reduction, deterministic)
  out_dtype = product.result.dtype
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  bias, bias_labels = labelled_vector(
      "bias", bias, product, jnp.int32 if integer else jnp.float32, scalar=False)
  (scale, scale_labels), (row_scale, row_scale_labels) = place_scales(
      scales, lhs, rhs, product, chunked)
  dims = product.dims._replace(
      bias=bias_labels, scale=scale_labels, row_scale=row_scale_labels)
  spec = Spec(out_dtype, activation, config=config, deterministic=deterministic,
              weak_type=product.result.weak_type, emulated=emulated,
              precise=not chunked and is_high(precision))
  reason = (
      unsupported_reason(lhs, rhs, out_dtype, product.k, precision, emulated,
                         splits=not chunked)
      or meshes.unreduced_reason(
          product.result.sharding, *(jax.typeof(x).sharding for x in (lhs, rhs))))
  return Prepared(spec, dims, (bias, scale, row_scale), reason)


def dense_results(lhs, rhs, bias, scales: Scales, product: Product, *,
                  save_preact: bool = False, **options) -> list[jax.Array]:
  """[out], or with save_preact [out, value before the activation].

  save_preact is not for explicit meshes. See `prepare` for the options.
  """
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  spec, dims, vectors, reason = prepare(lhs, rhs, bias, scales, product, **options)
  if save_preact:
    spec = dataclasses.replace(spec, save_preact=True)
  implementation = options["implementation"]
  by_xla = prefers_xla(product.k, implementation)
  if reason is None and implementation is None and not by_xla:
    reason = xla.reason_faster(lhs, rhs, vectors, product, dims, spec)
  if leaves_to_xla(implementation, reason) or by_xla:
    with on_xla(implementation, reason):
      return xla.results(lhs, rhs, vectors, product, dims, spec)
  if spec.emulated is not None:
    _ffi.use_emulator()
  lhs, rhs = promote_with(lhs, rhs), promote_with(rhs, lhs)
  lhs, rhs = (lax.squeeze(x, axes) if axes else x
              for x, axes in zip((lhs, rhs), product.dropped))

  mesh = meshes.explicit_mesh(lhs, rhs, *vectors)
  if (mesh is not None and not mesh.auto_axes and not mesh.manual_axes
      and not meshes.is_vmapped(spec.config.partition)):
    operands = [x for x in (lhs, rhs, *vectors) if x is not None]
    return [sharding.explicit(
        mesh, operands, dims, spec, contract_local, product.result)]

  def on_kernels(lhs, rhs, *vectors):
    return contract(lhs, rhs, *vectors, dims=dims, spec=spec,
                    partition=meshes.needs_partitioning_rule(spec.config.partition))

  if mesh is None:
    return on_kernels(lhs, rhs, *vectors)
  first = lambda *operands: on_kernels(*operands)[0]
  return [meshes.with_automatic_axes(mesh, first, product.result)(lhs, rhs, *vectors)]


def compute(*operands, **options) -> jax.Array:
  """The only result of `dense_results`."""
  return dense_results(*operands, **options)[0]


_OPTIONS = dict(activation=None, schedule=None, reduction=None, deterministic=False,
                config=None, implementation=None)
_STATIC = ("precision", "preferred_element_type", "out_sharding", *_OPTIONS)


def _given(*, deterministic, **arguments):
  """The arguments that were given, checked. Without the defaults, jitted functions start sooner."""
  given = {name: x for name, x in arguments.items() if x is not None}
  if deterministic is not False:
    given["deterministic"] = deterministic
  check_options(**given)
  for name in given.keys() & {"bias", "scale", "scale_lhs", "scale_rhs"}:
    given[name] = array_argument(name, given[name])
  if "precision" in given:
    given["precision"] = hashable(given["precision"])
  return given


@functools.partial(jax.jit, static_argnames=_STATIC, inline=INLINE)
def _matmul(a, b, *, bias=None, scale=None, scale_lhs=None, scale_rhs=None, precision=None,
            preferred_element_type=None, out_sharding=None, **options):
  product = matmul_product(
      a, b, precision=precision, out_sharding=out_sharding,
      preferred_element_type=preferred_of_scaled(
          preferred_element_type, a, b, scale_lhs, scale_rhs),
  )
  return compute(
      a, b, bias, Scales(scale, scale_lhs, scale_rhs), product, precision=precision,
      **(_OPTIONS | options))


def matmul(
    a: jax.Array,
    b: jax.Array,
    *,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    scale_lhs: jax.Array | None = None,
    scale_rhs: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.numpy.matmul` with an epilogue: activation(scale * (a @ b) + bias).

  Accumulators are float32 (int32 for int8 operands); scales, bias, activation and one
  cast to the result's dtype come last. Differentiable to any order in a, b, bias and
  the scales; gradients read their operands in other layouts, without transposed copies.

  Args:
    a: array of shape (K,) or (..., M, K). float32, bfloat16, float16, the float8
      types and int8 run in this package's kernels, also mixed.
    b: array of shape (K,) or (..., K, N).
    precision: as in `jax.numpy.matmul`. float32 is always computed in full, except on
      NVIDIA GPUs: there it is computed as tf32, with "high" in three passes of tf32
      parts (an infinity may then give NaN), and with "highest" by XLA. Algorithms
      (jax.lax.DotAlgorithm and its presets) that the kernels do not compute are left
      to XLA, too.
    preferred_element_type: dtype of the result, as in `jax.numpy.matmul`; default for
      operands of 8 bits with scale_lhs or scale_rhs: float32.
    out_sharding: as in `jax.numpy.matmul`.
    bias: array of shape (N,), or (..., N) where ... are the result's batch dimensions,
      of real numbers; integers if the result has integers.
    scale: array of shape (), (1,) or (N,): one value, or one for each column. With a
      batch also of shape (..., 1) or (..., N). With the result's rank, (..., M, 1), it
      has one value for each row.
    scale_lhs: the scale of a quantised a, as `jaxgemm.quantize` gives it: of a's rank
      with 1 for K, (..., M, 1), where any size may be 1; or of shape (), (1,), (M,) or
      (..., M).
    scale_rhs: the scale of b, likewise: (..., 1, N), (), (1,), (N,) or (..., N). The
      result is activation(scale_lhs * scale_rhs * (a @ b) + bias).
    activation: "relu", "gelu" (the tanh approximation), "silu" or None.
    schedule: "auto", "persistent", "work_stealing" or "stream_k"; see GemmConfig.
    reduction: "linear", "tree" or "atomic"; see GemmConfig.
    deterministic: whether to refuse options with which the result is not bitwise the
      same on every run.
    config: a `GemmConfig` with further choices.
    implementation: "jaxgemm", "xla" (jax.numpy, with the same epilogue) or None: the
      kernels, but XLA, with a warning, if they do not support the operands or are known
      to be slower on this platform, and XLA if K is 1; `jaxgemm.explain` says
      which. Or "emulated:gfx942", "emulated:gfx950": that GPU's machine code, run on the
      CPU by the emulator (see `jaxgemm.emulator`), for debugging; slow.

  Returns:
    An array of the shape and dtype that `jax.numpy.matmul` gives.

  Raises:
    ValueError, TypeError: while tracing: jax's own errors for operands that do not fit
      each other, and errors that say what was given and what is allowed.
  """
  return _matmul(a, b, **_given(
      precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding, bias=bias, scale=scale, scale_lhs=scale_lhs,
      scale_rhs=scale_rhs, activation=activation, schedule=schedule, reduction=reduction,
      deterministic=deterministic, config=config, implementation=implementation))


@functools.partial(
    jax.jit, static_argnames=("dimension_numbers", *_STATIC), inline=INLINE
)
def _dot_general(lhs, rhs, *, dimension_numbers, bias=None, scale=None, scale_lhs=None,
                 scale_rhs=None, precision=None, preferred_element_type=None, out_sharding=None,
                 **options):
  product = dot_general_product(
      lhs, rhs, dimension_numbers=dimension_numbers, precision=precision,
      out_sharding=out_sharding, preferred_element_type=preferred_of_scaled(
          preferred_element_type, lhs, rhs, scale_lhs, scale_rhs),
  )
  return compute(
      lhs, rhs, bias, Scales(scale, scale_lhs, scale_rhs), product, precision=precision,
      **(_OPTIONS | options))


def dot_general(
    lhs: jax.Array,
    rhs: jax.Array,
    dimension_numbers,
    precision=None,
    preferred_element_type=None,
    *,
    out_sharding=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    scale_lhs: jax.Array | None = None,
    scale_rhs: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.lax.dot_general`, with the epilogue and the options of `jaxgemm.matmul`.

  An operand is transposed if its contracted dimensions are neither the first nor the
  last ones of its matrices; `jaxgemm.explain` says so.

  Args:
    lhs: array of any rank.
    rhs: array of any rank.
    dimension_numbers: ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch)).
    precision: as in `jax.lax.dot_general`; see `jaxgemm.matmul`.
    preferred_element_type: dtype of the result; see `jaxgemm.matmul`.
    out_sharding: as in `jax.lax.dot_general`.
    bias: array with the shape of rhs's free dimensions, or of the batch dimensions and
      these.
    scale: as bias, or of shape () or (1,), or with 1 for the free dimensions. For one
      value for each row: of the result's rank, with 1 for rhs's free dimensions.
    scale_lhs: of lhs's rank with 1 for the contracted dimensions, where any size may be
      1; or of shape () or (1,), of lhs's free dimensions, or of the batch dimensions and
      these.
    scale_rhs: the same for rhs.
    activation: see `jaxgemm.matmul`.
    schedule: see `jaxgemm.matmul`.
    reduction: see `jaxgemm.matmul`.
    deterministic: see `jaxgemm.matmul`.
    config: see `jaxgemm.matmul`.
    implementation: see `jaxgemm.matmul`.

  Returns:
    An array of the shape and dtype that `jax.lax.dot_general` gives.

  Raises:
    ValueError, TypeError: see `jaxgemm.matmul`.
  """
  # jax accepts lists here, which are not hashable.
  return _dot_general(lhs, rhs, dimension_numbers=indices(dimension_numbers), **_given(
      precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding, bias=bias, scale=scale, scale_lhs=scale_lhs,
      scale_rhs=scale_rhs, activation=activation, schedule=schedule, reduction=reduction,
      deterministic=deterministic, config=config, implementation=implementation))
