"""URLs of the checklist, below /admin/setup/."""

from django.urls import path

from ticketing.event_setup import views

app_name = "setup"
urlpatterns = [
    path("", views.start, name="start"),
    path("<int:event_id>/", views.checklist, name="checklist"),
    path("<int:event_id>/without-line/", views.without_line, name="without_line"),
    path("<int:event_id>/duplicate/", views.duplicate, name="duplicate"),
]
