"""Shell commands as permissions see them: their syntax tree, the commands in it, and what these read, write and remove."""
