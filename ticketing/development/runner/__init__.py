"""Runs the whole site on one machine: `manage.py up`. Uses the standard library only."""
