"""Drawings as inline SVG: they work without scripts, print sharp, and take their colours from the theme."""
