"""Skills and commands: Markdown files with instructions that are loaded when they are called for.

Here they are found, read and put into words: what the model is told of them, and what an invocation says with its arguments put
in. Nothing here runs a command, asks anybody or knows of a session; that is in `engine/skills/`. Imports `settings` and what is
below it.
"""

from __future__ import annotations
