"""Benchmark graphs, shapes and runners. `python -m benchmarks.run` prints the numbers of the README."""
