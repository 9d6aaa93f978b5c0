import pytest

from tests.ticketing.accounts.conftest import (  # noqa: F401 - fixtures
    ann,
    anns_browser,
    ben,
    browser,
    worker,
)
from ticketing.accounts import services
from ticketing.accounts.models import LegalDocument


@pytest.fixture
def documents(db, now) -> dict[str, LegalDocument]:
    """Every document in its first version, by kind."""
    services.add_default_documents(now=now)
    return {each.kind: each for each in LegalDocument.objects.all()}


def new_version(kind, published_at) -> LegalDocument:
    return services.add_document(
        kind=kind, published_at=published_at, **services.default_texts(kind)
    )
