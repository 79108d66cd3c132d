"""Products of operands with scales of blocks along k: scaled_matmul, scaled_ragged_dot."""
