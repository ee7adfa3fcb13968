"""The engine: one conversation between the user, a model and its tools, as commands in and events out.

Imports `execution/` and everything below it. It knows no front end and no terminal framework.
"""
