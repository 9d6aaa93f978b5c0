from ticketing.console.views.controls import knobs, move, tell
from ticketing.console.views.pages import event, overview
from ticketing.console.views.people import appeal, deed, find, person
from ticketing.console.views.seats import freeze, release, seats
from ticketing.console.views.telling import figures, preview, samples

__all__ = [
    "appeal",
    "deed",
    "event",
    "figures",
    "find",
    "freeze",
    "knobs",
    "move",
    "overview",
    "person",
    "preview",
    "release",
    "samples",
    "seats",
    "tell",
]
