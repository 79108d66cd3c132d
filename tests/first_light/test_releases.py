"""Releases of ROCm and of JAX's plugin outside of those that were tried are said once."""

import types
import warnings

import jax
import pytest

from jaxgemm import _ffi
from jaxgemm.call import fallback, releases

CODE = b"\x7fELF\x02\x01\x01\x40\x03" + bytes(7)


def client(major=0, minor=112, version="PJRT C API\nrocm 70200"):
  return types.SimpleNamespace(pjrt_c_api_major_version=major, pjrt_c_api_minor_version=minor,
                               platform_version=version)


def test_what_was_tried_is_not_said():
  assert releases.untried(client(), CODE) == []
  assert releases.untried(client(minor=116, version="rocm 70999"), b"") == []
  # A client that says nothing of its version.
  assert releases.untried(types.SimpleNamespace(platform_version="rocm"), CODE) == []


def test_the_code_objects_of_this_build_are_those_that_were_tried():
  paths = [path for arch in _ffi.ROCM_ARCHS for path in (_ffi.KERNEL_FOLDER / arch).glob("*.hsaco")]
  assert paths
  for path in paths:
    assert releases.untried(client(), path.read_bytes()[:16]) == []


@pytest.mark.parametrize("given, code, said", [
    (client(minor=117), CODE, "the plugin's PJRT is 0.117 (0.112 to 0.116 were tried)"),
    (client(minor=90), CODE, "the plugin's PJRT is 0.90 "),
    (client(major=1, minor=0), CODE, "the plugin's PJRT is 1.0 "),
    (client(version="rocm 100100"), CODE, "HIP is 10 (7 was tried)"),
    (client(version="rocm 60300"), CODE, "HIP is 6 (7 was tried)"),
    (client(), CODE[:8] + b"\x04", "the code objects of this build have version 6 (5 was tried)"),
    (client(), CODE[:8] + b"\x09", "the code objects of this build have version 09"),
])
def test_others_are_said(given, code, said):
  found, = releases.untried(given, code)
  assert found.startswith(said)


def test_it_is_a_warning_once_and_only_of_real_gpus(monkeypatch):
  device = types.SimpleNamespace(client=client(minor=200, version="rocm 100000"))
  monkeypatch.setattr(jax, "devices", lambda *_: [device])
  monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
  monkeypatch.setattr(_ffi, "target", lambda platform: "gfx942")
  monkeypatch.setattr(_ffi, "virtual_gpus", ("MI300X", 1))
  releases.say_once.cache_clear()
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    assert fallback._default_target() == ("gfx942", None)
  monkeypatch.setattr(_ffi, "virtual_gpus", None)
  with pytest.warns(UserWarning, match="PJRT is 0.200 .*HIP is 10 .*jaxgemm.first_light") as caught:
    for _ in range(3):
      assert fallback._default_target() == ("gfx942", None)
  assert len(caught) == 1
  releases.say_once.cache_clear()
