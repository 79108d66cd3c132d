"""Sphinx: `sphinx-build -W docs docs/_build`, after `pip install -e '.[docs]'`."""

import ast
import inspect
import os
import textwrap

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # autodoc imports jaxgemm

project = "jaxgemm"
html_title = "jaxgemm"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["code.css"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say shapes and dtypes
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
smartquotes_action = "D"  # quotes stay as they are: "silu" is code
default_role = "code"  # docstrings have `names` in Markdown's way


def _defaults(layer: type) -> dict[str, str]:
  """The defaults of a layer's parameters by name, as its source has them."""
  found = {}
  for base in reversed(layer.__mro__[:-1]):
    for node in ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body:
      if isinstance(node, ast.AnnAssign) and node.value is not None:
        found[node.target.id] = ast.unparse(node.value)
      elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        found |= {name.arg: ast.unparse(value) for name, value in pairs if value is not None}
  return found


def _signature_of_layer(app, what, name, layer, options, signature, returned):
  """The parameters of a Flax layer with their defaults. Flax's metaclass hides those of NNX."""
  from flax import linen, nnx
  if what != "class" or not issubclass(layer, (linen.Module, nnx.Module)):
    return None
  # `parent` and `name` are fields of all layers of Linen.
  init = layer.__init__.__get__(0) if issubclass(layer, nnx.Module) else layer
  given = [x for x in inspect.signature(init).parameters.values()
           if x.name not in ("parent", "name")]
  defaults = _defaults(layer)
  shown = [x.name if x.default is x.empty else f"{x.name}={defaults[x.name]}" for x in given]
  if given[0].kind is inspect.Parameter.KEYWORD_ONLY:
    shown.insert(0, "*")
  return f"({', '.join(shown)})", returned


def _links_to_contributing(app, docname, source):
  """Links to CONTRIBUTING.md, which guides/contributing.md includes, lead to that page here.

  On GitHub, where nothing is included, they lead to the file.
  """
  source[0] = source[0].replace("](../../CONTRIBUTING.md", "](contributing.md")


def setup(app):
  app.connect("autodoc-process-signature", _signature_of_layer)
  app.connect("source-read", _links_to_contributing)
