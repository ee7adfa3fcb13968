"""Whether a tool call may run: rules, modes, protected places, the shell's syntax tree, and one function that decides."""
