"""The roofline of a product: the least seconds that it can take by its chip's data sheet.

A product takes at least the larger of two times: its FLOPs at the peak rate, and its bytes
(each operand and result once) at the bandwidth of the memory. Of a layer of experts the bytes are
those of the weights. Every suite reports it; nothing is measured here.
"""

from typing import Any

# (TFLOP/s of bfloat16 without sparsity, GB/s of memory) by a part of the device's name.
# Sources: NVIDIA H100 and H200 data sheets (SXM); AMD Instinct MI300X and MI355X data sheets.
CHIPS = {"H100": (989.4, 3350), "H200": (989.4, 4800), "MI300X": (1307.4, 5300),
         "MI355X": (2516.6, 8000)}
# Peak rates of the operand types over that of bfloat16.
_RATES = {"float32": {"H100": 0.5, "H200": 0.5, "MI300X": 0.125, "MI355X": 0.0625}}
_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "int8": 1, "float8_e4m3fn": 1,
          "float8_e5m2": 1}


def least_seconds(row: dict[str, Any], device: str,
                  peaks: tuple[float, float] | None = None) -> float | None:
  """The least time of a row's product; None where the row or the chip is not known.

  Args:
    row: it has m, n, k, dtype, and perhaps groups and work; or num_experts, flops and dtype,
      and perhaps weight_bytes.
    device: the device's name.
    peaks: TFLOP/s for the row's operand type, and GB/s, in place of the data sheet's.
  """
  chip, dtype = next((name for name in CHIPS if name in device), None), row.get("dtype")
  of_layer = "num_experts" in row
  if dtype not in _BYTES or not ({"m", "n", "k"} <= row.keys() or of_layer):
    return None
  if not of_layer and row.get("work") not in (None, "forward", "dgrad", "wgrad"):
    return None  # several products
  if peaks is None:
    if chip is None:
      return None
    rate, bandwidth = CHIPS[chip]
    rate *= 2 if _BYTES[dtype] == 1 else _RATES.get(dtype, {}).get(chip, 1)
  else:
    rate, bandwidth = peaks
  if of_layer:
    return max(row["flops"] / (rate * 1e12), row.get("weight_bytes", 0) / (bandwidth * 1e9))
  m, n, k, groups = (row.get(key) or 1 for key in ("m", "n", "k", "groups"))
  size = _BYTES[dtype]
  return max(2 * m * n * k / (rate * 1e12),
             size * (m * k + groups * k * n + m * n) / (bandwidth * 1e9))
