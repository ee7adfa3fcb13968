"""Agent: a task for a subagent, or tool calls that run one after the other.

`tool` imports `tools/` around it and what is below; `view` also `viewkit/`, and nothing imports `view` but the user interface.
SendMessage and Architect share `report` and `waiting`.
"""
