"""Is this process alive, and can it serve? The answers tell the truth, quickly, and no secrets."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from ticketing.core import clock, redis

PATIENCE = 2.0
OK, DOWN, PENDING, SLOW = "ok", "down", "pending", "slow"

log = logging.getLogger(__name__)
_migrated = False


@require_safe
@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    """The same words as the raw answer in asgi.py, for other servers."""
    return JsonResponse({"status": OK, "time": clock.now().isoformat()})


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """200 if the database, Redis and the migrations are as they should be, else 503."""
    checks = findings()
    good = set(checks.values()) == {OK}
    status = OK if good else "unavailable"
    return JsonResponse({"status": status, "checks": checks}, status=200 if good else 503)


def findings() -> dict[str, str]:
    """All checks at once, so that two silent servers cost no more patience than one."""
    asked = {name: _threads[name].submit(_finding, name) for name in CHECKS}
    deadline = clock.monotonic() + PATIENCE
    return {name: _within(future, deadline) for name, future in asked.items()}


def _within(future: Future[str], deadline: float) -> str:
    try:
        return future.result(timeout=max(0, deadline - clock.monotonic()))
    except TooSlow:
        future.cancel()  # one that waits behind a stuck check never starts
        return SLOW


def _finding(name: str) -> str:
    try:
        return CHECKS[name]()
    except Exception as outage:
        log.warning("not ready: %s: %s", name, outage)
        return DOWN
    finally:
        connection.close()  # a new one each time can't be a broken one


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return OK


def _redis() -> str:
    return OK if redis.client().ping() else DOWN


def _migrations() -> str:
    """Only a good answer is kept: migrations are never taken back under a running process."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return OK if _migrated else PENDING


CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "redis": _redis,
    "migrations": _migrations,
}
# One thread each: a check that hangs holds up only itself.
_threads = {name: ThreadPoolExecutor(1, thread_name_prefix=f"ready-{name}") for name in CHECKS}
