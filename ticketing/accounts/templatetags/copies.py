"""`{% include_copy "partials/head.html" %}`: a part of a page that is the same for everybody."""

from collections.abc import Hashable
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from ticketing.accounts.selectors import footer_documents
from ticketing.core.error_responses import OUTAGES
from ticketing.core.ttl_cache import ttl_cache

register = template.Library()


@register.simple_tag
def include_copy(name: str, **values: Hashable) -> SafeString:
    """Knows nothing about the request: such a part can contain nothing that is personal.

    There is a copy for each combination of values, which must be those of many people's pages.
    """
    return _copy(name, get_language() or "", **values)


@ttl_cache(1)
def _copy(name: str, language: str, **values: Hashable) -> SafeString:
    return render_to_string(name, {"legal": SimpleLazyObject(_footer_documents), **values})


def _footer_documents() -> dict[str, Any]:
    """By kind; none while there is no database."""
    try:
        return dict(footer_documents())
    except OUTAGES:
        return {}
