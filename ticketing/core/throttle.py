"""Rate limits: fixed windows counted in Redis."""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

from ticketing.core import redis
from ticketing.core.errors import TooManyRequests

IPV4 = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}", re.ASCII)

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

    def add(self, key: str) -> int:
        """Count something that has happened already; how often it has."""
        calls, _ = redis.client().eval(COUNT, 1, _counter(self.name, key), str(self.seconds))
        return int(calls)

    def seconds_left(self, key: str) -> int:
        """How long the limit is still reached; 0 if it is not."""
        counter = _counter(self.name, key)
        pipeline = redis.client().pipeline(transaction=False)
        pipeline.get(counter)
        pipeline.pttl(counter)
        calls, left = pipeline.execute()
        return max(1, -(-left // 1000)) if int(calls or 0) >= self.limit else 0


def use_once(name: str, key: str, seconds: int) -> bool:
    """Whether nobody has used this key in so many seconds."""
    return bool(redis.client().set(_counter(name, key), 1, nx=True, ex=seconds))


def _counter(name: str, key: str) -> str:
    return f"throttle:{name}:{hashlib.sha256(key.encode()).hexdigest()[:32]}"


def throttle(name: str, key: str, limit: int, seconds: int) -> None:
    """Count this call, and refuse it if it exceeds the limit."""
    calls, left = redis.client().eval(COUNT, 1, _counter(name, key), str(seconds))
    if calls > limit:
        raise TooManyRequests(retry_after=max(1, -(-left // 1000)))


def client_address(request: HttpRequest) -> str:
    """The client's IP address; for IPv6 its /64 network, which one household owns."""
    return address_range(str(request.META.get("REMOTE_ADDR") or ""))


@lru_cache(maxsize=8192)
def network_of(raw: str) -> str:
    """The range that an IP address is in, /24 or /64; empty for a proxy of ours."""
    if is_own_proxy(raw):
        return ""
    if IPV4.fullmatch(raw):  # a crowd has many addresses, and parsing one takes longer than a join
        return f"{raw.rpartition('.')[0]}.0/24"
    return str(ip_network(f"{raw}/64", strict=False))


@lru_cache(maxsize=8192)
def is_own_proxy(raw: str) -> bool:
    """Whether nobody said whose address it is: a proxy of ours did not, or it is this machine."""
    trusted = settings.TRUSTED_PROXIES
    if raw in trusted:
        return True
    networks = [name for name in trusted if "/" in name]
    if IPV4.fullmatch(raw) and not networks:
        return False
    try:
        address = ip_address(raw)
    except ValueError:
        return True  # a Unix socket
    return any(address in ip_network(name, strict=False) for name in networks)


@lru_cache(maxsize=1024)
def address_range(raw: str) -> str:
    """An IP address as limits count it."""
    try:
        address = ip_address(raw)
    except ValueError:
        return raw
    return f"{address.exploded[:19]}::/64" if isinstance(address, IPv6Address) else raw
