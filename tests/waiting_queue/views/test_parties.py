"""The pages of a party, and of somebody who was moved to the end of the line."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.making import make_user
from tests.waiting_queue.services.steps import seconds
from tests.waiting_queue.views.pages import BACKEND, join, line_of, state_of, text
from ticketing.core import clock
from waiting_queue import services, store
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


def party_of(queue):
    return reverse("queue:party", args=[queue.pk])


def code_of(queue, person):
    return services.invite(event_id=queue.pk, person=str(person), now=clock.now()).code


def peek(queue, fan):
    return store.run(store.peek(queue.pk, str(fan.pk), clock.now()))


def test_a_code_is_made_and_shown_with_its_link(me, fan, slow_queue):
    join(slow_queue, fan.pk)
    assert "Get a code" in text(me.get(party_of(slow_queue)))

    answer = me.post(party_of(slow_queue), follow=True)

    code = code_of(slow_queue, fan.pk)
    assert f"{code[:5]} {code[5:]}" in text(answer)
    link = reverse("queue:join_party", args=[slow_queue.pk, code])
    assert f'value="http://testserver{link}"' in text(answer)


def test_the_link_says_what_is_given_up_and_joins(me, fan, slow_queue):
    join(slow_queue, 900_001, fan.pk)
    page = reverse("queue:join_party", args=[slow_queue.pk, code_of(slow_queue, 900_001)])
    assert "You give up your own place in this line." in text(me.get(page))

    answer = me.post(page, follow=True)

    assert (state_of(answer), peek(slow_queue, fan).leader) == ("waiting", "900001")
    assert "You wait together: 2 people" in text(answer)
    assert "You wait in the place of somebody else" in text(me.get(party_of(slow_queue)))


def test_once_the_party_is_called_the_page_leads_to_the_line(me, fan, slow_queue):
    join(slow_queue, 900_001)
    code, now = code_of(slow_queue, 900_001), clock.now()
    services.join_party(event_id=slow_queue.pk, person=str(fan.pk), code=code, now=now)
    SaleQueue.objects.update(admit_per_second=0, max_inside=10)
    services.tick_open_queues(now=now + seconds(1))
    assert peek(slow_queue, fan).state == "ready"

    page = text(me.get(party_of(slow_queue)))

    assert "Your party has been called" in page
    assert "None" not in page
    assert "Somebody gave you a code" not in page


def test_a_typed_code_leads_to_the_same_page(me, slow_queue):
    join(slow_queue, 900_001)
    code = code_of(slow_queue, 900_001)

    answer = me.get(party_of(slow_queue), {"code": f"{code[:5].lower()} {code[5:]}"})

    assert answer.headers["Location"] == reverse("queue:join_party", args=[slow_queue.pk, code])


def test_a_wrong_code_is_explained(me, slow_queue):
    answer = me.post(reverse("queue:join_party", args=[slow_queue.pk, "ABCDEFGHJK"]))

    assert answer.status_code == 404
    assert "This code is wrong, or can’t be used any more." in text(answer)


def test_nobody_sees_these_pages_without_logging_in(client, slow_queue):
    for path in (party_of(slow_queue), reverse("queue:join_party", args=[slow_queue.pk, "ABC"])):
        assert client.get(path).status_code in {302, 303, 401}


def test_without_companions_the_page_offers_none(me, fan, slow_queue):
    SaleQueue.objects.update(companions=0)
    join(slow_queue, fan.pk)

    assert party_of(slow_queue) not in me.get(line_of(slow_queue)).content.decode()


def test_whoever_is_moved_to_the_end_reads_why_and_appeals(me, fan, slow_queue, operator):
    join(slow_queue, fan.pk, 900_001)
    appeal = reverse("queue:appeal", args=[slow_queue.pk])
    assert me.get(appeal).headers["Location"] == line_of(slow_queue)
    whom = {"event_id": slow_queue.pk, "person": str(fan.pk), "now": clock.now()}
    services.demote(**whom, by=operator, why="one <b>household</b>")

    page = me.get(line_of(slow_queue))
    assert "one &lt;b&gt;household&lt;/b&gt;" in page.content.decode()
    assert "data-demoted hidden" not in page.content.decode()
    assert "Send to the organiser" in text(me.get(appeal))

    answer = me.post(appeal, {"words": "We are students."}, follow=True)

    assert "You wrote: “We are students.”" in text(answer)
    assert "The organiser has not replied yet" in text(answer)


def test_the_notice_of_one_person_is_on_no_other_page(slow_queue, operator):
    fans = [make_user() for _ in range(2)]
    join(slow_queue, *(fan.pk for fan in fans))
    whom = {"event_id": slow_queue.pk, "person": str(fans[0].pk), "now": clock.now()}
    services.demote(**whom, by=operator, why="one household")
    client = Client(headers={"accept-language": "en", "accept": "text/html"})
    client.force_login(fans[1], backend=BACKEND)

    page = client.get(line_of(slow_queue)).content.decode()

    assert "one household" not in page
    assert "data-demoted hidden" in page


def test_with_every_seat_sold_the_place_is_not_shown(me, fan, slow_queue):
    join(slow_queue, fan.pk)
    assert "data-place hidden" not in me.get(line_of(slow_queue)).content.decode()
    type(slow_queue.event).objects.update(state="sold_out")
    services.tick_open_queues(now=clock.now())

    assert "data-place hidden" in me.get(line_of(slow_queue)).content.decode()
