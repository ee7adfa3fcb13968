"""The words of screens that tell how things stand.

Imports the projection, `viewkit/` and what the words are about.
"""
