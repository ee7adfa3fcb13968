"""Widgets that screens and panes are made of: the prompt, lists, forms, search bars, rows.

Imports the transcript, the projection, `prompting/`, `terminal/` and `viewkit/`.
"""
