"""Venues and organisers."""

from typing import Any

from django.contrib import admin
from django.forms import Field
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.pages import PagesAdmin, change_url
from ticketing.events.admin.images import plan_image
from ticketing.events.models import Organiser, Venue

MOST_PLANS = 30


@admin.register(Venue)
class VenueAdmin(PagesAdmin):
    list_display = ("name", "address", "time_zone")
    search_fields = ("name_ko", "name_en", "address_ko", "address_en")
    readonly_fields = ("seat_plans",)
    actions = None

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Field | None:
        if db_field.name == "map_url":
            kwargs["assume_scheme"] = "https"
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_("name"), ordering="name_ko")
    def name(self, venue: Venue) -> str:
        return venue.name

    @admin.display(description=_("address"))
    def address(self, venue: Venue) -> str:
        return venue.address

    @admin.display(description=_("seat plans"))
    def seat_plans(self, venue: Venue) -> SafeString:
        plans = venue.plans.all()[:MOST_PLANS] if venue.pk else []
        items = format_html_join(
            "",
            '<li><a href="{}">{}{}</a></li>',
            ((change_url(plan), plan_image(plan, small=True), plan.name) for plan in plans),
        )
        return format_html('<ul class="plan-list">{}</ul>', items) if items else SafeString("–")

    def has_delete_permission(self, request: HttpRequest, obj: Venue | None = None) -> bool:
        """A venue goes only after its plans: deleting it must not read every seat of them."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not obj.plans.exists())


@admin.register(Organiser)
class OrganiserAdmin(PagesAdmin):
    list_display = ("name_ko", "name_en", "email", "phone")
    search_fields = ("name_ko", "name_en", "email", "phone")
    actions = None
