"""The colours of an event's own waiting page: a file, since no page may have styles of its own."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from waiting_queue import selectors
from waiting_queue.models.page_colours import colour_css


@require_safe
@cache_control(public=True, no_cache=True)
def colours(request: HttpRequest, pk: int) -> HttpResponse:
    """Asked for again with every page, so that a change shows at once; mostly answered with 304."""
    queue = selectors.public_queue(pk)
    css = colour_css(selectors.published_page(queue.pk))
    return HttpResponse(css, content_type="text/css; charset=utf-8")
