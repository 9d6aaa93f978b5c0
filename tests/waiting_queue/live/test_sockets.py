"""The websocket of the waiting page, on the real server."""

from waiting_queue import services


def test_a_page_is_told_at_once_and_whenever_the_place_changes(paused, make_fan, tick):
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    page = ben.open()

    first = page.next()
    tick()
    services.leave(event_id=paused.pk, person=ann.person, now=tick.now)
    tick()
    moved = page.until(ahead=0)

    assert (first["state"], first["ahead"], first["number"]) == ("WAITING", 1, 2)
    assert (moved["position"], moved["total"], moved["token"]) == (1, 1, None)
