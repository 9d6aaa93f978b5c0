"""Spans go from a request over its task to the gateway; without an endpoint there are none."""

import os
import subprocess
import sys

import pytest

from ticketing.core import traces

# In a process of its own: OpenTelemetry stays on once it was started.
PROGRAM = """
import asyncio, django
django.setup()
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from celery.app.trace import trace_task
from ticketing.celery import app
from ticketing.core import traces

class Kept(InMemorySpanExporter):
    def export(self, spans):
        for span in spans:
            parent = f"{span.parent.span_id:x}" if span.parent else "-"
            trace = f"{span.context.trace_id:x}"
            print(span.name, trace, f"{span.context.span_id:x}", parent, dict(span.attributes))
        return super().export(spans)

traces.start("web", Kept())
sent = {}

@app.task(name="tests.traced")
def traced():
    with traces.span("gateway charge"):
        sent.update(traces.headers())

async def site(scope, receive, send):
    message = {}
    traces._task_sent(message)
    trace_task(traced, "id", (), {}, request=message, app=app)
    await send({"type": "http.response.start", "status": 200})

async def send(message):
    pass

parent = f"00-{'ab' * 16}-{'cd' * 8}-01".encode()
scope = {"type": "http", "method": "POST", "path": "/x/tk_9aZ2fK3uPq7hLm4Xs/"}
scope["headers"] = [(b"traceparent", parent)]
asyncio.run(traces.TracedRequests(site)(scope, None, send))
traces._tracer.span_processor.force_flush()
print("sent", sent["traceparent"].split("-")[1])
"""


def test_one_trace_from_the_proxy_to_the_gateway():
    pytest.importorskip("opentelemetry.sdk")
    env = os.environ | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "TRACES_PERCENT": "100",
    }

    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
    )

    assert ran.stdout.count("ab" * 16) == 4, (
        ran.stdout + ran.stderr
    )  # three spans, and what is sent
    ids = {}
    for line in ran.stdout.splitlines():
        if "{" in line:
            name, _, own, parent = line.partition(" {")[0].rsplit(" ", 3)
            ids[name] = (own, parent)
    assert ids["POST"][1] == "cd" * 8
    assert ids["tests.traced"][1] == ids["POST"][0]
    assert ids["gateway charge"][1] == ids["tests.traced"][0]
    assert "9aZ2" not in ran.stdout
    assert "'http.response.status_code': 200" in ran.stdout


def test_without_an_endpoint_nothing_is_loaded():
    code = (
        "import django, sys; django.setup();"
        "from ticketing.core import traces; traces.start('web');"
        "print(traces.is_on(), 'opentelemetry.exporter' in sys.modules)"
    )
    env = os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": ""}

    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)

    assert ran.stdout.split() == ["False", "False"], ran.stderr


def test_without_traces_a_span_is_nothing():
    with traces.span("gateway charge") as current:
        assert current is None
    assert traces.headers() == {}
