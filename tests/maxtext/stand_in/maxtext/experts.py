"""A layer of experts: three grouped products, with MaxText's derivative around each."""

import functools
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp

from maxtext.kernels.megablox import backend

TILE = 32  # of rows; MaxText fills the last one up


@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["qvalue", "scale"], meta_fields=[])
class QArray:
  """As Qwix's: qvalue * scale is the array."""

  zero_point = None

  def __init__(self, qvalue, scale):
    self.qvalue, self.scale = qvalue, scale

  shape = property(lambda self: self.qvalue.shape)


class Options(NamedTuple):
  """Options of MaxText. quantization: "", or "fp8_full", by which Qwix quantises the products."""

  megablox: bool = True
  dtype: Any = jnp.float32
  quantization: str = ""


def quantize(x, qtype, kept):
  """x in qtype, with a scale for each element along the axes `kept`."""
  most = jnp.abs(x).max([i for i in range(x.ndim) if i not in kept], keepdims=True)
  scale = jnp.where(most == 0, 1, most / float(jnp.finfo(qtype).max)).astype(x.dtype)
  return QArray((x / scale).astype(qtype), scale)


def axes_of(x) -> tuple[str, ...]:
  """The axes of a shard_map along which x varies."""
  aval = jax.typeof(x)
  manual = getattr(aval, "manual_axis_type", None)
  return tuple(sorted(manual.varying if manual is not None else aval.vma))


def _forward(options, axes, lhs, rhs, sizes, offset):
  if options.quantization:
    lhs = quantize(lhs, jnp.float8_e4m3fn, [0])
    rhs = quantize(rhs, jnp.float8_e4m3fn, [2])
  out = backend.gmm(lhs, rhs, sizes, options.dtype, (128, 256, 512), offset, None,
                    transpose_rhs=False, interpret=True)
  for axis in axes[0]:
    out = lax.pcast(out, axis, to="varying")
  return out, (lhs, rhs, sizes, offset)


def _backward(options, axes, residuals, ct):
  lhs, rhs, sizes, offset = residuals
  of_lhs = of_rhs = ct
  groups = rhs.shape[0]
  if isinstance(rhs, QArray):
    of_lhs = of_lhs * rhs.scale.reshape(1, -1)
    of_rhs = of_rhs * lhs.scale
    lhs, rhs = lhs.qvalue, rhs.qvalue
    of_lhs = quantize(of_lhs, jnp.float8_e5m2, [0])
    of_rhs = quantize(of_rhs, jnp.float8_e5m2, [1])
  d_lhs = backend.gmm(of_lhs, rhs, sizes, options.dtype, (128, 256, 512), offset,
                      transpose_rhs=True, interpret=True, varying_axes=axes[0])
  d_rhs = backend.tgmm(lhs.swapaxes(0, 1), of_rhs, sizes, options.dtype, (128, 256, 512), offset,
                       groups, interpret=True, varying_axes=axes[1])
  return d_lhs, d_rhs, None, None


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _product(options, axes, lhs, rhs, sizes, offset):
  return _forward(options, axes, lhs, rhs, sizes, offset)[0]


_product.defvjp(_forward, _backward)


def product(x, kernel, sizes, offset, options):
  """A grouped product of rows [m, k] and kernels [g, k, n]."""
  rows = x.shape[0]
  x = jnp.pad(x, ((0, -rows % TILE), (0, 0))).astype(options.dtype)
  kernel = kernel.astype(options.dtype)
  if options.megablox:
    out = _product(options, (axes_of(x), axes_of(kernel)), x, kernel, sizes, offset)
  else:
    out = lax.ragged_dot(lhs=x, rhs=kernel, group_sizes=sizes, preferred_element_type=options.dtype)
  return out[:rows]


def experts(x, kernels, sizes, options, offset=0):
  """activation(x @ gate) * (x @ up) @ down, where kernels are gate, up and down."""
  gate, up, down = kernels
  a = checkpoint_name(checkpoint_name(product(x, gate, sizes, offset, options), "mlpwi_0"),
                      "moe_mlpwi_0")
  b = checkpoint_name(product(x, up, sizes, offset, options), "moe_mlpwi_1")
  out = product(jax.nn.silu(a) * b, down, sizes, offset, options)
  return checkpoint_name(checkpoint_name(out, "mlpwo"), "moe_mlpwo")


def layers(x, stacked, sizes, options, policy=None):
  """Layers in a scan, each in `jax.checkpoint`, which saves what `policy` says."""
  @functools.partial(jax.checkpoint, policy=policy)
  def layer(x, kernels):
    return x + experts(x, kernels, sizes, options).astype(x.dtype), None

  return lax.scan(layer, x, stacked)[0]
