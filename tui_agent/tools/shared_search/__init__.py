"""Searching files: ripgrep, path globs, and where a search begins.

Imports `tools/` around it and what is below `tools/`.
"""
