"""Find out-of-memory errors in any text, and identify each."""
