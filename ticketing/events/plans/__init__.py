"""Seat plans: read from files, generated, laid out and drawn."""
