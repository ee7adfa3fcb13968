"""What the session has changed in files, and the way back."""
