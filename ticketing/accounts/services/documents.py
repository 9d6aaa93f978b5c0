"""Legal documents: a new version each time, with the texts that a new site starts from."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max

from ticketing.accounts.models import LegalDocument

DEFAULTS = Path(__file__).parents[1] / "data" / "documents"


@transaction.atomic
def add_document(*, kind: str, published_at: datetime, **texts: str) -> LegalDocument:
    """Add the next version; of two at one moment the constraint lets one through."""
    return LegalDocument.objects.create(
        kind=kind, version=next_version(kind), published_at=published_at, **texts
    )


def next_version(kind: str) -> int:
    last = LegalDocument.objects.filter(kind=kind).aggregate(last=Max("version"))["last"]
    return int(last or 0) + 1


def default_texts(kind: str) -> dict[str, str]:
    """Titles and texts to begin with, as arguments of `add_document`."""
    texts: dict[str, Any] = {}
    for language in ("ko", "en"):
        title, _, body = (DEFAULTS / f"{kind}.{language}.txt").read_text("utf-8").partition("\n")
        texts |= {f"title_{language}": title, f"body_{language}": body.strip()}
    return texts


def add_default_documents(*, now: datetime) -> None:
    """For the demo: every document, in its first version."""
    for kind in LegalDocument.Kind.values:
        add_document(kind=kind, published_at=now, **default_texts(kind))
