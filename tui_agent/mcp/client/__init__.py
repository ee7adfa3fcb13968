"""The client: one connection to one server, over the SDK. `connection` is what the rest of the program uses.

Imports the SDK, which takes most of a second: import this in a thread, and only where there are servers. Otherwise only `mcp/`.
"""
