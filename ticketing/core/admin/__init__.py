"""Base classes, forms and lists for the admin pages of every app."""
