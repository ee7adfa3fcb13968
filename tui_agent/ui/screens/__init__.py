"""Dialogs and full screens over the main one: questions, reviews, choosers, settings, help.

Imports widgets, `screen_text/`, the projection, `reviewing/` and `viewkit/`; panes are not for it.
"""
