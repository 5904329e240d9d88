"""Provide what every kind of page needs: templates, links, formatted numbers, Markdown."""
