"""Spans for OpenTelemetry, from a request over its tasks to the gateway.

Only where its packages are installed and an endpoint is set; otherwise `start` changes nothing, and
no request passes through this module.
"""

import logging
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.conf import settings

from ticketing.core.logs.redaction import redact

log = logging.getLogger(__name__)
_api: Any = None  # OpenTelemetry's modules, once started
_tracer: Any = None
_tasks: dict[str, AbstractContextManager[Any]] = {}


def start(kind: str, exporter: Any = None) -> None:
    """Trace this process from now on, if it is to; `exporter` for tests."""
    global _api, _tracer
    if not settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        return
    try:
        from opentelemetry import propagate, trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
    except ImportError as missing:
        log.warning("no traces, because a package is missing: %s", missing)
        return
    resource = Resource.create({"service.name": f"ticketing-{kind}"})
    sampler = ParentBasedTraceIdRatio(settings.TRACES_PERCENT / 100)
    provider = TracerProvider(resource=resource, sampler=sampler)
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
    _api, _tracer = (propagate, trace), provider.get_tracer("ticketing")
    before_task_publish.connect(_task_sent)
    task_prerun.connect(_task_begins)
    task_postrun.connect(_task_ended)


def is_on() -> bool:
    return _tracer is not None


def span(name: str, *, parent: dict[str, str] | None = None, **about: Any) -> Any:
    """A block that is a span; without traces it does nothing."""
    if _tracer is None:
        return nullcontext()
    context = _api[0].extract(parent) if parent else None
    return _tracer.start_as_current_span(name, context=context, attributes=about)


def headers() -> dict[str, str]:
    """Headers that pass the current span on to the next server."""
    carrier: dict[str, str] = {}
    if _tracer is not None:
        _api[0].inject(carrier)
    return carrier


class TracedRequests:
    """Around the whole application, while traces are on."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        sent = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
        about = {"http.request.method": scope["method"], "url.path": redact(scope["path"])}

        async def noting_send(message: Any) -> None:
            if "status" in message:
                current.set_attribute("http.response.status_code", message["status"])
            await send(message)

        with span(scope["method"], parent=sent, **about) as current:
            await self.application(scope, receive, noting_send)


def _task_sent(headers: dict[str, Any], **_: Any) -> None:
    _api[0].inject(headers)


def _task_begins(task_id: str, task: Any, **_: Any) -> None:
    parent = {"traceparent": task.request.get("traceparent") or ""}
    _tasks[task_id] = block = span(task.name, parent=parent)
    block.__enter__()


def _task_ended(task_id: str, **_: Any) -> None:
    if block := _tasks.pop(task_id, None):
        block.__exit__(None, None, None)
