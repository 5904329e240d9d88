"""Explore: the page with every value, allocation and instruction of a module."""
