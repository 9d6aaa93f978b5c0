"""The laboratory: races real buyers for seats with every lock there is, and without one.

It works on scratch tables and scratch keys alone, and nothing of the shop imports it. What buyers
run is free of Django, so that thirty processes start in seconds.
"""
