"""Types of subagents: what each may use and is told, built in or read from files.

Stands beside `tools` and `hooks`, below the engine, which runs agents. Imports `settings` and what is below it.
"""
