"""Front ends without a screen: `-p`, the commands that print and end, and the command line's arguments.

Imports the engine and what is below it, where a command needs it; never `ui/` or textual.
"""
