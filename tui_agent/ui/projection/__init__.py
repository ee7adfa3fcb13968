"""What the screen shows, as plain data that follows from events: the projection, its tracks, and the pace it is drawn at."""
