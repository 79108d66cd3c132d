"""Activations of products that are differentiated: of all values, the backward pass keeps one.

That is the value before the activation, preact, in the dtype of the result. It has names, by which
policies of `jax.checkpoint` can save it. The derivative of the activation is an operation of its
own, so that jax keeps its operand, and not what is computed on the way.
"""

import functools

import jax
from jax.extend.core import Primitive, Var
from jax.interpreters import ad, batching, mlir
from jax.interpreters import partial_eval as pe
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.primitives import batched_in_front, reshaped
from jaxgemm.call.residuals import kept_p
from jaxgemm.sharding.manual_axes import unify_varying

# activated_p(out, preact, preact, ...) is out, and activated_p(preact) is the activation of preact.
# Where jax.checkpoint has preact, under one of its names, and would compute the product again for
# out, it takes the latter.
activated_p = Primitive("jaxgemm_activated")
# tangent_p(preact, d_preact) is the tangent of the activation, in float32, linear in d_preact.
tangent_p = Primitive("jaxgemm_activation_tangent")


def activated(outs, spec, gated: bool = False) -> list[jax.Array]:
  """The results of a product that is differentiated: [out], or [out, preact] with names."""
  if len(outs) == 1:
    return outs
  out, preact = outs
  preacts = epilogue.with_each_name(preact)
  return [activated_p.bind(out, *preacts, activation=spec.activation, gated=gated),
          epilogue.one_of_p.bind(*preacts)]


def tangents(d_z, outs, spec, gated: bool = False) -> list[jax.Array]:
  """Tangents of a product's results, from that of the value before the activation.

  Args:
    d_z: the tangent of the value before the activation.
    outs: [out], and with an activation or a gate [out, value before it].
    spec: the product's `Spec`.
    gated: see `epilogue.activate`.
  """
  d_outs = [d_z, d_z]
  if spec.activation is not None or gated:
    d_outs[0] = tangent_p.bind(*unify_varying([outs[1], d_z.astype(jnp.float32)]),
                               activation=spec.activation, gated=gated)
  return [x.astype(spec.out_dtype) for x in d_outs[:1 + spec.save_preact]]


def _activate(preact, *, activation, gated):
  return epilogue.activate(preact.astype(jnp.float32), activation, gated)


def _activated(*operands, **params):
  *out, preact = operands
  return out[0] if out else _activate(preact, **params).astype(preact.dtype)


def _tangent(preact, d_preact, **params):
  function = functools.partial(_activate, **params)
  return jax.jvp(function, (preact.astype(jnp.float32),), (d_preact,))[1]


def _shaped(preact, gated: bool):
  if not gated:
    return preact.update(weak_type=False)
  return reshaped(preact, (*preact.shape[:-2], preact.shape[-1])).update(weak_type=False)


def _batch(primitive: Primitive, operands, axes, **params):
  return primitive.bind(*batched_in_front(operands, axes), **params), 0


def _activated_jvp(primals, tangents, **params):
  out = activated_p.bind(*primals, **params)
  if len(primals) > 1:
    return out, tangents[0]
  (preact,), (d_preact,) = primals, tangents
  return out, tangent_p.bind(preact, d_preact.astype(jnp.float32), **params).astype(out.dtype)


def _tangent_jvp(primals, tangents, **params):
  preact, d_preact = primals
  by_preact, by_tangent = tangents
  terms = []
  if type(by_preact) is not ad.Zero:
    function = functools.partial(_tangent, d_preact=d_preact, **params)
    terms.append(jax.jvp(function, (preact,), (by_preact,))[1])
  if type(by_tangent) is not ad.Zero:
    terms.append(tangent_p.bind(preact, by_tangent, **params))
  return tangent_p.bind(*primals, **params), functools.reduce(ad.add_tangents, terms)


def _tangent_transpose(ct, preact, d_preact, **params):
  if type(ct) is ad.Zero:
    return [None, None]
  back = jax.vjp(functools.partial(_activate, **params), preact.astype(jnp.float32))[1]
  return [None, *back(ct)]


def _partial_eval(saveable, unknown, recomputed, eqn):
  """The rule of activated_p for `jax.checkpoint`.

  Args:
    saveable: the policy.
    unknown: for each operand, whether only the backward pass has it.
    recomputed: for each operand, whether the backward pass computes it; else it would be saved.
    eqn: the equation.

  Returns:
    The equations of the forward and of the backward pass, or None; whether the result is unknown,
    and whether it is recomputed; the operands that are saved.
  """
  operands = list(zip(eqn.invars, recomputed, strict=True))
  if any(unknown):
    return None, eqn, [True], [True], _not_there(operands)
  # The forward pass does not read preact: jax.checkpoint would then round it.
  known = eqn if len(operands) == 1 else eqn.replace(
      primitive=kept_p, invars=eqn.invars[:1], params={})
  preacts = operands[1:] or operands
  i = epilogue.there(saveable, [again for _, again in preacts], [x for x, _ in preacts])
  if not all(recomputed) and (
      saveable(eqn.primitive, *(x.aval for x in eqn.invars), **eqn.params) is True):
    return known, None, [False], [False], []
  if i is not None or not all(recomputed):
    # One preact is enough: out would need the product again, or be saved, too.
    operands = [preacts[i or 0]]
  again = eqn.replace(invars=[x for x, _ in operands])
  return known, again, [False], [True], _not_there(operands)


def _not_there(operands):
  return [x for x, recomputed in operands if isinstance(x, Var) and not recomputed]


activated_p.def_abstract_eval(lambda *operands, activation, gated: (
    operands[0] if len(operands) > 1 else _shaped(operands[0], gated)))
tangent_p.def_abstract_eval(lambda _, d_preact, activation, gated: _shaped(d_preact, gated))
for _primitive, _compute in ((activated_p, _activated), (tangent_p, _tangent)):
  _primitive.def_impl(jax.jit(_compute, static_argnames=("activation", "gated")))
  mlir.register_lowering(_primitive, mlir.lower_fun(_compute, multiple_results=False))
  batching.primitive_batchers[_primitive] = functools.partial(_batch, _primitive)
ad.primitive_jvps[activated_p] = _activated_jvp
ad.primitive_jvps[tangent_p] = _tangent_jvp
ad.primitive_transposes[tangent_p] = _tangent_transpose
pe.partial_eval_jaxpr_custom_rules[activated_p] = _partial_eval
