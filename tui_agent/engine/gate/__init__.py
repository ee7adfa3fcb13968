"""Who decides: permissions, forms, plan mode, and what the sandbox allows."""
