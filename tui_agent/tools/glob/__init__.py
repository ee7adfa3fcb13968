"""Glob: find files by name."""
