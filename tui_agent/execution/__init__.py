"""Running tool uses: their state machine, their order and concurrency, and the eight stages of each.

Imports `tools/`, `permissions/`, `hooks/` and what is below these; never the engine, the model or a front end.
"""
