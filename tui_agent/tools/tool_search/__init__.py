"""ToolSearch: let the model look up tools whose schemas it was not given from the start.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
