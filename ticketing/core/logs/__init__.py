"""Log lines: their format, the ids that they name, and what is kept out of them."""
