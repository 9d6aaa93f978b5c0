"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
]

handler400 = "ticketing.core.error_responses.bad_request"
handler403 = "ticketing.core.error_responses.permission_denied"
handler404 = "ticketing.core.error_responses.not_found"
handler500 = "ticketing.core.error_responses.server_error"
