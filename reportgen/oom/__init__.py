"""Find out-of-memory errors in any text, and tell what each is."""
