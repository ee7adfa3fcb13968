"""Grep: search file contents."""
