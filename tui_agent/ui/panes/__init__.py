"""The parts of the main screen: conversation, tools, diff, tasks, status.

Imports widgets, the transcript, the projection, `reviewing/`, `viewkit/` and the screens that it opens.
"""
