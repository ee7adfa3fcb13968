"""Editing of plain text without a screen: places in it, the ring of what was cut; in `vi/` the keys of vi.

Imports nothing of the program.
"""
