"""The TaskGet tool."""
