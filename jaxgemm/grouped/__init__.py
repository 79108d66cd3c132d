"""Grouped products: ragged_dot, ragged_dot_general, ragged_gated_linear_unit."""
