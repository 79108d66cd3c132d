"""Tuning: plans that were timed on a machine, kept in a file, and used by later programs.

  tune.py      tunes the products of functions, in batches
  measure.py   compiles, checks and times the candidates of a batch
  workers.py   processes that do so, and are started again if a candidate ends or hangs them
  products.py  finds these products, and makes a function of each candidate
  timing.py    times functions turn by turn
  gpu_trace.py the same by the time that a GPU's kernels take, from a profiler's trace
  database.py  the file: entries by machine and problem
  __main__.py  the command: python -m jaxgemm.tune

call/tuned.py looks up the entry for a plan. `jaxgemm.tune` itself is the function of tune.py.
"""
