"""All URLs of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from ticketing.core import health, languages, security_contact

admin.autodiscover()
AUDIT_TRAIL = admin.site.admin_view(RedirectView.as_view(pattern_name="console:audit"))
urlpatterns = [
    path("", include("ticketing.events.urls")),
    path("", include("waiting_queue.urls")),
    path("", include("reservations.urls")),
    path("", include("payments.urls")),
    path("", include("ticketing.privacy.urls")),
    path("accounts/", include("ticketing.accounts.urls")),
    path("api/v1/", include("ticketing.events.api.urls")),
    path("api/v1/", include("ticketing.accounts.api_urls")),
    path("api/v1/", include("waiting_queue.api.urls")),
    path("api/v1/", include("reservations.api.urls")),
    path("api/v1/", include("payments.api.urls")),
    path("api/v1/", include("ticketing.rehearsal.urls")),
    path("admin/console/", include("ticketing.console.urls")),
    # Django's own history of these knows nothing: their changes are in the audit trail.
    path("admin/ticketing/event/<int:event_id>/history/", AUDIT_TRAIL),
    path("admin/queue/salequeue/<int:event_id>/history/", AUDIT_TRAIL),
    path("admin/setup/", include("ticketing.event_setup.urls")),
    path("admin/", admin.site.urls),
    path("i18n/setlang/", languages.set_language, name="set_language"),
    path("dev/mails/", include("ticketing.development.mailbox.urls")),
    path(".well-known/security.txt", security_contact.security_txt),
    path("healthz", health.alive),
    path("readyz", health.ready),
]
if settings.PAYMENTS_SANDBOX:
    urlpatterns.append(path("sandbox/portone/", include("payments.sandbox.urls")))

handler400 = "ticketing.core.error_responses.bad_request"
handler403 = "ticketing.core.error_responses.permission_denied"
handler404 = "ticketing.core.error_responses.not_found"
handler500 = "ticketing.core.error_responses.server_error"
