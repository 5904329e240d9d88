"""Show a comparison: as JSON, as Markdown, and as pages."""
