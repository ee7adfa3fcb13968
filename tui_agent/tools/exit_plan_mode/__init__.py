"""ExitPlanMode: put a plan to the user and leave plan mode.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
