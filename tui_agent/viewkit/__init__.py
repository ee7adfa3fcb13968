"""What views are made of: lines of styled cells, and the kinds of text that a coding agent shows.

A view knows nothing of events, panes or tools; hosts (the transcript, `ViewWidget`) know nothing of what a view draws.
Imports textual, `changes`, `text` and modules beside them.
"""
