"""Preview of a waiting page for operators, and the buttons that publish or withdraw it."""

from itertools import product
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.clickjacking import xframe_options_sameorigin

from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import PagesAdmin, operator, require_post
from ticketing.core.colours import THEMES
from ticketing.core.errors import NotFound
from waiting_queue import services
from waiting_queue.models import SaleQueue, WaitingPage
from waiting_queue.models.page_colours import colour_css
from waiting_queue.views.lines import content_context, page_context
from waiting_queue.views.page_state import PageState

LANGUAGES = {"ko": "한국어", "en": "English"}
THEME_LABELS = {"light": pgettext_lazy("theme", "light"), "dark": pgettext_lazy("theme", "dark")}
WIDTHS = {
    "phone": pgettext_lazy("width of a screen", "phone"),
    "desktop": pgettext_lazy("width of a screen", "desktop"),
}
# Somebody in the middle of a line.
STANDING: dict[str, Any] = {
    "number": 5_210,
    "ahead": 1_234,
    "total": 4_800,
    "lobby": 0,
    "queue_state": "open",
    "eta_seconds": 480,
    "eta_low_seconds": 420,
    "eta_high_seconds": 540,
    "paused": False,
}


class WaitingPagePreviews(PagesAdmin):
    class Media:
        css = {"all": ["css/admin-queue.css"]}

    def get_urls(self) -> list[URLPattern]:
        frame = "<int:pk>/preview/<slug:language>/<slug:theme>/"
        return [
            self.route("<int:pk>/preview/", self.preview_view, "waitingpage_preview"),
            self.route(frame, framed(self.frame_view), "waitingpage_frame"),
            self.route("preview/<slug:theme>/<int:pk>.css", self.theme_view, "waitingpage_theme"),
            self.route("<int:pk>/publish/", self.publish_view, "waitingpage_publish"),
            self.route("<int:pk>/withdraw/", self.withdraw_view, "waitingpage_withdraw"),
            *super().get_urls(),
        ]

    def preview_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The draft in both languages, light and dark, on a phone and on a desktop."""
        page = self._viewable(request, pk)
        labels = (WIDTHS, LANGUAGES, THEME_LABELS)
        frames = [
            {
                "width": width,
                "language": language,
                "theme": theme,
                "label": f"{WIDTHS[width]} · {LANGUAGES[language]} · {THEME_LABELS[theme]}",
            }
            for width, language, theme in product(*labels)
        ]
        title = _("%(event)s: preview of the waiting page") % {"event": page}
        context = {"page": page, "frames": frames, "form": ReasonForm()}
        context["may_publish"] = self.has_change_permission(request, page)
        return self.page(request, "waiting_page_preview", title, **context)

    def frame_view(self, request: HttpRequest, pk: int, language: str, theme: str) -> HttpResponse:
        """The draft as somebody in line would see it; nothing in it can be pressed."""
        page = self._viewable(request, pk)
        if language not in LANGUAGES or theme not in THEMES:
            raise NotFound()
        queue = SaleQueue.objects.select_related("event__plan__venue").get(pk=pk)
        state = PageState(
            "waiting", queue, clock.now(), waiting=STANDING["total"], standing=STANDING
        )
        with translation.override(language):
            context = page_context(state) | content_context(state, page.content())
            context |= {"theme": theme}
            return render(request, "admin/queue/waiting_page_frame.html", context)

    def theme_view(self, request: HttpRequest, pk: int, theme: str) -> HttpResponse:
        """The colours of one theme, whatever the operator's device prefers."""
        page = self._viewable(request, pk)
        if theme not in THEMES:
            raise NotFound()
        tokens = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text()
        tokens = tokens.replace(
            "(prefers-color-scheme: dark)", "all" if theme == "dark" else "not all"
        ).replace("color-scheme: light dark", f"color-scheme: {theme}")
        css = tokens + colour_css(page.content(), theme=theme)
        return HttpResponse(css, content_type="text/css; charset=utf-8")

    def publish_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._act(request, pk, services.publish_page, _("Everybody sees it within seconds."))

    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._act(request, pk, services.withdraw_page, _("The site's own page is shown."))

    def _act(self, request: HttpRequest, pk: int, service: Any, done: str) -> HttpResponse:
        require_post(request)
        page = self.changeable(request, pk)
        form = ReasonForm(request.POST)
        why = form.cleaned_data["reason"] if form.is_valid() else ""
        service(event_id=pk, by=operator(request), why=why, now=clock.now())
        self.message_user(request, f"{page}: {done}", messages.SUCCESS)
        return self.back_to(page)

    def _viewable(self, request: HttpRequest, pk: int) -> WaitingPage:
        page = self.get_queryset(request).filter(pk=pk).first()
        if not self.has_view_permission(request, page):
            raise PermissionDenied
        if page is None:
            raise NotFound()
        return page


def framed(view: Any) -> Any:
    """Lets our own pages show this one in a frame."""
    return xframe_options_sameorigin(csp_replace({"frame-ancestors": [SELF]})(view))
