"""Whether a tool call may run: rules, modes, protected places, the shell's syntax tree, and one function that decides.

Imports `settings/` and what is below it; never tools, the engine or a front end.
"""
