"""The TaskCreate tool."""
