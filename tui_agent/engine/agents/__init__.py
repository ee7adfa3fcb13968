"""Subagents: what one is made of, what starts and ends them, and the service by which tools reach them.

An agent is a conversation like the main one, made of the same parts: turn, history, requests, executor, hooks, permissions.
Imports the engine's other rooms; the session's graph imports this.
"""
