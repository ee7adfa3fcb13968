"""The TaskUpdate tool."""
