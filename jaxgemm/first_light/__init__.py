"""The first hour on a GPU: what works on it, what does not, and how far predictions are off.

    python -m jaxgemm.first_light

  __main__.py  the command: its options, and the progress that it shows
  run.py       the steps in their order, with a share of the time for each part
  child.py     the process that runs the steps, and ends with a step that fails or hangs
  state.py     what is known already, in a file: a run that was stopped goes on
  machine.py   what is there: chip, driver, plugin, kernels of the build
  rates.py     bandwidth, the cost of a launch, and the rate of the matrix pipes
  arrays.py    operands whose sums are exact, guards around them, and results that are poisoned
  kernels.py   each kernel of the build against float64
  features.py  schedules, groups, chunks, command buffers, streams, devices, gradients
  products.py  the products and layers that are timed
  times.py     their times beside XLA's and beside the predicted ones
  fit.py       the constants of the chip that follow from the times
  report.py    report.md and report.json

The process of the command itself never uses the GPU. docs/guides/first_light.md is for its users.
"""
