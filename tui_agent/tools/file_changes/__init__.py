"""Changing files: the checks before, the approved change made whole or not at all, and what is said of it afterwards.

Imports `tools/` around it, `settings/` and what is below that.
"""
