"""Where the repository's folders are."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
