"""The TaskList tool."""
