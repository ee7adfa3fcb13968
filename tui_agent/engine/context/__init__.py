"""What the model is told besides the messages: memory files, attachments, reminders, trimming.

Imports the history, `hooks/` and parts of `session/` in the engine, `execution/` and what is below it.
"""
