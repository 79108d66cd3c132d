"""What a call of any kind of product is made of.

  options.py, config.py    its options, checked: one record
  dtypes.py, precision.py  in which dtypes and how precisely it multiplies
  fallback.py              who computes it, the kernels or XLA
  product.py               what each kind of product answers: how arrays lie, the plan
  spec.py                  the records that describe it for the kernels: Spec and Geometry
  plan.py                  the plan of its kernel
  tuned.py                 the entry of the tuning file that may decide the plan
  lower.py                 its lowering to the custom call
  copies.py, transposes.py how operands get into the layout that a kernel reads
  epilogue.py              bias, scales and activation in jax.numpy
  xla.py, jax_products.py  the products of jax that compute it without the kernels
  residuals.py             what the backward pass reads
"""
