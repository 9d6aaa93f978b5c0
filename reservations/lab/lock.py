"""A lock in Redis as S3 asks for it: waits, is renewed while the work runs, dies with its owner."""

from secrets import token_hex
from threading import Event, Thread
from types import TracebackType

from redis import Redis
from redis.exceptions import RedisError

from reservations.lab import stopwatch, store

RENEWALS_PER_LEASE = 3


class Busy(Exception):
    """Others had it for longer than one waits: busy, try again."""


class LockLost(Exception):
    """The lease ran out, or somebody took the lock away: whatever is under way must not count."""


class Lock:
    """Its owner is whoever knows the token, so nobody gives back what is another's."""

    def __init__(self, redis: Redis, key: str, *, wait: float, lease: float) -> None:
        self.redis, self.key, self.wait, self.lease = redis, key, wait, lease
        self.bell = f"{key}:bell"
        self.token = token_hex(16)
        self._lost, self._over = Event(), Event()
        self._ends = 0.0
        self._watchdog = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Lock":
        self._acquire()
        self._watchdog.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._watchdog.join()
        self.release()

    @property
    def lost(self) -> bool:
        """Also by the clock: a process that was stopped for a while may not have noticed yet."""
        return self._lost.is_set() or stopwatch.now() >= self._ends

    def require(self) -> None:
        if self.lost:
            raise LockLost

    def release(self) -> bool:
        """Whether it was still one's own."""
        args = [self.token, self._lease_ms]
        return bool(store.run(self.redis, "release", keys=[self.key, self.bell], args=args))

    def _acquire(self) -> None:
        until = stopwatch.now() + self.wait
        while not self._try():
            left = until - stopwatch.now()
            if left <= 0:
                raise Busy
            self._listen(left)

    def _try(self) -> bool:
        began = stopwatch.now()
        got = self.redis.set(self.key, self.token, nx=True, px=self._lease_ms)
        self._ends = began + self.lease
        return bool(got)

    def _listen(self, longest: float) -> None:
        """Until the bell rings; a dead owner rings none, so not for longer than the lease lasts."""
        remaining = self.redis.pttl(self.key) / 1000
        if remaining > 0:
            self.redis.blpop([self.bell], timeout=min(longest, remaining + 0.001))

    def _watch(self) -> None:
        while not self._over.wait(self.lease / RENEWALS_PER_LEASE) and not self.lost:
            self._renew()

    def _renew(self) -> None:
        """Without an answer it is tried again, as long as the lease lasts by one's own clock."""
        began = stopwatch.now()
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
