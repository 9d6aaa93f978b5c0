"""What an event's own waiting page shows, in the reader's language."""

from collections.abc import Mapping
from typing import Any

from django.core.files.storage import default_storage

from ticketing.core.translated import translated
from waiting_queue.models import WaitingPage
from waiting_queue.models.page_colours import colour_css
from waiting_queue.models.waiting_pages import BILINGUAL, SWITCHES

Content = Mapping[str, Any]


def published_page(event_id: int) -> Content:
    """Return what was published for an event; empty: the site's own waiting page."""
    pages = WaitingPage.objects.filter(pk=event_id).values_list("published", flat=True)
    return pages.first() or {}


def page_content(content: Content) -> dict[str, Any]:
    """Return published content, or a draft's, as the template reads it."""
    picture = content.get("picture", "")
    return {
        **{name: _in_language(content, name) for name in BILINGUAL},
        **{name: content.get(name, True) for name in SWITCHES},
        "picture_url": default_storage.url(picture) if picture else "",
        "links": [
            {"label": _in_language(link, "label"), "url": link["url"]}
            for link in content.get("links", ())
        ],
        "hints": [
            {"title": _in_language(hint, "title"), "text": _in_language(hint, "text")}
            for hint in content.get("hints", ())
        ],
        "has_colours": bool(colour_css(content)),
    }


def _in_language(content: Content, name: str) -> str:
    return translated(content.get(f"{name}_ko", ""), content.get(f"{name}_en", ""))
