"""The rule of a product for `jax.checkpoint` with jax's option `jax_remat3`.

Without this option the policy of `jax.checkpoint` looks at the operations of a function's
derivative, among them the name of the value before an activation. With the option it looks at those
of the function, and each has a rule that asks the policy what to save, and says how the backward
pass gets the result. What has no rule is computed again.

jax has no public names for these rules, and their arguments differ between its versions.
"""

from collections.abc import Callable
import functools

import jax
from jax import lax
from jax.extend.core import Primitive
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.activations import activated_p
from jaxgemm.call.residuals import is_narrow

_GIVES_SAVED = jax.__version_info__ >= (0, 12)


@jax.custom_jvp
def _known(saved, again):
  """saved, which is the value of `again`, with the tangent of that."""
  del again
  return saved


_known.defjvp(lambda primals, tangents: (primals[0], tangents[1]))


def _bits(x):
  """x in a form that jax.checkpoint does not round; see residuals.py."""
  return lax.bitcast_convert_type(x, jnp.uint8) if is_narrow(x) else x


def _with_tangent(bits, again):
  return _known(lax.bitcast_convert_type(bits, again.dtype), again)


def register(primitive: Primitive, before_activation: Callable) -> None:
  """Registers the rule of a product.

  Args:
    primitive: that of the product.
    before_activation: before_activation(*operands, again=, **params) of a product with an
      activation gives the value before it if `again`, else the result and that value.
  """
  try:
    from jax._src.ad_checkpoint import name_p
    from jax._src.core import mem_kind_to_space
    from jax._src.interpreters import partial_eval, remat
  except ImportError:  # a later jax, which has its rules elsewhere
    return

  def spaces(answer) -> tuple | None:
    """The memories in which a saved value is used and kept, for a policy's answer."""
    if isinstance(answer, partial_eval.Offloadable):
      return mem_kind_to_space(answer.src), mem_kind_to_space(answer.dst)
    return (None, None) if answer in (True, partial_eval.Saveable) else None

  def moved(x, space):
    return x if space is None else jax.device_put(x, space)

  def rule(given, *operands, **params):
    policy = getattr(given, "policy", given)  # jax 0.10 gives the policy, later versions a trace
    avals, spec = [jax.typeof(x) for x in operands], params["spec"]
    gated = getattr(params.get("form"), "gated", False)
    has_activation = spec.activation is not None or gated
    product = functools.partial(primitive.bind, **params)
    asked = [(primitive, avals, params)]
    if has_activation:
      asked += [(name_p, [], {"name": name}) for name in epilogue.PREACT]
    found = [spaces(policy(prim, *avals, **params))
             for prim, avals, params in asked if policy is not None]
    saving = [each for each in found if each is not None]
    # A value that one name keeps where it is, and another one offloads, stays.
    used, kept = (None, None) if (None, None) in saving or not saving else saving[0]
    if spec.save_preact or spec.quantize_out or not saving:
      outs, saved = product(*operands), ()
      rem = lambda _, *operands: product(*operands)
    elif has_activation:
      out, preact = before_activation(*operands, again=False, **params)
      outs, saved = [out], moved(_bits(preact), kept)
      rem = lambda saved, *operands: [activated_p.bind(
          _with_tangent(moved(saved, used), *before_activation(*operands, again=True, **params)),
          activation=spec.activation, gated=gated)]
    else:
      outs = product(*operands)
      saved = moved(_bits(*outs), kept)
      rem = lambda saved, *operands: [_with_tangent(moved(saved, used), *product(*operands))]
    return (outs, saved, rem) if _GIVES_SAVED else (outs, functools.partial(rem, saved))

  remat.rules[primitive] = rule
