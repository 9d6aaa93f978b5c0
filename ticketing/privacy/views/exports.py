"""Personal data as files, for their owner only."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.mixins import LoginRequiredMixin
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

from ticketing.accounts.services import require_fresh
from ticketing.core import clock
from ticketing.core.throttle import client_address
from ticketing.privacy import selectors, services, tasks

MEDIA_TYPES = {"json": "application/json", "pdf": "application/pdf"}


@method_decorator(never_cache, name="dispatch")
class Exports(LoginRequiredMixin, TemplateView):
    template_name = "privacy/exports.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user: Any = self.request.user
        exports = selectors.own_exports(user, now=clock.now())
        return super().get_context_data(exports=exports, **kwargs)

    def post(self, request: HttpRequest) -> HttpResponse:
        user: Any = request.user
        require_fresh(request.session)
        export = services.ask_for_export(
            user=user,
            language=get_language() or "",
            origin=client_address(request),
            now=clock.now(),
        )
        transaction.on_commit(lambda: tasks.make_export.delay(export.pk))
        messages.success(
            request, _("We’re putting your data together and will e-mail you when it’s done.")
        )
        return redirect("privacy:exports")


@never_cache
@require_safe
@login_required
def export_file(request: HttpRequest, code: UUID, form: str) -> HttpResponse:
    user: Any = request.user
    content = services.export_file(user=user, code=code, form=form, now=clock.now())
    name = {"Content-Disposition": f'attachment; filename="personal-data.{form}"'}
    return HttpResponse(content, content_type=MEDIA_TYPES[form], headers=name)
