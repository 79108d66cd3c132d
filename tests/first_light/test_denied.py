"""Kernels that are denied on a chip: no path chooses them, and explain says so."""

import concurrent.futures
import functools
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.call import denied, tuned
from jaxgemm.call.denied import Rule
from jaxgemm.call.kernel_calls import lack
from jaxgemm.tune import database, products

EMULATED = "emulated:MI300X"
X = jax.ShapeDtypeStruct((256, 4096), jnp.bfloat16)
W = jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16)
explain = functools.partial(jaxgemm.explain, implementation=EMULATED)


@pytest.fixture
def deny(tmp_path, monkeypatch):
  """deny(rules): these, as (kernel, schedule), and no others are denied on an MI300X."""
  file = tmp_path / "of a user" / "denied.json"
  monkeypatch.setenv("JAXGEMM_DENIED", str(file))

  def deny(*rules, chip="MI300X"):
    denied.write(file, chip, [Rule(*each, "the result is wrong", "2026-01-02") for each in rules],
                 lambda rule: True)
    jax.clear_caches()
    return file

  deny()
  yield deny
  monkeypatch.undo()
  denied.forget()
  jax.clear_caches()


def kernels(data) -> set[str]:
  return {data["kernel"], *(each["kernel"] for each in data["candidates"])}


def test_the_next_candidate_is_chosen(deny):
  before = explain(X, W).data
  left = list(dict.fromkeys(each["kernel"] for each in before["candidates"]))
  chosen = []
  while left:
    data = explain(X, W).data
    assert data["kernel"] == left.pop(0)
    assert not kernels(data) & {*chosen} and data["candidates"][0]["kernel"] == data["kernel"]
    assert [each["cost"] for each in data["candidates"]][0] == 1.0
    if chosen:
      assert any(f"denied on MI300X: {before['kernel']} (found on 2026-01-02: the result is wrong)"
                 in each for each in data["reasons"])
    chosen.append(data["kernel"])
    deny(*((name, "*") for name in chosen))
  # None is left.
  reason = "no kernel is left for this product: denied on MI300X is"
  ok, why = jaxgemm.supports(X, W, implementation=EMULATED)
  assert not ok and (reason in why or "all kernels for bfloat16" in why)


def test_a_schedule_is_denied_for_all_kernels(deny):
  deny(("*", "stream_k"), ("*", "work_stealing"))
  for rows, columns, k in ((16, 8192, 8192), (256, 4096, 4096), (4096, 4096, 512)):
    data = explain(jax.ShapeDtypeStruct((rows, k), jnp.bfloat16),
                   jax.ShapeDtypeStruct((k, columns), jnp.bfloat16)).data
    assert {each["schedule"] for each in data["candidates"]} == {"persistent"}
  with pytest.raises(ValueError, match="all kernels with schedule stream_k .*implementation='xla'"):
    explain(X, W, schedule="stream_k")


def test_not_by_a_config_and_not_by_a_tuned_entry(deny, monkeypatch):
  first, second = list(dict.fromkeys(
      each["kernel"] for each in explain(X, W).data["candidates"]))[:2]
  deny((second, "*"))
  with pytest.raises(ValueError, match=f"denied on MI300X is {second}.*another config"):
    explain(X, W, config=jaxgemm.GemmConfig(kernel=second))
  tile = [int(x) for x in second.split("_")[3].split("x")]
  problems = []
  monkeypatch.setattr(tuned, "entries", lambda: {"no": None})
  monkeypatch.setattr(tuned, "key", lambda problem, *_: problems.append(problem) or "no")
  explain(X, W)
  config = dict(zip(("tile_m", "tile_n", "tile_k"), tile))
  entry = database.Entry("jaxgemm", config, problems[0]["m"], 1e-6, 2e-6, None, "2026-01-01")
  monkeypatch.setattr(tuned, "entries", lambda: {"no": entry})
  jax.clear_caches()
  assert explain(X, W).data["kernel"] == first
  deny()
  assert explain(X, W).data["kernel"] == second


def test_tune_times_no_kernel_that_is_denied(deny, monkeypatch):
  monkeypatch.setattr(products, "_why_not", lambda eqn: "")  # emulated ones are not tuned
  calls = [(lambda x, w: jaxgemm.matmul(x, w, implementation=EMULATED), (X, W), {})]
  (product,), _ = products.products(calls)
  names = {each["kernel"] for each in product.plan["candidates"]}
  bad = product.plan["kernel"]
  deny((bad, "*"))
  (product,), _ = products.products(calls)
  assert {each["kernel"] for each in product.plan["candidates"]} == names - {bad}
  assert product.configs(16)[0] == product.plan["candidates"][0]["config"]


def test_results_are_right_and_lowered_programs_have_other_kernels(rng, deny):
  a, b = (jnp.asarray(rng.integers(-3, 4, shape), jnp.bfloat16) for shape in ((40, 96), (96, 80)))
  weights = rng.integers(-3, 4, (40, 80)).astype(np.float32)

  def loss(a, b):
    out = jaxgemm.matmul(a, b, preferred_element_type=jnp.float32, implementation=EMULATED)
    return (out * weights).sum()

  program = jax.value_and_grad(loss, (0, 1))
  for _ in range(2):
    used = {call["kernel"] for call in jaxgemm.explain(program, a, b).data["calls"]}
    value, (of_a, of_b) = jax.jit(program)(a, b)
    wide = [np.asarray(x, np.float64) for x in (a, b)]
    assert value == (wide[0] @ wide[1] * weights).sum()
    np.testing.assert_array_equal(of_a, (weights @ wide[1].T).astype(jnp.bfloat16))
    np.testing.assert_array_equal(of_b, (wide[0].T @ weights).astype(jnp.bfloat16))
    bad = {rule.kernel for rule in denied.rules_of("MI300X")}
    text = jax.jit(program).lower(a, b).as_text()
    assert not used & bad and not any(name in text for name in bad)
    assert all(name in text for name in used)
    deny(*((name, "*") for name in used))


def test_types_of_which_all_kernels_are_denied_are_left_to_xla(rng, deny):
  names = [name for name in _ffi.built_kernels("gfx942") if name.startswith("gemm_float16")]
  deny(*((name, "*") for name in names))
  a = jax.ShapeDtypeStruct((64, 64), jnp.float16)
  ok, why = jaxgemm.supports(a, a, implementation=EMULATED)
  assert not ok and "all kernels for float16 and float16 are denied on MI300X" in why
  assert jaxgemm.supports(X, W, implementation=EMULATED)[0]


def test_the_routing_kernel(deny, monkeypatch):
  monkeypatch.setattr(_ffi, "target", lambda platform: "gfx942")
  monkeypatch.setattr(_ffi, "chip", lambda target: "MI300X")
  monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
  monkeypatch.setattr(_ffi, "own_chip", lambda target: "MI300X")
  assert not lack("rocm")
  deny(("routing", "*"))
  assert "denied on MI300X: routing" in lack("rocm")


def test_other_chips_and_virtual_ones_are_not_concerned(deny, monkeypatch):
  deny(("*", "*"))
  jaxgemm.explain(X, W, implementation="emulated:MI355X")
  monkeypatch.setattr(_ffi, "virtual_gpus", ("MI300X", 1))
  assert denied.rule_for("MI300X", "gemm") is None
  deny(("gemm", "*"), chip=denied.key("MI300X"))
  assert denied.rule_for("MI300X", "gemm") and denied.rule_for("MI300X", "other") is None


def test_the_file(deny, monkeypatch):
  file = deny(("*", "*"))
  deny(("gemm", "stream_k"), chip="MI355X")
  assert denied.read(file).keys() == {"MI300X", "MI355X"}
  deny()
  assert denied.read(file) == {
      "MI355X": [Rule("gemm", "stream_k", "the result is wrong", "2026-01-02")]}
  deny(("*", "*"))
  monkeypatch.setenv("JAXGEMM_DENIED", "off")
  denied.forget()
  explain(X, W)
  monkeypatch.delenv("JAXGEMM_DENIED")
  monkeypatch.setenv("XDG_CONFIG_HOME", str(file.parent))
  assert denied.path() == file.parent / "jaxgemm" / "denied.json"


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"format": 2, "chips": {}}', '{"format": 1, "chips": {"MI300X": [{}]}}',
    '{"format": 1, "chips": {"MI300X": [{"kernel": 1, "schedule": "*", "why": "", "date": ""}]}}'])
def test_a_file_that_cannot_be_read_is_an_error(deny, text):
  file = deny(("*", "*"))
  file.write_text(text)
  denied.forget()
  with pytest.raises(ValueError, match="cannot be read.*JAXGEMM_DENIED"):
    explain(X, W)
  with pytest.raises(ValueError, match="cannot be read"):
    denied.write(file, "MI300X", [], lambda rule: True)
  assert file.read_text() == text


def test_a_list_that_is_named_must_be_there(tmp_path, monkeypatch):
  file = tmp_path / "jaxgemm" / "denied.json"
  monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
  monkeypatch.delenv("JAXGEMM_DENIED", raising=False)
  denied.forget()
  assert denied.rules_of("MI300X") == ()
  monkeypatch.setenv("JAXGEMM_DENIED", str(file))
  denied.forget()
  with pytest.raises(ValueError, match="JAXGEMM_DENIED names .*denied.json.*first_light --write"):
    denied.rules_of("MI300X")
  rule = Rule("gemm", "*", "bad", "2026-01-02")
  assert denied.write(file, "MI300X", [rule], lambda rule: True) == 1
  assert denied.rules_of("MI300X") == [rule]
  # Bytes that are no text, and a folder, are no list either, also at the default path.
  for broken in (lambda: file.write_bytes(b"\xff\xfe{"), lambda: (file.unlink(), file.mkdir())):
    broken()
    for name in (str(file), ""):
      monkeypatch.setenv("JAXGEMM_DENIED", name)
      denied.forget()
      with pytest.raises(ValueError, match="denied.json cannot be read.*Correct or remove it"):
        denied.rules_of("MI300X")
  monkeypatch.undo()
  denied.forget()


def test_another_name_of_the_chip_does_not_avoid_the_list(deny, monkeypatch):
  deny(("gemm", "*"))
  device = types.SimpleNamespace(device_kind="AMD Instinct MI300X", compute_capability="gfx942")
  monkeypatch.setattr(jax, "devices", lambda *_: [device])
  monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
  for name in (None, "gfx942", "MI308X"):
    monkeypatch.setattr(_ffi, "_wanted_rocm_arch", lambda name=name: name)
    assert denied.rule_for(_ffi.chip("gfx942"), "gemm"), name
  # Programs for another chip than that of the device are not concerned.
  monkeypatch.setattr(_ffi, "_wanted_rocm_arch", lambda: None)
  assert denied.rule_for("MI308X", "gemm") is None
  assert denied.rule_for("MI355X", "gemm") is None


def test_processes_that_write_at_once_lose_no_rule(tmp_path):
  file = tmp_path / "denied.json"

  def add(i):
    denied.write(file, "MI300X", [Rule(f"gemm_{i}", "*", "bad", "2026-01-02")], lambda rule: False)

  with concurrent.futures.ThreadPoolExecutor(8) as threads:
    list(threads.map(add, range(64)))
  assert {rule.kernel for rule in denied.read(file)["MI300X"]} == {f"gemm_{i}" for i in range(64)}
  assert {each.name for each in tmp_path.iterdir()} == {"denied.json", "denied.json.lock"}
