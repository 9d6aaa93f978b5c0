"""Outbox messages and webhooks in the admin."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.translation import gettext as _

from payments import services
from payments.admin.payments import require
from payments.models import OutboxMessage, WebhookReceipt
from ticketing.core import clock
from ticketing.core.admin.pages import ReadOnlyAdmin, operator, require_post


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    list_display = ("aggregate", "sequence", "kind", "state", "attempts", "due_at", "error")
    list_filter = ("state", "kind")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("aggregate", "body__payment")

    def get_urls(self) -> list[URLPattern]:
        revive = self.route("<int:pk>/revive/", self.revive_view, "outboxmessage_revive")
        return [revive, *super().get_urls()]

    def revive_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        require_post(request)
        require(request, "payments.change_outboxmessage")
        message = services.revive_message(pk=pk, by=operator(request), now=clock.now())
        self.log_change(request, message, _("Sent again."))
        self.message_user(request, _("It will be sent again."), messages.SUCCESS)
        return redirect("admin:payments_outboxmessage_change", pk)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        is_dead = context["original"].state == OutboxMessage.State.DEAD
        may = operator(request).has_perm("payments.change_outboxmessage")
        context["may_revive"] = is_dead and may
        return super().render_change_form(request, context, *args, **kwargs)


@admin.register(WebhookReceipt)
class WebhookReceiptAdmin(ReadOnlyAdmin):
    list_display = ("received_at", "kind", "number", "repeats", "webhook_id")
    list_filter = ("kind",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("number", "webhook_id")
