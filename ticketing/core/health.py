"""Health checks: /healthz (the process runs) and /readyz (it can serve)."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as CheckTimeout

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from ticketing.core import clock, redis

TIMEOUT = 2.0
OK, DOWN, PENDING, SLOW = "ok", "down", "pending", "slow"

log = logging.getLogger(__name__)
_migrated = False


@require_safe
@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    """The same body as the raw response in asgi.py, for other servers."""
    return JsonResponse({"status": OK, "time": clock.now().isoformat()})


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """200 if the database and Redis answer and all migrations are applied, else 503."""
    checks = run_checks()
    good = set(checks.values()) == {OK}
    status = OK if good else "unavailable"
    return JsonResponse({"status": status, "checks": checks}, status=200 if good else 503)


def run_checks() -> dict[str, str]:
    """Run all checks in parallel, so that two hanging servers take no longer than one."""
    futures = {name: _threads[name].submit(_check, name) for name in CHECKS}
    deadline = clock.monotonic() + TIMEOUT
    return {name: _result(future, deadline) for name, future in futures.items()}


def _result(future: Future[str], deadline: float) -> str:
    try:
        return future.result(timeout=max(0, deadline - clock.monotonic()))
    except CheckTimeout:
        future.cancel()  # a check queued behind a hanging one never starts
        return SLOW


def _check(name: str) -> str:
    try:
        return CHECKS[name]()
    except Exception as error:
        log.warning("not ready: %s: %s", name, error)
        return DOWN
    finally:
        connection.close()  # use a new connection each time: an old one may be broken


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return OK


def _redis() -> str:
    return OK if redis.client().ping() else DOWN


def _migrations() -> str:
    """Only success is cached: migrations are never reverted under a running process."""
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
# One thread each, so that a hanging check blocks only itself.
_threads = {name: ThreadPoolExecutor(1, thread_name_prefix=f"ready-{name}") for name in CHECKS}
