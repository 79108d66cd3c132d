"""Benchmarks of jaxgemm beside XLA: `python -m benchmarks --help`."""
