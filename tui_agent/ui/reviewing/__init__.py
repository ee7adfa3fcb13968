"""The judging of a change: decisions hunk by hunk, files, edits in place, patches.

Imports `changes`, `tools/file_changes` and `viewkit/`; no screen.
"""
