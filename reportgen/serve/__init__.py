"""Serve the current site during development and notify open pages when it changes."""
