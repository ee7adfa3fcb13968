"""Code of the user's own that is heard before and after tool uses, and at other moments of a session.

How it is found, run and understood; when it runs is the engine's (`engine/hooks/`). Imports `settings/`, `events/` and `text`.
"""
