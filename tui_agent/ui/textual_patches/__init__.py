"""The only modules that touch private names of Textual. Nothing else of the program may.

Each module says which names it relies on, and what for. `tests/ui/textual_patches/` has a canary for each name: it fails, and
says what has to be looked at, when a release of Textual changes the name, its signature or what it does. The modules import
Textual, `tui_agent.text`, `ui.displayed_rows` and `ui.projection.frame_pacing`; nothing of the interface itself.
"""
