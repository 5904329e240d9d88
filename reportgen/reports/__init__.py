"""What anybody shows of a dump: figures, operations, fit, advice and checks, complete before any page begins."""
