"""MCP servers in a session: their tools in the pool, what they ask the user, their resources and prompts."""
