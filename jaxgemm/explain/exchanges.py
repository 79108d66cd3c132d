"""The exchanges between devices in a program, and the products that run beside them."""

from collections.abc import Iterable
from typing import Any

from jaxgemm.explain.planned import predicted_us
from jaxgemm.explain.program import Exchange


class Exchanges:
  """Collects the exchanges of a program, which come in its order with the products between them.

  Each becomes a dictionary with these keys:

  * devices: the number of devices of which each sends to all others;
  * block: dtype and shape of what a device sends to each of the others; bytes: its size;
  * by: "copies" (copy engines) or "ppermute" (XLA's collective);
  * reason: why it is "ppermute", or "";
  * products: the numbers of the calls that may run beside it, counted from 1;
  * predicted_us: the sum of their predicted times, or None if one is not predicted;
  * within, steps: as those of a call.
  """

  def __init__(self):
    self._found: list[dict[str, Any]] = []
    self._open: list[tuple[Any, dict[str, Any]]] = []

  def meet(self, exchange: Exchange) -> None:
    """Begins or ends an exchange."""
    eqn = exchange.eqn
    received = (eqn.invars[0] if exchange.is_done else eqn.outvars[0]).aval
    # The blocks may have another name at their end. Of equal exchanges the first one ends first.
    key = eqn.params["form"], received.shape, received.dtype
    if exchange.is_done:
      first = next((i for i, each in enumerate(self._open) if each[0] == key), None)
      if first is not None:
        del self._open[first]
      return
    self._found.append({
        "devices": exchange.devices,
        "block": f"{received.dtype}[{','.join(map(str, received.shape[1:]))}]",
        "bytes": received.size // received.shape[0] * received.dtype.itemsize,
        "by": "ppermute" if exchange.reason else "copies", "reason": exchange.reason,
        "products": [], "predicted_us": 0.0, "within": exchange.within, "steps": exchange.steps})
    self._open.append((key, self._found[-1]))

  def beside(self, number: int, call: dict[str, Any]) -> None:
    """Adds a call to the exchanges that have begun and not ended."""
    us = predicted_us(call)
    for _, each in self._open:
      each["products"].append(number)
      each["predicted_us"] = None if us is None or each["predicted_us"] is None else (
          each["predicted_us"] + us)

  def data(self) -> dict[str, list[dict[str, Any]]]:
    """The part of an explanation's data."""
    return {"exchanges": self._found} if self._found else {}


def lines(exchanges: Iterable[dict[str, Any]]) -> list[str]:
  """The exchanges in words."""
  found = []
  for each in exchanges:
    others = each["devices"] - 1
    us, count = each["predicted_us"], each["bytes"]
    beside = "beside no product"
    if numbers := each["products"]:
      listed = f"number{'s'[:len(numbers) > 1]} {', '.join(map(str, numbers))}"
      beside = f"XLA may run {listed} beside it" if each["reason"] else f"beside {listed}"
    hidden = ""
    if us:
      hidden = (f"; it is hidden if a device sends more than {others * count / us / 1e3:.1f} GB/s "
                f"in the {us:.1f} us that these are predicted to take")
    how = each["by"] + (f" ({each['reason']})" if each["reason"] else "")
    found.append(f"exchange of {each['devices']} devices: {each['block']} ({count} bytes) to each "
                 f"other one by {how}, {beside}{hidden}")
  return found
