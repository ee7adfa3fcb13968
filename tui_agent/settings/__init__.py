"""Where things are kept, what is configured and by whom, and which folders are trusted."""
