"""Legal documents, exports of personal data, deletion of an account."""

from django.urls import path

from ticketing.privacy import views

app_name = "privacy"
urlpatterns = [
    path("legal/<slug:kind>/", views.document, name="document"),
    path("legal/<slug:kind>/<int:version>/", views.document, name="version"),
    path("accounts/data/", views.Exports.as_view(), name="exports"),
    path("accounts/data/<uuid:code>.<slug:form>", views.export_file, name="export_file"),
    path("accounts/delete/", views.Delete.as_view(), name="delete"),
    path("accounts/deleted/", views.Deleted.as_view(), name="deleted"),
]
