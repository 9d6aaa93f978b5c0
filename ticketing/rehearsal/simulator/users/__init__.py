"""Simulated users. They use only what any browser can see of a site."""
