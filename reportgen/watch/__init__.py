"""The report follows the compiler: look when something happens, show what is complete, say what changed."""
