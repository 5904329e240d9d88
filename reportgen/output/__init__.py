"""Write pages to disk; no other stage writes files."""
