"""MemoryRead: the model's own notes on a project, in one folder.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
