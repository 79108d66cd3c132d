"""The two kernels for TPUs; here only their arguments."""

import jax.numpy as jnp


def gmm(lhs, rhs, group_sizes, preferred_element_type=jnp.float32, tiling=(128, 128, 128),
        group_offset=None, existing_out=None, transpose_rhs=False, interpret=False,
        varying_axes=()):
  raise NotImplementedError("gmm is a kernel for TPUs")


def tgmm(lhs, rhs, group_sizes, preferred_element_type=jnp.float32, tiling=(128, 128, 128),
         group_offset=None, num_actual_groups=None, existing_out=None, interpret=False,
         varying_axes=()):
  raise NotImplementedError("tgmm is a kernel for TPUs")
