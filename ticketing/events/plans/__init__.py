"""Seat plans before they are stored: read from a file, generated, laid out, drawn."""
