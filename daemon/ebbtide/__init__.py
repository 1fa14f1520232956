"""Ebbtide: a memory that ebbs, for people who live in Obsidian and the agents that work beside them."""

__version__ = "0.1.0"
