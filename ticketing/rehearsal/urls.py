"""URLs of the rehearsal API, below /api/v1/."""

from django.urls import path

from ticketing.rehearsal.api import views

app_name = "rehearsal_api"
urlpatterns = [
    path("rehearsals/", views.RehearsalsView.as_view(), name="rehearsals"),
    path("rehearsals/<slug:code>/", views.RehearsalView.as_view(), name="rehearsal"),
    path("rehearsals/<slug:code>/people/", views.PeopleView.as_view(), name="people"),
    path("rehearsals/<slug:code>/moves/", views.MovesView.as_view(), name="moves"),
    path("rehearsals/<slug:code>/knobs/", views.KnobsView.as_view(), name="knobs"),
    path("rehearsals/<slug:code>/gateway/", views.GatewayBehaviourView.as_view(), name="gateway"),
    path("rehearsals/<slug:code>/snapshot/", views.SnapshotView.as_view(), name="snapshot"),
    path("rehearsals/<slug:code>/books/", views.BooksView.as_view(), name="books"),
    path("rehearsals/<slug:code>/journal/", views.JournalView.as_view(), name="journal"),
    path("rehearsals/<slug:code>/facts/", views.FactsView.as_view(), name="facts"),
    path("rehearsals/<slug:code>/report/", views.ReportView.as_view(), name="report"),
]
