"""Reads what a shared library needs and defines, without loading it."""

import dataclasses
import mmap
import pathlib

import numpy as np

_DYNAMIC, _DYNSYM, _VERSYM, _VERNEED = 6, 11, 0x6FFFFFFF, 0x6FFFFFFE
_NEEDED = 1
_WEAK = 2
_SYSTEM_VERSIONS = ("GLIBC", "GCC", "CXXABI")

_SECTION = np.dtype([
    ("name", "<u4"), ("type", "<u4"), ("flags", "<u8"), ("address", "<u8"),
    ("offset", "<u8"), ("size", "<u8"), ("link", "<u4"), ("info", "<u4"),
    ("align", "<u8"), ("entry", "<u8"),
])
_SYMBOL = np.dtype([
    ("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"),
    ("value", "<u8"), ("size", "<u8"),
])


@dataclasses.dataclass(frozen=True)
class Dynamic:
  """The parts of a library that the dynamic loader reads.

  Attributes:
    needed: file names of the libraries that it is linked with.
    defined: names that it defines.
    undefined: names that it needs from other libraries, without versioned names of the C and
      C++ libraries.
  """

  needed: frozenset[str]
  defined: frozenset[str]
  undefined: frozenset[str]


def read(path: pathlib.Path) -> Dynamic:
  """Reads the dynamic section and the dynamic symbols of a 64-bit ELF file.

  Raises:
    ValueError: the file is not such a library.
  """
  with open(path, "rb") as file:
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
  if data[:6] != b"\x7fELF\x02\x01":
    raise ValueError(f"{path} is not a 64-bit little-endian ELF file.")
  offset = int.from_bytes(data[40:48], "little")
  count = int.from_bytes(data[60:62], "little")
  sections = np.frombuffer(data, _SECTION, count, offset)

  def content(section) -> bytes:
    return data[int(section["offset"]):int(section["offset"] + section["size"])]

  def text(strings: bytes, at: int) -> str:
    return strings[at:strings.index(b"\0", at)].decode()

  needed, system_versions = set(), set()
  symbols, names, versions = np.empty(0, _SYMBOL), b"", None
  for section in sections:
    strings = sections[int(section["link"])]
    if section["type"] == _DYNAMIC:
      for tag, value in np.frombuffer(content(section), "<u8").reshape(-1, 2):
        if tag == _NEEDED:
          needed.add(text(content(strings), int(value)))
    elif section["type"] == _DYNSYM:
      symbols = np.frombuffer(content(section), _SYMBOL)
      names = content(strings)
    elif section["type"] == _VERSYM:
      versions = np.frombuffer(content(section), "<u2") & 0x7FFF
    elif section["type"] == _VERNEED:
      system_versions = _read_needed_versions(content(section), content(strings), text)
  defined, undefined = set(), set()
  for i, symbol in enumerate(symbols):
    if symbol["name"] == 0:
      continue
    name = text(names, int(symbol["name"]))
    if symbol["section"] != 0:
      defined.add(name)
    elif symbol["info"] >> 4 != _WEAK:
      if versions is None or int(versions[i]) not in system_versions:
        undefined.add(name)
  return Dynamic(frozenset(needed), frozenset(defined), frozenset(undefined))


def _read_needed_versions(section: bytes, strings: bytes, text) -> set[int]:
  """The numbers of the symbol versions that belong to the C and C++ libraries."""
  found, at = set(), 0
  word = lambda offset, size: int.from_bytes(section[offset:offset + size], "little")
  while True:
    aux = at + word(at + 8, 4)
    for _ in range(word(at + 2, 2)):
      if text(strings, word(aux + 8, 4)).startswith(_SYSTEM_VERSIONS):
        found.add(word(aux + 6, 2))
      aux += word(aux + 12, 4)
    step = word(at + 12, 4)
    if step == 0:
      return found
    at += step
