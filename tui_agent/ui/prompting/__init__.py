"""What helps a user write: files, commands, history, folded pastes, pictures, and the keys of vi and readline.

Imports `tools/` and `settings/` for what there is to name; widgets only for their types.
"""
