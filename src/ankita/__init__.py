"""Ankita: a local-first desktop companion that acts on your machine and can say why."""

__version__ = "0.1.0"
