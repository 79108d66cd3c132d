"""Checks of a grouped product's arguments: what jax does not check, or says less about."""

import operator

from jax import lax
import jax.numpy as jnp

from jaxgemm.call.options import operand_argument

# The dimension numbers of lax.ragged_dot.
BASIC = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
# The same with rhs [G, N, K].
K_LAST = lax.RaggedDotDimensionNumbers((((1,), (2,)), ((), ())), (0,), (0,))
# The gradient of rhs: lhs [M, K] and rhs [M, N], summed over the rows of each group.
OF_RHS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())


def check_numbers(numbers) -> None:
  """Raises TypeError if `numbers` are no `jax.lax.RaggedDotDimensionNumbers`."""
  if not isinstance(numbers, lax.RaggedDotDimensionNumbers):
    raise TypeError(
        f"ragged_dot_dimension_numbers={numbers!r} was given; a "
        "jax.lax.RaggedDotDimensionNumbers is allowed. For the dimension numbers of "
        "lax.ragged_dot, call jaxgemm.ragged_dot instead.")


def check_groups(group_sizes, group_offset) -> None:
  """Raises TypeError for group sizes or an offset of a wrong shape or dtype.

  Args:
    group_sizes, group_offset: arrays or `jax.ShapeDtypeStruct`; the offset may be None.
  """
  if not jnp.issubdtype(group_sizes.dtype, jnp.integer):
    raise TypeError(
        "ragged_dot_general requires that group_sizes.dtype is subtype of np.integer, "
        f"and {group_sizes.dtype.name} was given. Pass group_sizes.astype(jnp.int32).")
  if not group_sizes.ndim:
    raise TypeError(
        "group_sizes has shape (); (G,) is allowed, one size for each group. Pass "
        "group_sizes[None] for a single group.")
  if group_offset is not None and (
      group_offset.shape != (1,) or not jnp.issubdtype(group_offset.dtype, jnp.integer)):
    raise TypeError(
        f"group_offset has shape {group_offset.shape} and dtype {group_offset.dtype.name}; one "
        "integer, of shape (1,), is allowed. Pass jnp.array([offset]).")


def check_arrays(numbers: lax.RaggedDotDimensionNumbers, lhs, rhs, group_sizes, group_offset=None,
                 **others) -> None:
  """Raises TypeError for an argument that is no array, or has a wrong rank or dtype.

  Args:
    numbers: the dimension numbers.
    lhs, rhs, group_sizes: arrays or `jax.ShapeDtypeStruct`.
    group_offset: see group_sizes; or None.
    **others: further arrays by name; None for one that was not given.
  """
  arrays = {"group_offset": group_offset, **others}
  arrays = {"lhs": lhs, "rhs": rhs, "group_sizes": group_sizes} | {
      name: x for name, x in arrays.items() if x is not None}
  for name, x in arrays.items():
    operand_argument(name, x)
  if numbers == BASIC and lhs.ndim != 2:
    raise TypeError(
        f"lhs has shape {lhs.shape}; (M, K) is allowed, the rows of all groups one after another. "
        "Reshape it, or use ragged_dot_general, which takes dimension numbers.")
  check_groups(group_sizes, group_offset)
  if tuple(numbers.rhs_group_dimensions) and rhs.ndim < 3:
    raise TypeError(
        f"rhs has shape {rhs.shape}; one with a dimension of groups is allowed: "
        "(G, K, N) for ragged_dot, one matrix for each of the G group sizes. Pass "
        "rhs[None] for a single group.")


def check_extent(extent) -> None:
  """Raises ValueError for a ragged dimension that is too long for group sizes in int32."""
  if type(extent) is int and extent >= 2**31:  # else it is symbolic
    raise ValueError(
        f"lhs's ragged dimension has {extent} elements; fewer than 2**31 are allowed, "
        "because group sizes are int32. Split the product.")


def check_num_local_groups(given, groups: int, has_offset: bool) -> None:
  """Raises TypeError or ValueError for a number that is not allowed."""
  try:
    allowed = given is None or has_offset and 0 <= operator.index(given) <= groups
  except TypeError as error:
    raise TypeError(
        f"num_local_groups={given!r} was given; an int from 0 to {groups} is allowed, "
        "or None. Leave it out to compute all groups.") from error
  if not allowed:
    raise ValueError(
        f"num_local_groups={given} was given; 0 to {groups} are allowed, together with a "
        "group_offset. Leave it out to compute all groups.")


def check_num_groups(of_rhs: int, groups: int, has_offset: bool = False) -> None:
  """Raises TypeError if rhs's number of groups does not fit that of group_sizes."""
  if has_offset:
    if of_rhs > groups:
      raise TypeError(
          f"rhs has {of_rhs} groups and group_sizes {groups}; with a group_offset rhs has as "
          "many groups or fewer, those from the offset on. Pass the sizes of all groups.")
  elif of_rhs != groups:
    raise TypeError(
        f"expected rhs group dimension size to be {groups}, got {of_rhs}: without a group_offset "
        "rhs and group_sizes have equally many groups. Pass one size for each matrix of rhs. "
        "Where rhs has only some of the groups pass group_offset=jnp.array([first]) as well.")


def check_vector(group_sizes) -> None:
  """Raises TypeError if there is more than one list of group sizes."""
  if group_sizes.ndim != 1:
    groups = group_sizes.shape[-1]
    raise TypeError(
        f"expected group_sizes to have shape ({groups},), got {group_sizes.shape}. Pass one size "
        "for each group, or use jax.vmap.")


def is_ragged_batch(numbers: lax.RaggedDotDimensionNumbers) -> bool:
  """Whether the ragged dimension is a batch dimension. Group sizes then have no effect."""
  _, (lhs_batch, _) = numbers.dot_dimension_numbers
  return any(i in lhs_batch for i in numbers.lhs_ragged_dimensions)


def check_ragged_batch(**given) -> None:
  """Raises ValueError for arguments that a ragged batch dimension does not allow."""
  names = [name for name, x in given.items() if x is not None]
  if names:
    raise ValueError(
        f"{' and '.join(names)} was given, and the ragged dimension is a batch dimension. The "
        "groups then have no effect. Leave the argument out; for bias and scales call "
        "jaxgemm.dot_general, which computes the same product.")


def check_contracted(scale_lhs, accumulate, **given) -> None:
  """Raises ValueError for arguments that contracted groups do not allow."""
  if scale_lhs is not None and (scale_lhs.size != 1 or accumulate is not None):
    raise ValueError(
        f"scale_lhs of shape {scale_lhs.shape} was given, and the ragged dimension is contracted; "
        "one value, without accumulate, is allowed. Apply it to the result.")
  for name, x in given.items():
    if x is not None:
      value = f"={x!r}" if isinstance(x, str) else ""
      raise ValueError(
          f"{name}{value} was given, and the ragged dimension is contracted: the "
          "result is a sum for each group, and has no epilogue. Leave it out, and "
          "apply it to the result.")


def check_accumulate(accumulate, contracted: bool, wanted, given_dtype) -> None:
  """Raises ValueError for a buffer that the result cannot be added to.

  Args:
    accumulate: the buffer.
    contracted: whether the ragged dimension is contracted.
    wanted: the result, for its shape.
    given_dtype: preferred_element_type as the caller gave it.
  """
  if not contracted:
    raise ValueError(
        "accumulate was given, and the ragged dimension is not contracted; accumulate is allowed "
        "only if it is, as in the gradient of the weights. Leave accumulate out, and add it to "
        "the result.")
  if given_dtype is not None and jnp.dtype(given_dtype) != jnp.float32:
    raise ValueError(
        f"preferred_element_type={jnp.dtype(given_dtype).name} was given with "
        "accumulate; float32 or None is allowed, because sums are kept in float32. Leave it "
        "out, and cast the result.")
  _check_buffer("accumulate", accumulate, "the result's shape", wanted.shape)


def check_rhs_grad(rhs_grad, lhs, rhs) -> None:
  """Raises ValueError for a buffer that rhs's gradient cannot be added to."""
  if not all(jnp.issubdtype(x.dtype, jnp.floating) for x in (lhs, rhs)):
    raise ValueError(
        f"rhs_grad was given for operands of dtype {lhs.dtype.name} and "
        f"{rhs.dtype.name}; floats are allowed, others have no gradient. Leave it out.")
  _check_buffer("rhs_grad", rhs_grad, "rhs's shape", rhs.shape)


def _check_buffer(name: str, x, shape_of: str, shape) -> None:
  if x.shape != shape or x.dtype != jnp.float32:
    raise ValueError(
        f"{name} has shape {x.shape} and dtype {x.dtype.name}; float32 of {shape_of}, "
        f"{shape}, is allowed: sums are kept in float32. Start with "
        f"jnp.zeros({shape}, jnp.float32).")
