"""Shell commands as permissions see them: their syntax tree, the commands in it, and what these read, write and remove.

Imports `permissions/` beside it (paths, verdicts), and tree-sitter where a command is parsed.
"""
