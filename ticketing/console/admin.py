"""The console's models in the admin: phones, two-person rules, reconciliations."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.admin import TOTPDeviceAdmin
from django_otp.plugins.otp_totp.models import TOTPDevice

from ticketing.accounts.services import remove_phone, require_fresh
from ticketing.console.models import Reconciliation
from ticketing.core.admin.pages import ReadOnlyAdmin
from ticketing.events.models import TwoPersonRule

admin.site.unregister(StaticDevice)  # recovery codes are managed together with the phone
admin.site.unregister(TOTPDevice)


@admin.register(TOTPDevice)
class PhoneAdmin(TOTPDeviceAdmin):
    """A superuser removes a lost phone; nobody adds or changes one for another."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        require_fresh(request.session)
        return super().delete_view(request, *args, **kwargs)

    def delete_model(self, request: HttpRequest, obj: TOTPDevice) -> None:
        remove_phone(phone=obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        require_fresh(request.session)
        for phone in queryset:
            remove_phone(phone=phone)


@admin.register(TwoPersonRule)
class TwoPersonRuleAdmin(admin.ModelAdmin):
    """Off for every role until it is added here. Django's own log keeps who changed it."""

    actions = None
    list_display = ("role", "refund_event", "close_sale", "freeze_seats")
    fieldsets = (
        (
            None,
            {
                "fields": list_display,
                "description": _(
                    "People with this role only ask for what is ticked here. Another person with "
                    "the permission approves it in the console within an hour."
                ),
            },
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("role",) if obj else ()


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    """In the menu of the admin; its pages are the console's."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect("console:reconciliations")

    def change_view(self, request: HttpRequest, object_id: str, *args: Any) -> HttpResponse:
        return redirect("console:reconciliation", object_id)
