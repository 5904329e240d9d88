"""Read two builds, compare them, and write the site; keep the history of builds."""
