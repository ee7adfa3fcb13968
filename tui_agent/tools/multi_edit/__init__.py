"""MultiEdit: edits of several files as one change, written whole or not at all.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
