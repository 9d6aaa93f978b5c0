"""Logs, metrics and traces."""

from django.core.exceptions import ImproperlyConfigured

from ticketing.core.metrics.listener import is_local
from ticketing.settings.environment import DEVELOPMENT, env

LOG_LEVEL = env.text("LOG_LEVEL", "INFO", "Lowest level of log lines to write.")
LOG_FORMAT = env.choice(
    "LOG_FORMAT",
    "plain" if DEVELOPMENT else "json",
    ("plain", "json"),
    "“json”: a JSON object a line, for programs; “plain”: for people.",
)
ACCESS_LOG = env.flag("ACCESS_LOG", DEVELOPMENT, "Write a line for every answer, with its time.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "ticketing.core.logs.formats.PlainFormatter",
            "format": "%(levelname)-7s %(name)s  %(message)s",
        },
        "json": {"()": "ticketing.core.logs.formats.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        "axes": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
    },
}

METRICS = env.flag(
    "METRICS", True, "Let Prometheus read the metrics of every process, each at its own address."
)
METRICS_HOST = env.text(
    "METRICS_HOST",
    "127.0.0.1",
    "Address for Prometheus; one that other machines can reach needs METRICS_TOKEN.",
)
METRICS_PORT = env.number(
    "METRICS_PORT", 0, "Port at that address; 0: any free one, which files in VAR_DIR/metrics name."
)
METRICS_TOKEN = env.text(
    "METRICS_TOKEN", "", "Token that Prometheus sends as `Authorization: Bearer …`."
)
if METRICS and not METRICS_TOKEN and not is_local(METRICS_HOST):
    raise ImproperlyConfigured("METRICS_HOST can be reached by others: set METRICS_TOKEN.")

OTEL_EXPORTER_OTLP_ENDPOINT = env.text(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "",
    "Where spans are sent, if OpenTelemetry's packages are installed; empty: nowhere.",
)
TRACES_PERCENT = env.number("TRACES_PERCENT", 1, "Percentage of requests whose spans are sent.")
