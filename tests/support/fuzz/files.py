"""Cases of corrupted files: code objects, tuning files, and commands on tuning files."""

import contextlib
import functools
import io
import json
import os
import pathlib
import tempfile
from unittest import mock

import jax
import numpy as np

import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.call import tuned
from jaxgemm.tune import __main__ as command
from jaxgemm.tune import database
from tests.support.fuzz import hostile
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault


@functools.cache
def _code_object() -> tuple[bytes, str, str] | None:
  """The smallest code object of a product, its kernel and its architecture, or None."""
  path = min((path for arch in _ffi.ROCM_ARCHS
              for path in (_ffi.KERNEL_FOLDER / arch).glob("gemm_*.hsaco")),
             key=lambda path: path.stat().st_size, default=None)
  if path is None:
    return None
  return path.read_bytes(), path.stem, path.parent.name


def _changed(rng, data: bytes) -> bytes:
  changed = bytearray(data)
  kind = rng.integers(4)
  if kind == 0:
    return data[:int(rng.integers(len(data) + 1))]
  if kind == 1:
    at = int(rng.integers(len(data)))
    return data[:at] + bytes(rng.integers(0, 256, int(rng.integers(1, 9)), np.uint8)) + data[at:]
  for _ in range(int(rng.integers(1, 6))):
    # The headers are at the beginning, and the section headers at the end.
    where = choice(rng, (64, 1024, len(data)))
    at = int(rng.integers(where)) if rng.random() < 0.8 else len(data) - 1 - int(rng.integers(2048))
    size = int(choice(rng, (1, 2, 4, 8)))
    value = int(choice(rng, (0, 1, 0x7F, 0xFF, 2**31, 2**32 - 1, 2**63, 2**64 - 1, int(
        rng.integers(2**32)))))
    changed[at:at + size] = (value % 2**(8 * size)).to_bytes(size, "little")
  return bytes(changed[:len(data)])


def _load_code_object(rng) -> str:
  found = _code_object()
  if found is None:
    return "no code object is built"
  data, kernel, arch = found
  changed = _changed(rng, data)
  out = np.zeros(4096, np.uint8)
  try:
    found = emulator.kernels(changed)
    # Whatever the changed code does, it may access no memory but `out`.
    arguments = bytes(next((k["argument_bytes"] for k in found if k["name"] == kernel), 8) % 65536)
    emulator.launch(
        changed, kernel, arguments, grid=1, block=256, arch=arch, buffers={"out": out},
        options=emulator.Options(idle_limit=20_000))
  except emulator.EmulationError as error:
    if not str(error):
      raise Fault("an error of the emulator has no text") from error
    return "refused"
  return "run"


_PRODUCT = jax.ShapeDtypeStruct((64, 64), np.float32)


@functools.cache
def _key() -> str:
  """The key of a product of two `_PRODUCT`, as the plan looks for it."""
  names = []
  with mock.patch.object(tuned, "entries", lambda: {"another": None}), mock.patch.object(
      tuned, "key", lambda *given, key=tuned.key: names.append(key(*given))):
    jaxgemm.explain(_PRODUCT, _PRODUCT, implementation="jaxgemm")
  return names[0]


def _text(rng) -> bytes:
  """A tuning file, mostly with an entry for that product, in which something may be wrong."""
  key = _key()
  name = choice(rng, ("schedule", "tile_m", "kernel", "num_workgroups", "nonsense"))
  value = choice(rng, (*hostile.INTEGERS, "stream_k", "", None, [], 1.5, "x" * 2000))
  config = choice(rng, ({}, {"schedule": "persistent"}, {"tile_m": 16}, {name: value},
                        {name: value}))
  entry = {"implementation": "jaxgemm", "config": config, "size": 64, "seconds": 1e-5,
           "plan_seconds": 2e-5, "xla_seconds": None, "date": "2026-01-01T00:00:00",
           "source": "measured"}
  for _ in range(int(rng.integers(0, 3))):
    name = choice(rng, sorted(entry))
    value = choice(rng, (0, -1, 2**70, "", "xla", "predicted", None, [], {}, 1e999, "\0", True, 64,
                         {"tile_m": 16}, {"schedule": "stream_k", "num_shares": -1}))
    if rng.random() < 0.2:
      del entry[name]
    else:
      entry[name] = value
  data = {"format": choice(rng, (1, 1, 1, 1, 2, "1", None)), "entries": choice(
      rng, ({key: entry}, {key: entry, "": {}}, {key: []}, [], None, {"x": entry, key: entry}))}
  text = json.dumps(data).encode()
  return _changed(rng, text) if rng.random() < 0.4 else text


def _read_tuning_file(rng) -> str:
  text = _text(rng)
  a = rng.standard_normal((64, 64), np.float32)
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "tuning.json"
    path.write_bytes(text)
    os.environ["JAXGEMM_TUNING"] = str(path)
    tuned.forget()
    try:
      out = np.asarray(jaxgemm.matmul(a, a, implementation="jaxgemm"))
      said = str(jaxgemm.explain(a, a, implementation="jaxgemm"))
      found = database.Entry("jaxgemm", {}, 1, 1.0, 1.0, None, "2026")
      database.merge(path, {"another": found})
      if database.load(path)["another"] != found:
        raise Fault(f"an entry beside {text!r} is lost")
    except Fault:
      raise
    except Exception as error:
      raise Fault(f"the tuning file {text!r}: {error!r}") from error
    finally:
      os.environ["JAXGEMM_TUNING"] = "off"
      tuned.forget()
      jax.clear_caches()
  if not np.abs(out - a.astype(np.float64) @ a).max() < 1e-4:
    raise Fault(f"with the tuning file {text!r} the product is wrong")
  return "tuned" if "tuned:" in said else "tuning file without effect"


def _is_tuning_file(text: bytes) -> bool:
  try:
    data = json.loads(text)
  except (ValueError, RecursionError):
    return False
  return isinstance(data, dict) and data.get("format") == database.FORMAT and isinstance(
      data.get("entries"), dict)


def _good_entries(text: bytes) -> dict:
  return database.loads(text, pathlib.Path("a file")) if _is_tuning_file(text) else {}


def _any_file(rng) -> bytes | None:
  """The content of a file that a command is given; None: there is no file."""
  kind = rng.integers(6)
  if kind == 0:
    return None
  if kind == 1:
    return choice(rng, (
        b"", b"{}", b"[]", b"null", b"3", b'"x"', b"[[[", b"\xff\xfe", b'[{"m": 8, "n": 8}]',
        b'{"m": 1}', b"[" * 5000, b'{"entries": {}}', b'{"model": "mine", "weights": [1, 2]}',
        b'{"format": 1}', b'{"format": 2, "entries": {"a": 1}}', b'[{"m": -1, "n": 8, "k": 8}]',
        b'[{"m": 8, "n": 8, "k": 8, "dtype": "float7"}]', b"[1, 2]", b"\0" * 100))
  return _text(rng)


def _run_command(rng) -> str:
  """A command on tuning files. It may refuse, but no file of any content may be lost."""
  what = choice(rng, ("list", "merge", "import", "export", "prune", "shapes.json", "nonsense"))
  before = {"tuning.json": _any_file(rng), "other.json": _any_file(rng)}
  with tempfile.TemporaryDirectory() as folder:
    paths = {name: pathlib.Path(folder) / name for name in (*before, "shapes.json")}
    for name, content in before.items():
      if content is not None:
        paths[name].write_bytes(content)
    paths["shapes.json"].write_bytes(before["other.json"] or b"[]")
    words = f"tune {what} with {before}"
    first = str(paths["shapes.json"]) if what == "shapes.json" else what
    others = [str(paths["other.json"])] if what in ("merge", "import", "export") else []
    said = io.StringIO()
    try:
      with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        status = command.main([first, *others, "--file", str(paths["tuning.json"]),
                               "--seconds=0"])
    except SystemExit as error:
      status = error.code
      if not str(status) and not said.getvalue():
        raise Fault(f"{words} ended without a text") from error
    except Exception as error:
      raise Fault(f"{words} ended in a traceback: {error!r}") from error
    if before["other.json"] is None and what in ("merge", "import") and not status:
      raise Fault(f"{words} succeeded without the file")
    kept = [path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.is_file()]
    for name, content in before.items():
      if content is None or content in kept or what == "prune" and _is_tuning_file(content):
        continue
      now = database.load(paths[name])
      if not _is_tuning_file(content) or _good_entries(content).keys() - now.keys():
        raise Fault(f"{words}: the content of {name} is lost")
  return "refused" if status else "command"


def run(rng) -> str:
  kind = rng.random()
  return (_load_code_object if kind < 0.7 else _read_tuning_file if kind < 0.85
          else _run_command)(rng)


def forget() -> None:
  jax.clear_caches()
