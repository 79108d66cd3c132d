"""The tuning file: many writers keep it whole, and a damaged file does no harm."""

import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import warnings

import pytest

from jaxgemm.tune import database
from jaxgemm.tune.database import Entry

ENTRY = Entry("jaxgemm", {"schedule": "persistent", "tile_m": 64}, 100, 1e-5, 2e-5, None,
              "2026-01-01T00:00:00+00:00")


@pytest.fixture(autouse=True)
def reports_again():
  database.report.cache_clear()


def test_what_is_merged_is_loaded(tmp_path):
  path = tmp_path / "folder" / "tuning.json"
  assert database.load(path) == {}
  database.merge(path, {"a": ENTRY})
  other = Entry("xla", {}, 7, 1.0, 1.0, 0.5, "2026-01-02T00:00:00+00:00")
  database.merge(path, {"b": other})
  assert database.load(path) == {"a": ENTRY, "b": other}
  other = dataclasses.replace(other, config={"tile_m": 128, "multicast": False})
  database.merge(path, {"b": other})
  assert database.load(path) == {"a": ENTRY, "b": other}
  database.merge(path, {"a": other})
  assert database.load(path) == {"a": other, "b": other}
  assert database.prune(path, lambda key, entry: key == "b") == 1
  assert database.load(path) == {"b": other}
  # Nothing but the file and its lock is left.
  assert {each.name for each in path.parent.iterdir()} == {
      "tuning.json", "tuning.json.lock"}


# The module is loaded without the package, because each process would need seconds to import jax.
WRITER = """
import importlib.util, pathlib, sys
spec = importlib.util.spec_from_file_location("database", sys.argv[1])
database = sys.modules["database"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(database)
path = pathlib.Path(sys.argv[2])
entry = next(iter(database.load(path).values()))
for i in range(20):
  database.merge(path, {f"{sys.argv[3]} {i}": entry})
"""


def test_eight_processes_write_at_once(tmp_path):
  path = tmp_path / "tuning.json"
  database.merge(path, {"first": ENTRY})
  writers = [subprocess.Popen([sys.executable, "-c", WRITER, database.__file__, path, str(i)])
             for i in range(8)]
  assert [each.wait() for each in writers] == [0] * 8
  assert database.prune(path, lambda key, _: key != "first") == 1
  assert database.load(path) == {f"{w} {i}": ENTRY for w in range(8) for i in range(20)}


def mangled(rng: random.Random, text: bytes) -> bytes:
  data = bytearray(text)
  for _ in range(rng.randint(1, 4)):
    at = rng.randrange(len(data))
    kind = rng.randrange(4)
    if kind == 0:
      data[at] = rng.randrange(256)
    elif kind == 1:
      del data[at:at + rng.randint(1, 40)]
    elif kind == 2:
      data[at:at] = rng.choice((b"[", b"}", b"null", b'"', b"1e999", b"\xff\xfe", b"NaN"))
    else:
      data = data[:max(at, 1)]
  return bytes(data)


def test_a_thousand_corrupted_files(tmp_path):
  """From each file whole entries are read, or none, and it can be written again."""
  path, rng = tmp_path / "tuning.json", random.Random(1)
  database.merge(path, {f"problem {i}": ENTRY for i in range(3)})
  whole = path.read_bytes()
  warnings.simplefilter("ignore")
  for _ in range(1000):
    path.write_bytes(mangled(rng, whole))
    for entry in database.load(path).values():
      assert isinstance(entry, Entry) and isinstance(entry.config, dict)
    database.merge(path, {"new": ENTRY})
    assert database.load(path)["new"] == ENTRY


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"format": 2, "entries": {}}', '{"format": 1, "entries": []}',
    '{"format": 1, "entries": {"a": {"implementation": "other"}}}',
    "[" * 100_000])
def test_damage_is_reported_once(tmp_path, text):
  path = tmp_path / "tuning.json"
  path.write_text(text)
  with pytest.warns(UserWarning, match="Remove it, or set JAXGEMM_TUNING"):
    assert database.load(path) == {}
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    assert database.load(path) == {}


def test_a_file_that_is_no_json_is_kept_beside_the_new_one(tmp_path):
  path = tmp_path / "tuning.json"
  path.write_text("precious")
  with pytest.warns(UserWarning, match="cannot be read"):
    database.merge(path, {"a": ENTRY})
  assert database.load(path) == {"a": ENTRY}
  assert (tmp_path / "tuning.json.damaged").read_text() == "precious"


@pytest.mark.parametrize("text", [
    '{"name": "a package"}', "[1, 2]", "3",
    '{"format": 2, "entries": {"of a later version": {}}}',
    '{"format": 1, "entries": {"a": {"implementation": "other"}}}'])
def test_what_a_file_has_else_is_kept_beside_the_new_one(tmp_path, text):
  """Each time that something would be lost, there is another copy."""
  path = tmp_path / "tuning.json"
  for change in (lambda: database.merge(path, {"a": ENTRY}),
                 lambda: database.prune(path, lambda *_: True)):
    path.write_text(text)
    database.report.cache_clear()
    with pytest.warns(UserWarning, match=r"It is kept as \S*tuning.json.damaged"):
      change()
    json.loads(path.read_text())["entries"]
  copies = [each for each in tmp_path.iterdir() if ".damaged" in each.name]
  assert [each.read_text() for each in copies] == [text] * 2


def test_a_link_to_the_file_stays(tmp_path):
  (tmp_path / "shared").mkdir()
  link, path = tmp_path / "tuning.json", tmp_path / "shared" / "tuning.json"
  link.symlink_to(path)
  for key in "ab":
    database.merge(link, {key: ENTRY})
  assert link.is_symlink() and set(database.load(path)) == {"a", "b"}


def test_only_regular_files_are_read_and_replaced(tmp_path):
  """To read a pipe would wait for ever, and a device must not be replaced."""
  pipe = tmp_path / "pipe"
  os.mkfifo(pipe)
  for path in (pipe, tmp_path):
    with pytest.warns(UserWarning, match="no regular file"):
      assert database.load(path) == {}
    with pytest.raises(OSError, match="no regular file"):
      database.merge(path, {"a": ENTRY})
  assert pipe.is_fifo()


def test_a_file_that_cannot_be_written_is_left_as_it_was(tmp_path, monkeypatch):
  path = tmp_path / "tuning.json"
  path.write_text("precious")

  def full(*_):
    raise OSError(28, "No space left on device")

  monkeypatch.setattr(database.os, "replace", full)
  with pytest.raises(OSError, match="No space left"), pytest.warns(UserWarning):
    database.merge(path, {"a": ENTRY})
  assert path.read_text() == "precious"


def test_an_entry_of_another_shape_is_left_out(tmp_path):
  path = tmp_path / "tuning.json"
  database.merge(path, {"a": ENTRY, "b": ENTRY})
  data = json.loads(path.read_text())
  for change in ({"size": "100"}, {"config": {"tile_m": 1.5}}, {"config": {"a": None}},
                 {"more": 1}, {"seconds": None}):
    database.report.cache_clear()
    data["entries"]["b"] = dict(data["entries"]["a"]) | change
    path.write_text(json.dumps(data))
    with pytest.warns(UserWarning, match="1 damaged entries"):
      assert database.load(path) == {"a": ENTRY}


def test_an_entry_of_an_earlier_version_was_measured(tmp_path):
  path = tmp_path / "tuning.json"
  database.merge(path, {"a": ENTRY})
  data = json.loads(path.read_text())
  del data["entries"]["a"]["source"]
  path.write_text(json.dumps(data))
  assert database.load(path)["a"].source == "measured"
  data["entries"]["a"]["source"] = "guessed"
  path.write_text(json.dumps(data))
  with pytest.warns(UserWarning, match="1 damaged entries"):
    assert database.load(path) == {}


def test_shipped_files_are_whole_and_say_where_they_come_from():
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    entries = database.shipped()
  assert entries
  for key, entry in entries.items():
    # No AMD GPU was ever timed.
    assert (entry.source == "predicted") == key.startswith("gfx"), key


def test_the_place_of_the_file(monkeypatch):
  monkeypatch.setenv("JAXGEMM_TUNING", "off")
  assert database.default_path() is None
  monkeypatch.setenv("JAXGEMM_TUNING", "/some/file.json")
  assert database.default_path() == pathlib.Path("/some/file.json")
  monkeypatch.delenv("JAXGEMM_TUNING")
  monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
  assert database.default_path() == pathlib.Path("/cache/jaxgemm/tuning.json")


def test_without_a_home_folder_there_is_no_file(monkeypatch):
  for name in ("JAXGEMM_TUNING", "XDG_CACHE_HOME", "HOME"):
    monkeypatch.delenv(name, raising=False)

  def unknown(_):
    raise KeyError("getpwuid(): uid not found")

  monkeypatch.setattr("pwd.getpwuid", unknown)
  assert database.default_path() is None and not database.is_off()
  with pytest.raises(ValueError, match="HOME is not set.* pass path="):
    database.place(None, "path=")
  assert database.place("x.json", "path=") == pathlib.Path("x.json")


def test_a_folder_of_another_user_has_no_file_of_this_user(tmp_path, monkeypatch):
  """HOME may be /root for another user. Nothing is reported, for there is nothing to do."""
  def forbidden(path):
    raise PermissionError(13, "Permission denied", str(path))

  monkeypatch.setattr(database, "read", forbidden)
  with pytest.warns(UserWarning, match="Permission denied"):
    assert database.load(tmp_path / "tuning.json") == {}
  monkeypatch.setattr(database.os, "access", lambda *_: False)
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    assert database.load(tmp_path / "other.json") == {}


@pytest.mark.parametrize("given, error", [("", ValueError), ("a\0b", ValueError), (3, TypeError),
                                          (b"x", TypeError)])
def test_what_is_no_path(given, error):
  with pytest.raises(error, match="path=.* was given; the path of a file is allowed"):
    database.place(given, "path=")


@pytest.mark.parametrize("word", ["OFF", "Off", "off ", "of", "0", "none", "false"])
def test_a_mistyped_off_is_not_the_name_of_a_new_file(monkeypatch, word):
  monkeypatch.setenv("JAXGEMM_TUNING", word)
  with pytest.raises(ValueError, match=f"JAXGEMM_TUNING is '{word}'; allowed are .* 'off'"):
    database.place(None, "path=")
