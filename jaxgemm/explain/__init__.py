"""What a call of a product, or every call in a program, would do. Nothing is run.

  api.py         explain, supports and workspace_size
  arguments.py   which product their arguments ask for
  planned.py     the data of a call of the kernels
  explanation.py the record that explain returns: its words and its summary
  program.py     the products in a function that jax has traced; jaxgemm.tune finds them so, too
  timeline.py    the picture of a plan

`jaxgemm.explain` itself is the function of api.py.
"""
