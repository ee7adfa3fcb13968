"""Glob: find files by name.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
