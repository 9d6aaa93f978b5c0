"""Payments and refunds in the admin: read-only, changed through services."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from payments import selectors, services
from payments.models import Payment, Refund, WebhookReceipt
from payments.selectors.labels import note_label, state_label
from ticketing.accounts.services import require_fresh
from ticketing.core import clock
from ticketing.core.admin.pages import ReadOnlyAdmin, operator, require_post
from ticketing.core.money import money

EMPTY = "–"
REFUND = "payments.refund_payment"
SETTLE = "payments.change_payment"


class RefundForm(forms.Form):
    amount = forms.IntegerField(
        label=gettext_lazy("Amount"),
        min_value=1,
        help_text=gettext_lazy("In the currency's smallest unit; for won, whole won."),
    )
    frees_seats = forms.BooleanField(
        label=gettext_lazy("The seats go back on sale"), required=False
    )
    reason = forms.CharField(label=gettext_lazy("Why"), max_length=200)


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    list_display = ("number", "reservation", "fan", "state", "price", "created_at", "due_at")
    list_select_related = ("reservation", "fan")
    list_filter = ("state",)
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "created_at"
    search_fields = ("number", "reservation__code__iexact", "fan__email", "transaction_id")
    search_help_text = gettext_lazy("The number, the order's code, or the person's e-mail address.")
    fields = (
        *(
            "number",
            "state",
            "reservation",
            "fan",
            "price",
            "charged",
            "refunded",
            "fees",
            "currency",
        ),
        *("transaction_id", "failure", "failure_message", "attempts", "due_at"),
        *("created_at", "charging_at", "settled_at", "timeline", "refund_list", "webhook_list"),
    )

    def get_urls(self) -> list[URLPattern]:
        return [
            self.route("<int:pk>/resume/", self.resume_view, "payment_resume"),
            self.route("<int:pk>/refund/", self.refund_view, "payment_refund"),
            *super().get_urls(),
        ]

    def resume_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Settle the payment now instead of when it is due; the gateway is asked meanwhile."""
        require_post(request)
        require(request, SETTLE)
        payment = get_object_or_404(self.get_queryset(request), pk=pk)
        services.start_settlement_by_operator(pk=pk, by=operator(request), now=clock.now())
        message = _("The gateway is being asked about %(number)s. Reload the page in a moment.")
        self.message_user(request, message % {"number": payment}, messages.SUCCESS)
        return self.back_to(payment)

    def refund_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Refund all or a part, with a reason; the timeline names the operator."""
        require(request, REFUND)
        require_fresh(request.session)
        payment = get_object_or_404(self.get_queryset(request), pk=pk)
        form = RefundForm(
            request.POST or None, initial={"amount": payment.left, "frees_seats": True}
        )
        if form.is_valid():
            services.start_refund(
                pk=pk,
                amount=form.cleaned_data["amount"],
                frees_seats=form.cleaned_data["frees_seats"],
                why=form.cleaned_data["reason"],
                by=operator(request),
                now=clock.now(),
            )
            self.message_user(request, _("The refund is on its way."), messages.SUCCESS)
            return self.back_to(payment)
        title = _("%(number)s: refund") % {"number": payment}
        left = money(payment.left, payment.currency)
        return self.page(request, "refund", title, payment=payment, form=form, left=left)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show breaker, outbox and refunds of cancelled events above the list."""
        more = {
            "breaker": selectors.breaker_state(),
            "outbox": selectors.outbox_counts(),
            "cancelled_events": selectors.refunds_of_cancelled_events(),
        }
        return super().changelist_view(request, (extra_context or {}) | more)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        payment, user = context["original"], operator(request)
        context["may_resume"] = user.has_perm(SETTLE) and payment.due_at is not None
        context["may_refund"] = user.has_perm(REFUND) and payment.state in selectors.PAID
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=gettext_lazy("amount"), ordering="amount")
    def price(self, payment: Payment) -> str:
        return money(payment.amount, payment.currency)

    @admin.display(description=gettext_lazy("reason"))
    def failure(self, payment: Payment) -> str:
        return note_label(payment.failure_code) or EMPTY

    @admin.display(description=gettext_lazy("timeline"))
    def timeline(self, payment: Payment) -> str:
        rows = [
            (
                when(step.at),
                state_label(step.before),
                state_label(step.after),
                note_label(step.note),
                step.by or "",
            )
            for step in payment.steps.select_related("by")
        ]
        return format_html_join("", "<div>{} · {} → {} · {} {}</div>", rows) or EMPTY

    @admin.display(description=gettext_lazy("refunds"))
    def refund_list(self, payment: Payment) -> str:
        rows = [
            (
                when(it.created_at),
                money(it.amount, payment.currency),
                it.get_state_display(),
                note_label(it.why),
                it.answer,
            )
            for it in payment.refunds.all()
        ]
        return format_html_join("", "<div>{} · {} · {} · {} {}</div>", rows) or EMPTY

    @admin.display(description=gettext_lazy("webhooks"))
    def webhook_list(self, payment: Payment) -> str:
        found = WebhookReceipt.objects.filter(number=payment.number).order_by("pk")
        rows = [(when(it.received_at), it.kind, it.repeats) for it in found]
        return format_html_join("", "<div>{} · {} · +{}</div>", rows) or EMPTY


@admin.register(Refund)
class RefundAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "payment", "amount", "fee", "state", "is_owed", "reason", "by")
    fields = (*list_display, "frees_seats", "seats", "ended_at", "answer")
    list_select_related = ("payment", "by")
    list_filter = ("state", "is_owed")
    show_full_result_count = False
    search_fields = ("payment__number", "why")

    @admin.display(description=gettext_lazy("why"))
    def reason(self, refund: Refund) -> str:
        return note_label(refund.why)


def require(request: HttpRequest, permission: str) -> None:
    if not operator(request).has_perm(permission):
        raise PermissionDenied


def when(moment: Any) -> str:
    return localtime(moment).strftime("%Y-%m-%d %H:%M:%S")
