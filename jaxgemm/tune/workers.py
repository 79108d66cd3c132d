"""Worker processes that time products. If a candidate ends or hangs one, another is started.

A worker says which candidate it begins. If it then says nothing for too long, or ends, the
candidate is left out, and a new worker goes on with the others. If a worker ends while it
compiles for several products, the next worker compiles each candidate when it begins.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, Pipe
import os
import subprocess
import sys
import warnings

import jax

from jaxgemm.emulator import rocm
from jaxgemm.tune import measure
from jaxgemm.tune.measure import Options, Result, Says
from jaxgemm.tune.products import Product

# The program of a worker. Its arguments are a file descriptor, and a device's number and kind.
PROGRAM = ("-m", "jaxgemm.tune.workers")
_START_SECONDS = 300.0
# While all candidates are compiled or timed together, the limit is this many times
# candidate_seconds.
_ROUNDS = 12


class Worker:
  """A process that times products on one device."""

  def __init__(self, device: int, candidate_seconds: float):
    self._device, self._seconds = device, candidate_seconds
    self._process: subprocess.Popen | None = None
    self._pipe: Connection

  def _start(self) -> None:
    self._pipe, theirs = Pipe()
    device = jax.local_devices()[self._device]
    platforms = jax.config.jax_platforms  # type: ignore[attr-defined]
    env = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false",
                        "JAX_PLATFORMS": platforms or ""}
    number = self._device
    if device.platform == "gpu":  # the worker sees no other GPU, and makes no context on one
      number, visible = 0, str(device.local_hardware_id)
      env |= {"JAX_CUDA_VISIBLE_DEVICES": visible, "JAX_ROCM_VISIBLE_DEVICES": visible}
    self._process = subprocess.Popen(
        [sys.executable, *rocm.command(), *PROGRAM, str(theirs.fileno()), str(number),
         device.device_kind],
        pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=env)
    theirs.close()
    if self._said(_START_SECONDS) != ("ready", None):
      self.stop()
      raise RuntimeError(f"the worker for device {self._device} did not start; stderr has "
                         "its reason. Pass workers=0 to time products in this process.")

  def _said(self, seconds: float):
    """The next word and value from the worker, or ("", why there is none)."""
    assert self._process is not None
    try:
      if self._pipe.poll(seconds):
        return self._pipe.recv()
    except (EOFError, ConnectionError):
      return "", f"it ended the process, with status {self._process.wait()}"
    return "", f"it took longer than {seconds:g} s"

  def measure(self, batch: Sequence[Product], options: Options, says: Says) -> None:
    """Does what `measure.measure` does, also if a candidate ends the process, or hangs."""
    left = list(range(len(batch)))  # numbers of the products without a result
    refused: dict[int, dict[str, str]] = {number: {} for number in left}
    begun: int | None = None
    while left:
      if self._process is None:
        self._start()
      sent, current, name, seconds = list(left), None, "", self._seconds * _ROUNDS
      self._pipe.send(([batch[i] for i in sent], options, [refused[i] for i in sent]))
      while (said := self._said(seconds))[0] in ("product", "begins", "result"):
        word, value = said
        if word == "begins":
          name = value
          seconds = self._seconds * (1 if name else _ROUNDS)
        elif word == "product":
          current = sent[value]
          if current != begun:  # a new worker measures its first product again
            says("product", current)
          begun = current
        else:
          left.remove(sent[value[0]])
          says("result", (sent[value[0]], value[1]))
      if said[0] == "error":
        raise said[1]
      if said[0] == "done":
        return  # it may have left products out, if there was no time
      self.stop()
      if current is None and options.threads:
        # From now on candidates start one by one, so that the one that fails is known.
        options = options._replace(threads=0)
      elif name:
        refused[left[0]][name] = said[1]
      else:
        number = left.pop(0)
        refused[number]["all of them together"] = said[1]
        says("result", (number, Result(batch[number].label, batch[number].key, None,
                                       refused=refused[number])))

  def stop(self) -> None:
    if self._process is not None:
      self._process.kill()
      self._process.wait()
      self._pipe.close()
      self._process = None


def run(count: int, candidate_seconds: float, work: Callable[[Callable], None]) -> None:
  """Calls work(measure) in `count` threads, each with the `measure` of a worker of its own."""
  workers = [Worker(device, candidate_seconds) for device in range(count)]
  try:
    with ThreadPoolExecutor(count) as threads:
      list(threads.map(work, [each.measure for each in workers]))
  finally:
    for each in workers:
      each.stop()


def main() -> None:
  pipe, number, kind = Connection(int(sys.argv[1])), int(sys.argv[2]), sys.argv[3]
  warnings.simplefilter("ignore")  # this process's parent has warned
  device = jax.local_devices()[number]
  if device.device_kind != kind:  # jax falls back to the CPU if it finds no GPU
    sys.exit(f"This worker found a {device.device_kind}, and {kind} was asked for.")
  jax.config.update("jax_default_device", device)
  pipe.send(("ready", None))
  while True:
    try:
      batch, options, refused = pipe.recv()
    except EOFError:
      return  # the parent has ended
    try:
      measure.measure(batch, options, lambda word, value: pipe.send((word, value)), refused)
      pipe.send(("done", None))
    except Exception as error:  # pylint: disable=broad-except
      pipe.send(("error", error))


if __name__ == "__main__":
  main()
