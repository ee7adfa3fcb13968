"""Architect: a plan for a change, worked out by an agent that only reads.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
"""
