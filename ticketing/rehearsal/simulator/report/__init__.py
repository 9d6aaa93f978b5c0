"""The report of a rehearsal as figures and as JSON."""
