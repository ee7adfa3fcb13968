"""ExitPlanMode."""
