"""The pages of a module as a whole: summary, peak, padding, lifetimes, tables, schedule, findings."""
