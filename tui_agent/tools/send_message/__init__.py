"""SendMessage: tells an agent more, whether it works or has ended.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
