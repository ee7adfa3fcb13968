"""WebFetch: the text behind an address on the web."""
