"""TaskOutput: what a background job has printed, and how it stands.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
