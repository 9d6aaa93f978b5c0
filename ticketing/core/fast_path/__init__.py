"""API calls that a crowd makes at once, answered in the event loop without Django's threads.

`calls.ApiCall` declares a call once; its route for the fast path and its Django view are both made
from that. `application.FastPath` stands in front of Django and passes on whatever it does not take:
an unknown host, plain HTTP where TLS is required, another method, an unusual request.
"""
