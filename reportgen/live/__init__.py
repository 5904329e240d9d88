"""Keep the report up to date with a compiler: scan after file events, show complete dumps, report what changed."""
