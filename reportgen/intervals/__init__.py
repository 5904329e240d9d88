"""Arithmetic on byte ranges over time. Nothing here knows what a dump is."""
