"""With JAXGEMM_TEST_DEVICES=all each test here runs on all GPUs of the process at once.

For each GPU a thread runs the test with arrays of its own, and the threads begin together.
"""

from concurrent import futures
import os
import threading

import jax
import numpy as np
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
  if os.environ.get("JAXGEMM_TEST_DEVICES") != "all" or (
      jax.default_backend() == "cpu"):  # where these tests are skipped
    return None
  gpus = jax.devices()
  if len(gpus) < 2:
    raise pytest.UsageError("JAXGEMM_TEST_DEVICES=all needs at least two GPUs.")
  begin = threading.Barrier(len(gpus))

  def run(number: int):
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    if "rng" in given:
      given["rng"] = np.random.default_rng(number)
    if "tmp_path" in given:
      given["tmp_path"] = given["tmp_path"] / str(number)
      given["tmp_path"].mkdir()
    with jax.default_device(gpus[number]):
      begin.wait()
      pyfuncitem.obj(**given)

  with futures.ThreadPoolExecutor(len(gpus)) as pool:
    for each in [pool.submit(run, number) for number in range(len(gpus))]:
      each.result()
  return True
