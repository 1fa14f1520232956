"""Benchmarks of the whole product on one vault: `python -m tests.bench --help`, or `make bench`.

Ratios are taken within one run, by turns, so that a busy machine disturbs both sides alike; absolute figures hold only for
the machine and the hour and are called indicative. Nothing here asserts a time; `test_smoke.py` only sees that it works.
"""
