"""What the program asks of the terminal it runs in beyond drawing: keys, pastes, the clipboard, calls, other programs.

Imports `textual_patches/`, `settings/` and what is below; it stands below widgets, panes and screens.
"""
