"""When hooks run, what they are given, and what their answers change.

Imports `gate/`, memory files and what a session shares in the engine; `execution/`, `hooks/`, `permissions/` and what is below.
"""
