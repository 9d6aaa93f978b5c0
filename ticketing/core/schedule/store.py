"""Which of several beats sends the schedule: a lease in Redis that it renews while it runs."""

from ticketing.core import redis

LEASE = "schedule:lease"
# The holder renews it about every second. Whoever finds it expired takes over.
LEASE_MS = 2_500

# Take the lease, or renew one's own.
#
# KEYS     lease
# ARGV     owner, milliseconds
# Returns  1 if the owner has it now, else 0
HOLD = """
if (redis.call('GET', KEYS[1]) or ARGV[1]) ~= ARGV[1] then
    return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
# Give the lease back.
#
# KEYS     lease
# ARGV     owner
RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
    redis.call('DEL', KEYS[1])
end
"""


def hold_lease(owner: str) -> bool:
    """Whether this owner has the lease, if need be from now on."""
    return bool(redis.client().eval(HOLD, 1, LEASE, owner, str(LEASE_MS)))


def release_lease(owner: str) -> None:
    redis.client().eval(RELEASE, 1, LEASE, owner)
