"""Runs the code of README.md, CONTRIBUTING.md and docs/: a page in one process.

A page is Markdown. The kinds of its fenced blocks:

  python  runs on the CPU, one block after the other in one namespace. Lines that begin
          with ">>> " are a doctest: the output must be that of the page ("..." stands
          for anything). After the comment <!-- needs a GPU --> it is only compiled.
  sh      is read: programs, files and extras must exist, and each program must name
          the flags in its help.

A page sees one device, or eight if it has the comment <!-- eight devices -->.
"""

import ast
import doctest
import functools
import html
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib
import traceback

import jax
import jax.numpy as jnp
import pytest

from benchmarks import front_chart
import jaxgemm
from jaxgemm import _ffi
from jaxgemm.flax import linen, nnx
from tests.support import limits, public_names
from tests.support.environment import one_device
from tests.support.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(
    page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
_FIRST = ("README.md", "CONTRIBUTING.md", "docs/guides/installation.md")
GPU, EIGHT = "<!-- needs a GPU -->", "<!-- eight devices -->"
_BLOCK = re.compile(
    r"^(?P<before>[^\n]*)\n```(?P<kind>\w+)\n(?P<code>.*?)^```$", re.M | re.S)


def blocks(page: pathlib.Path, kind: str) -> list[tuple[int, str, bool]]:
  """(line of the first line of code, code, whether it needs a GPU) of each block."""
  text = "\n" + page.read_text()
  return [(text.count("\n", 0, found.start("code")), found["code"],
           found["before"].strip() == GPU)
          for found in _BLOCK.finditer(text) if found["kind"] == kind]


def run_page(page: pathlib.Path) -> int:
  """Runs the python blocks of a page; 1 if one of them fails, else 0."""
  names = {"__name__": "__main__"}
  runner = doctest.DocTestRunner(
      optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
  for line, code, needs_gpu in blocks(page, "python"):
    if needs_gpu:
      continue
    if code.startswith(">>> "):
      examples = doctest.DocTestParser().get_examples(code, page.name)
      test = doctest.DocTest(examples, names, page.name, str(page), line - 1, code)
      if runner.run(test, clear_globs=False).failed:
        return 1
      names = test.globs
      continue
    tree = ast.parse(code, str(page))
    ast.increment_lineno(tree, line - 1)
    try:
      exec(compile(tree, str(page), "exec"), names)  # pylint: disable=exec-used
    except Exception:  # pylint: disable=broad-except
      traceback.print_exc()
      return 1
  return 0


@pytest.mark.parametrize("page", ["docs/guides/chunks.md"])
def test_chunks_of_a_page_have_a_kernel_on_every_gpu(page):
  rows = set(re.findall(r"tile_m=(\d+)", (ROOT / page).read_text()))
  assert rows
  x = jax.ShapeDtypeStruct((1024, 512), jnp.float32)
  w = jax.ShapeDtypeStruct((512, 256), jnp.float32)
  for tile_m in map(int, rows):
    product = jax.jit(functools.partial(
        jaxgemm.matmul, config=jaxgemm.GemmConfig(tile_m=tile_m)))
    for platform in ("cuda", "rocm"):
      assert product.trace(x, w).lower(lowering_platforms=(platform,)).as_text()


def _names(pages, kind):
  return [str(page.relative_to(ROOT)) for page in pages if blocks(page, kind)]


# The tutorial and the guide of dense products do by default what these do.
@pytest.mark.whole(unless=lambda page: page not in (
    "docs/guides/experts.md", "docs/guides/tuning.md"))
@pytest.mark.parametrize("page", _names(PAGES, "python"))
def test_python_of_a_page_runs(page, tmp_path):
  path = ROOT / page
  for line, code, needs_gpu in blocks(path, "python"):
    if needs_gpu:
      tree = ast.parse(code)
      compile(ast.increment_lineno(tree, line - 1), str(path), "exec")
  env = one_device() | {
      "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT),
      "JAXGEMM_TUNING": str(tmp_path / "tuning.json")}
  if EIGHT in path.read_text():
    env["XLA_FLAGS"] += " --xla_force_host_platform_device_count=8"
  done = subprocess.run([sys.executable, __file__, str(path)], cwd=tmp_path, env=env,
                        capture_output=True, text=True, check=False)
  assert done.returncode == 0, f"{page}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


def _commands(code: str):
  """The words of each command of a block, without redirections and assignments."""
  for line in code.replace("\\\n", " ").splitlines():
    words = shlex.split(line, comments=True)
    command = []
    for word in (*words, "&&"):
      if word not in ("&&", "||", "|", ";"):
        command.append(word)
        continue
      while command and re.match(r"[A-Z_]+=", command[0]):
        command.pop(0)
      if command:
        yield command
      command = []


@functools.cache
def _help(*program) -> str:
  done = subprocess.run([sys.executable, *program], cwd=ROOT, capture_output=True,
                        text=True, check=False)
  return done.stdout + done.stderr


def _check_python(words: list[str]) -> None:
  """Asserts that the program of a python command exists and has the flags."""
  if words[:1] == ["-c"]:
    compile(words[1], "-c", "exec")
    return
  if words[:1] == ["-m"]:
    suite = words[1] == "benchmarks" and not words[2].startswith("-")
    program, given = words[:2 + suite], words[2 + suite:]
    if program[1] == "venv":
      return
    if program[1] == "pip":
      _check_pip(given)
      return
    if program[1] == "sphinx":
      return
  else:
    program, given = words[:1], words[1:]
    assert (ROOT / program[0]).is_file(), f"there is no program {program[0]}"
  is_pytest = program == ["-m", "pytest"]
  flags = [word.split("=")[0] for word in given if word.startswith("--")]
  if flags:
    shown = _help(*program, "--help" if is_pytest else "--helpfull")
    for flag in flags:
      name = re.escape(flag.removeprefix("--"))
      assert re.search(rf"--(\[no\])?{name}\b", shown), f"{program} has no {flag}"
  if is_pytest:
    for word in given:
      if not word.startswith("-"):
        assert list(ROOT.glob(word.split("::")[0])), f"there is no test {word}"


def _check_pip(words: list[str]) -> None:
  """Asserts that the extras and CMake options of a pip command exist."""
  project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
  cmake = "".join(path.read_text() for path in ROOT.glob("ffi/*.cmake"))
  cmake += (ROOT / "ffi/CMakeLists.txt").read_text()
  for word in words:
    if found := re.fullmatch(r"\.\[(.*)\]", word):
      for extra in found[1].split(","):
        assert extra in project["optional-dependencies"], f"there is no extra {extra}"
    if found := re.search(r"cmake\.define\.(JAXGEMM_\w+)", word):
      assert found[1] in cmake, f"the build has no option {found[1]}"


# Without --whole, only the pages that a new user reads first. A page takes long, because its test
# starts the programs that it names.
@pytest.mark.parametrize("page", [
    pytest.param(page, marks=[] if page in _FIRST else [pytest.mark.whole])
    for page in _names(PAGES, "sh")])
def test_commands_of_a_page_exist(page):
  for _, code, _ in blocks(ROOT / page, "sh"):
    for words in _commands(code):
      program = pathlib.PurePath(words[0]).name
      if re.fullmatch(r"python3?", program):
        _check_python(words[1:])
      elif program == "pip":
        _check_pip(words[1:])
      else:
        assert program in ("git", "cd", "sphinx-build", "pytest"), words


def test_environment_variables_of_the_pages_are_read_somewhere():
  sources = "".join(
      path.read_text() for folder in ("jaxgemm", "ffi", "tests")
      for path in (ROOT / folder).rglob("*.*")
      if path.suffix in (".py", ".cc", ".cmake", ".def", ".txt")
      and path != pathlib.Path(__file__).resolve())
  for page in PAGES:
    for name in set(re.findall(r"\bJAXGEMM_[A-Z_]+", page.read_text())):
      assert name in sources, f"{page.name} has {name}"


def test_links_between_pages_lead_somewhere():
  for page in PAGES:
    text = page.read_text()
    for pair in re.findall(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"", text):
      target = "".join(pair)
      if "://" not in target:
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _messages() -> str:
  """The text of all strings of the package, with a NUL for each f-string value."""
  texts = []
  for path in (ROOT / "jaxgemm").rglob("*.py"):
    inside = set()
    for node in ast.walk(ast.parse(path.read_text())):
      if isinstance(node, ast.JoinedStr):
        inside |= {id(value) for value in node.values}
        texts.append("\0".join(value.value for value in node.values
                               if isinstance(value, ast.Constant)))
      elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (
          id(node) not in inside):
        texts.append(node.value)
  for path in [*(ROOT / "ffi").glob("[!e]*/*.[ch]*"), *(ROOT / "ffi").glob("*.cmake")]:
    texts.append(re.sub(r'"\s*\n?\s*"', "", path.read_text()))
  return "\n".join(texts)


@pytest.mark.parametrize("page", ["docs/guides/errors.md"])
def test_messages_of_the_table_are_those_of_the_package(page):
  messages = _messages()
  rows = re.findall(r"^\| `([^`]+)`", (ROOT / page).read_text(), re.M)
  assert len(rows) > 30
  missing = [part.strip() for row in rows for part in row.split("...")
             if part.strip() not in messages]
  assert not missing, f"no message has: {missing}"


def test_limits_has_the_rules_by_which_products_are_left_to_xla():
  page = limits.PAGE.read_text()
  assert page.count("\n| ") > 10 and limits.with_tables(page) == page, (
      "run python -m tests.support.limits")


def test_pages_have_the_right_numbers_of_kernels():
  kernels = ["/".join(names) for names in _ffi.NAMES["gpu_kernels"]]
  build = (ROOT / "ffi/gpu_kernels.cmake").read_text()

  def count(*variables):
    patterns = [pattern for name in variables for found in
                re.findall(rf'set\({name}((?:\s+"[^"]+")+)\)', build)
                for pattern in re.findall(r'"([^"]+)"', found)]
    return sum(any(re.search(pattern, name) for pattern in patterns) for name in kernels)

  of = {target: sum(name.startswith(target + "/") for name in kernels)
        for target in _ffi.ROCM_ARCHS + _ffi.CUDA_ARCHS}
  auto, tests = count("patterns"), count("patterns", "kernels_of_the_tests")
  guide = (ROOT / "docs/guides/installation.md").read_text()
  for text in (
      f"{of['gfx942']} kernels for gfx942, {of['gfx950']} for gfx950 and {of['gfx90a']} for gfx90a",
      f"{of['sm90']} kernels for Hopper", f"All {of['sm90']} take", f"and {auto} for the emulator",
      f"`auto`, and {tests - auto} more of AMD's, {tests} in all"):
    assert text in guide, text


def test_pages_become_html_without_warnings(tmp_path):
  pytest.importorskip("sphinx", reason="pip install -e '.[docs]'")
  done = subprocess.run(
      [sys.executable, "-m", "sphinx", "-W", "-q", ROOT / "docs", tmp_path / "html"],
      capture_output=True, text=True, check=False)
  assert done.returncode == 0, done.stderr
  assert (tmp_path / "html/api/jaxgemm.html").read_text().count("<dt") > 10
  # Long lines of code are broken, and not cut off at the right edge.
  assert "_static/code.css" in (tmp_path / "html/guides/dense.html").read_text()
  assert "pre-wrap" in (tmp_path / "html/_static/code.css").read_text()
  flax = html.unescape(re.sub("<[^>]*>", "", (tmp_path / "html/api/flax.html").read_text()))
  flax = re.sub(r"\s+", " ", flax)
  for layer in (nnx.MoE, linen.MoE, linen.Fp8DotGeneralOp, nnx.Fp8DotGeneralOp):
    signature = flax.split(f"class {layer.__module__}.{layer.__name__}(")[1].split(")\u00b6")[0]
    for name, parameter in public_names.parameters_of(layer).items():
      if name in ("parent", "name"):  # fields of every layer of Linen
        continue
      wanted = name if parameter.default is parameter.empty else f"{name}="
      assert wanted in signature, (layer, name)
      if isinstance(parameter.default, str | int):
        assert f"{name}={parameter.default!r}" in signature.replace('"', "'")


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_lines_of_code_fit_the_page(page):
  lines = [line for kind in ("python", "text", "yaml", "c++")
           for _, code, _ in blocks(ROOT / page, kind) for line in code.splitlines()]
  assert not [line for line in lines if len(line) > 100]


@pytest.mark.parametrize("page, most", [("README.md", 90), ("CONTRIBUTING.md", 180)])
def test_pages_at_the_front_are_short(page, most):
  assert len((ROOT / page).read_text().splitlines()) <= most


def test_a_release_takes_one_page_of_the_changelog():
  releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)[1:]
  assert releases and all(len(release.splitlines()) <= 60 for release in releases)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/guides/internals.md",
                                  "docs/guides/extending.md", "docs/guides/testing.md"])
def test_files_of_the_source_that_a_page_names_exist(page):
  text = (ROOT / page).read_text()
  named = set(re.findall(r"`((?:jaxgemm|ffi|tests|benchmarks|examples|docs)/[\w./-]*[\w/])`", text))
  assert named
  for module in re.findall(r"`python -m ((?:tests|benchmarks|jaxgemm)(?:\.\w+)+)", text):
    path = ROOT / module.replace(".", "/")
    named.add(str(path.relative_to(ROOT) if path.is_dir() else f"{path.relative_to(ROOT)}.py"))
  missing = sorted(name for name in named if not (ROOT / name).exists())
  assert not missing, f"{page} names {missing}"


def test_every_guide_is_in_the_table_of_contents():
  index = (ROOT / "docs/index.md").read_text()
  guides = {f"guides/{page.stem}" for page in (ROOT / "docs/guides").glob("*.md")}
  assert guides <= set(index.splitlines()), guides - set(index.splitlines())


def test_the_chart_of_the_readme_shows_the_results():
  drawn = (ROOT / "docs/images/front.png").read_bytes()
  assert front_chart.description().encode() in drawn, (
      "Run: python -m benchmarks front_chart --picture=docs/images/front.png")
  alt = re.search(r'alt="([^"]*)"', (ROOT / "README.md").read_text())
  assert alt
  said = re.findall(r"\d+\.\d+", alt[1])
  assert sorted(said) == sorted(each.text for each in front_chart.values())


if __name__ == "__main__":
  sys.exit(run_page(pathlib.Path(sys.argv[1])))
