"""ToolSearch: let the model look up tools whose schemas it was not given from the start."""
