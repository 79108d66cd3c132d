"""How products are sharded on a mesh; what the rules of all kinds of products share."""
