"""The engine: one conversation between the user, a model and its tools, as commands in and events out."""
