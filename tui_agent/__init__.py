"""A full-screen terminal coding agent. `tui_agent.cli` is the way in; `README.md` says how it is used.

The modules beside the packages stand below them: `bus`, `event_json`, `changes`, `text` and the like. They import only each
other, `events/` and `secrets/`, and no library but the standard one on the way to the first frame. `cli` alone may import
everything.
"""

__version__ = "0.1.0"
