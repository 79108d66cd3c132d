"""Conditions on the version of jax, for tests."""

import inspect

from jax import lax
import pytest

needs_ragged_out_sharding = pytest.mark.skipif(
    "out_sharding" not in inspect.signature(lax.ragged_dot_general).parameters,
    reason="lax.ragged_dot of this jax has no out_sharding: jax 0.10.2 has it")
