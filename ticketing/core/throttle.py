"""Rate limits: fixed windows counted in Redis."""

import hashlib
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from django.http import HttpRequest

from ticketing.core import redis
from ticketing.core.errors import TooManyRequests

# Counts a call. One script, so that a crash cannot leave a counter without expiry.
#
# KEYS     counter
# ARGV     seconds
# Returns  {calls in this window, milliseconds left}
COUNT = """
local calls = redis.call('INCR', KEYS[1])
if calls == 1 then
    redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return {calls, redis.call('PTTL', KEYS[1])}
"""


@dataclass(frozen=True)
class RateLimit:
    """At most `limit` calls in `seconds` per key; `sentence` describes it in docs/knobs.md."""

    name: str
    limit: int
    seconds: int
    sentence: str

    def count(self, key: str) -> None:
        throttle(self.name, key, self.limit, self.seconds)


def throttle(name: str, key: str, limit: int, seconds: int) -> None:
    """Count this call, and refuse it if it exceeds the limit."""
    counter = f"throttle:{name}:{hashlib.sha256(key.encode()).hexdigest()[:32]}"
    calls, left = redis.client().eval(COUNT, 1, counter, str(seconds))
    if calls > limit:
        raise TooManyRequests(retry_after=max(1, -(-left // 1000)))


def client_address(request: HttpRequest) -> str:
    """The client's IP address; for IPv6 its /64 network, which one household owns."""
    raw = str(request.META.get("REMOTE_ADDR") or "")
    try:
        address = ip_address(raw)
    except ValueError:
        return raw
    return f"{address.exploded[:19]}::/64" if isinstance(address, IPv6Address) else raw
