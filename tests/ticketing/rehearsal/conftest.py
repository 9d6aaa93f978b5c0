import pytest
from django.utils import translation

from tests.ticketing.rehearsal.sale_fixtures import (  # noqa: F401 - fixtures
    api,
    base,
    operator,
    origin,
    sale,
    shop,
    site,
)


@pytest.fixture(autouse=True)
def in_english(settings):
    """Verdicts and reports are in the active language."""
    settings.LANGUAGE_CODE = "en"
    with translation.override("en"):
        yield
