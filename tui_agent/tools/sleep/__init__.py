"""Sleep: wait, until the time is over or the user writes.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
