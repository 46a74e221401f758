"""The parts of the benchmark; `scripts/bench.py` runs them."""
