"""How a line looks: JSON for machines, plain for people; both with ids and the time's offset."""

import json
import logging
from datetime import datetime
from typing import Any

from ticketing.core.logs.context import current_ids
from ticketing.core.logs.redaction import redact


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds")


class PlainFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = redact(super().format(record))
        ids = " ".join(f"{name}={value}" for name, value in current_ids().items())
        line, *rest = text.split("\n")
        named = f"{line}  [{ids}]" if ids else line
        return "\n".join([f"{_time(record)} {named}", *rest])


class JsonFormatter(logging.Formatter):
    """One line an entry. `fields` of a record are named beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage()),
            "pid": record.process,
            **current_ids(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            entry["exception"] = redact(record.exc_text)
        return json.dumps(entry, ensure_ascii=False, default=str)
