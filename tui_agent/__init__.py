"""A full-screen terminal coding agent. `tui_agent.cli` is the way in; `README.md` says how it is used."""

__version__ = "0.1.0"
