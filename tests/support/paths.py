"""Paths of the repository's folders."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
