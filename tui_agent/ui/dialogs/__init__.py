"""What dialogs are made of, and the small ones that several screens open.

May import widgets and what is below them, never a screen or a pane.
"""
