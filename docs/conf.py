"""Sphinx: `sphinx-build -W docs docs/_build`, after `pip install -e '.[docs]'`."""

import os

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
