"""How products are sharded, as far as all kinds of products share it.

  mesh.py         the mesh of a call
  rules.py        the rules that shard a product on automatic and on explicit meshes
  gradients.py    gets gradients the shardings of their arrays
  manual_axes.py  along which axes of a `jax.shard_map` arrays differ
  parts.py        errors about shapes inside `jax.shard_map`
"""
