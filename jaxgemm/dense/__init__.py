"""Dense products: matmul, dot_general."""
