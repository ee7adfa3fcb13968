"""One session: its configuration, what all parts share (`core`), the graph of parts, messages that wait, toggles, spending.

`graph` imports all rooms of the engine; `core`, `command_environment` and `wakeups` only `gate/` and what is below the engine,
so that the other rooms can import them.
"""
