"""`make cluster`: a sale on several hosts, which are killed, cut off and replaced."""
