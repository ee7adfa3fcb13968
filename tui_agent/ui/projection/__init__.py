"""What the screen shows, as plain data that follows from events: the projection, its reducers, and the pace it is drawn at.

Imports `events/`, `changes` and `viewkit/`; no widget.
"""
