"""A server for development: the site as it is now, and word to open pages when it changes."""
