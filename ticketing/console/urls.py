"""URLs of the console, below /admin/console/."""

from django.urls import path

from ticketing.console import views

app_name = "console"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("figures/", views.figures, name="figures"),
    path("second-factor/", views.second_factor, name="second_factor"),
    path("second-factor/set-up/", views.set_up, name="set_up"),
    path("second-factor/qr.svg", views.qr, name="qr"),
    path("reconciliations/", views.reconciliations, name="reconciliations"),
    path("reconciliations/<str:day>/", views.reconciliation, name="reconciliation"),
    path("reconciliations/<str:day>/<str:number>/mend/", views.mend, name="mend"),
    path("approvals/", views.approvals, name="approvals"),
    path("approvals/<int:approval_id>/", views.approval, name="approval"),
    path("<int:event_id>/", views.event, name="event"),
    path("<int:event_id>/samples/", views.samples, name="samples"),
    path("<int:event_id>/preview/", views.preview, name="preview"),
    path("<int:event_id>/audit/", views.audit, name="audit"),
    path("<int:event_id>/audit.csv", views.audit_csv, name="audit_csv"),
    path("<int:event_id>/report/", views.report, name="report"),
    path("<int:event_id>/report.csv", views.report_csv, name="report_csv"),
    path("<int:event_id>/report.pdf", views.report_pdf, name="report_pdf"),
    path("<int:event_id>/move/<slug:to>/", views.move, name="move"),
    path("<int:event_id>/knobs/", views.knobs, name="knobs"),
    path("<int:event_id>/autopilot/", views.autopilot, name="autopilot"),
    path("<int:event_id>/autopilot/off/", views.autopilot_off, name="autopilot_off"),
    path("<int:event_id>/tell/", views.notice, name="notice"),
    path("<int:event_id>/people/", views.find, name="find"),
    path("<int:event_id>/people/<int:person_id>/", views.person, name="person"),
    path(
        "<int:event_id>/people/<int:person_id>/<slug:action>/",
        views.person_action,
        name="person_action",
    ),
    path("<int:event_id>/appeals/<int:appeal_id>/<slug:answer>/", views.appeal, name="appeal"),
    path("<int:event_id>/groups/", views.groups, name="groups"),
    path("<int:event_id>/groups/<slug:key>/", views.group, name="group"),
    path("<int:event_id>/evidence/", views.evidence, name="evidence"),
    path("<int:event_id>/seats/", views.seats, name="seats"),
    path("<int:event_id>/seats/release/", views.release, name="release"),
    path("<int:event_id>/seats/freeze/", views.freeze, name="freeze"),
]
