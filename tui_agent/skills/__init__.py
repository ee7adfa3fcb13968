"""Skills and commands: Markdown files with instructions that are loaded when they are called for.

This package finds and reads skills, and writes the list that the model gets and the text of an invocation with its arguments.
It runs no command, asks no question and knows no session; `engine/skills/` does that. Imports `settings` and what is
below it.
"""

from __future__ import annotations
