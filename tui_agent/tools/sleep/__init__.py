"""Sleep: wait, until the time is over or the user writes."""
