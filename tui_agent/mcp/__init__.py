"""MCP servers: which there are, whether they may start, and the client that talks to them.

`servers`, `definitions`, `config_files`, `editing`, `policy` and `approvals` are configuration and import no SDK. `client/`
talks to one server through the `mcp` SDK, which takes most of a second to import: that happens in a thread, and only where
there are servers. `managed_server` keeps one server's connection; it knows nothing of sessions and is handed what it needs.

Nothing here knows tools, permissions or events: `engine/mcp/` brings servers into a session.
"""
