"""Edit: replace text in a file, reviewed before it is written.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
