"""What each process counts, and the address at which Prometheus reads it (docs/operations.md)."""
