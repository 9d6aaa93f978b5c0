"""Tickets as people and doors see them: signed, drawn, printed, found."""
