"""MCP servers in a session: their tools in the pool, what they ask the user, their resources and prompts.

Imports `mcp/`, `tools/` and what a session shares in the engine. The SDK is imported in threads, where there are servers.
"""
