"""The lock laboratory behind `manage.py race`: buyers race for seats with every kind of lock.

It uses only scratch tables and scratch keys, and nothing else imports it. The code that buyers run
does not load Django, so that thirty processes start in seconds.
"""
