"""A model file on this disk: read, fetched on consent, and run in a process of its own."""
