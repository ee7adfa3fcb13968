"""Code of the person's own that is heard before and after tool uses."""
