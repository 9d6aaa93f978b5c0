"""A lock in Redis: waits, is renewed while its owner works, expires if the owner dies."""

from secrets import token_hex
from threading import Event, Thread
from types import TracebackType

from redis import Redis
from redis.exceptions import RedisError

from reservations.lab import store, timer

RENEWALS_PER_LEASE = 3


class LockBusy(Exception):
    """The lock did not become free in time."""


class LockLost(Exception):
    """The lease ended or the key is gone: the work under way must be rolled back."""


class RedisLock:
    """Owned by whoever knows the token, so nobody releases another's lock."""

    def __init__(self, redis: Redis, key: str, *, wait: float, lease: float) -> None:
        self.redis, self.key, self.wait, self.lease = redis, key, wait, lease
        self.wake_key = f"{key}:wake"
        self.token = token_hex(16)
        self._lost, self._released = Event(), Event()
        self._ends = 0.0
        self._watchdog = Thread(target=self._renew_periodically, daemon=True)

    def __enter__(self) -> "RedisLock":
        until = timer.now() + self.wait
        while not self._try_acquire():
            left = until - timer.now()
            if left <= 0:
                raise LockBusy
            self._wait_for_release(left)
        self._watchdog.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._released.set()
        self._watchdog.join()
        self.release()

    @property
    def lost(self) -> bool:
        """Also true by the clock: a suspended process may not have noticed yet."""
        return self._lost.is_set() or timer.now() >= self._ends

    def require_held(self) -> None:
        if self.lost:
            raise LockLost

    def release(self) -> bool:
        """Release the lock; False if it was lost before."""
        args = [self.token, self._lease_ms]
        return bool(store.run(self.redis, "release", keys=[self.key, self.wake_key], args=args))

    def _try_acquire(self) -> bool:
        began = timer.now()
        got = self.redis.set(self.key, self.token, nx=True, px=self._lease_ms)
        self._ends = began + self.lease
        return bool(got)

    def _wait_for_release(self, longest: float) -> None:
        """Block until released, at most until the lease ends, as a dead owner never releases."""
        remaining = self.redis.pttl(self.key) / 1000
        if remaining > 0:
            self.redis.blpop([self.wake_key], timeout=min(longest, remaining + 0.001))

    def _renew_periodically(self) -> None:
        while not self._released.wait(self.lease / RENEWALS_PER_LEASE) and not self.lost:
            self._renew()

    def _renew(self) -> None:
        """Extend the lease; an outage is retried until the lease ends by the local clock."""
        began = timer.now()
        try:
            args = [self.token, self._lease_ms]
            renewed = store.run(self.redis, "renew", keys=[self.key], args=args)
        except RedisError:
            return
        if renewed:
            self._ends = began + self.lease
        else:
            self._lost.set()

    @property
    def _lease_ms(self) -> int:
        return max(1, int(self.lease * 1000))
