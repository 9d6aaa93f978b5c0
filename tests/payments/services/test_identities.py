"""Verifying who a fan is at the sandbox, whose answer alone counts."""

from datetime import date, timedelta

import httpx
import pytest
from django.conf import settings

from payments import errors, services
from payments.sandbox import services as sandbox
from payments.sandbox import testing
from payments.services.identities import ASKED, LASTS
from tests.making import make_event, make_user, seat_ids
from tests.reservations.acting import hold
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts import errors as account_errors
from ticketing.accounts import services as accounts
from ticketing.accounts.models import Identity, IdentityChange
from ticketing.accounts.selectors import birth_year, verified_since
from ticketing.accounts.services.identities import RELEASE_SETTLES
from ticketing.core.errors import TooManyRequests
from ticketing.core.event_loop import blocking
from ticketing.core.ttl_cache import clear_ttl_caches
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
ANN = {"name": "김안나", "birth_date": date(2000, 2, 29), "phone": "010-1234-5678"}
verify_identity = blocking(services.averify_identity)


def confirmed(user, now, **person):
    """A number whose window was opened and confirmed."""
    number = services.new_verification(user_id=user.pk, now=now)
    sandbox.open_verification(number=number, now=now)
    sandbox.confirm_person(number=number, now=now, **ANN | person)
    return number


def verify(user, now, number=None):
    number = number or confirmed(user, now)
    verify_identity(number=number, user_id=user.pk, now=now)


def test_the_gateways_answer_makes_the_account_a_persons_own(paying_site, fan, now):
    verify(fan, now)

    assert birth_year(fan.pk) == 2000


def test_the_same_number_may_come_back_twice(paying_site, fan, now):
    number = confirmed(fan, now)

    verify(fan, now, number)
    verify(fan, now, number)

    assert Identity.objects.count() == 1


def test_whoever_verifies_again_has_done_it_since_but_not_with_an_old_number(paying_site, fan, now):
    first = confirmed(fan, now)
    verify(fan, now, first)
    asked_at = now + timedelta(minutes=1)
    verify(fan, asked_at + timedelta(minutes=1), first)
    assert verified_since({fan.pk: asked_at}) == set()

    verify(fan, asked_at + timedelta(minutes=2), confirmed(fan, asked_at + timedelta(minutes=1)))

    assert verified_since({fan.pk: asked_at}) == {fan.pk}
    assert IdentityChange.objects.filter(user=fan, what="verified").count() == 2


def test_nobody_has_the_gateway_asked_without_end(paying_site, fan, now):
    number = confirmed(fan, now)
    verify(fan, now, number)
    for _ in range(ASKED.limit):
        ASKED.add(str(fan.pk))

    with pytest.raises(TooManyRequests):
        verify(fan, now, number)


def test_a_number_of_another_account_is_refused(paying_site, fan, rival, now):
    number = confirmed(fan, now)

    with pytest.raises(errors.VerificationRefused):
        verify(rival, now, number)

    assert Identity.objects.count() == 0


@pytest.mark.parametrize("change", [lambda n: n + "0", lambda n: n[:-1] + "z", lambda n: "iv-1-2"])
def test_a_made_up_number_is_refused_without_asking(fan, now, change):
    number = services.new_verification(user_id=fan.pk, now=now)

    with pytest.raises(errors.VerificationRefused):
        verify(fan, now, change(number))


def test_an_old_number_is_refused(paying_site, fan, now):
    number = confirmed(fan, now)

    with pytest.raises(errors.VerificationRefused):
        verify(fan, now + LASTS + timedelta(seconds=1), number)


@pytest.mark.parametrize("opens", [False, True])
def test_a_window_that_was_not_confirmed_verifies_nobody(paying_site, fan, now, opens):
    number = services.new_verification(user_id=fan.pk, now=now)
    if opens:
        sandbox.open_verification(number=number, now=now)

    with pytest.raises(errors.VerificationRefused):
        verify(fan, now, number)


def test_a_test_channel_verifies_nobody_on_a_real_site(paying_site, fan, now, settings):
    settings.PORTONE_TAKES_TEST = False

    with pytest.raises(errors.VerificationRefused):
        verify(fan, now)


def test_a_gateway_that_does_not_answer_is_asked_again_later(paying_site, fan, now):
    number = confirmed(fan, now)
    testing.set_faults(failure_rate=1)
    with pytest.raises(errors.IdentityPaused):
        verify(fan, now, number)
    testing.set_faults()

    verify(fan, now, number)

    assert birth_year(fan.pk) == 2000


def test_an_answer_that_can_not_be_read_is_not_quoted_in_the_log(
    paying_site, fan, now, monkeypatch, caplog
):
    from payments.sandbox.api import serializers

    real = serializers.verification_body
    monkeypatch.setattr(
        serializers, "verification_body", lambda found: real(found) | {"requestedAt": None}
    )

    with pytest.raises(errors.IdentityPaused):
        verify(fan, now)

    assert ANN["name"] not in caplog.text


def test_a_second_account_of_the_same_person_is_refused(paying_site, fan, rival, now):
    verify(fan, now)

    with pytest.raises(account_errors.IdentityTaken):
        verify(rival, now, confirmed(rival, now, phone="010-9999-9999"))


@pytest.fixture
def released(paying_site, fan, operator, now):
    """Ann's first account was verified, and staff have released it."""
    verify(fan, now)

    def release():
        accounts.release_identity(
            user_id=fan.pk, closes_account=False, by=operator, why="", now=now
        )
        return now + RELEASE_SETTLES

    return release


def test_seats_that_count_keep_the_identity_where_they_are(released, fan, rival, now):
    event = make_event(now, identity_level="identity")
    hold(event, fan, now, seat_ids(event)[0])
    later = released()

    with pytest.raises(account_errors.IdentityInUse):
        verify(rival, later, confirmed(rival, later))


def test_the_other_account_gives_up_its_place_in_line(released, fan, rival, now):
    event = make_event(now, identity_level="identity")
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    queue.move_queue(event_id=event.pk, to="paused", by=None, now=now)
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    later = released()

    verify(rival, later, confirmed(rival, later))

    found = queue.standing(event_id=event.pk, person=str(fan.pk), now=later)
    assert found.state == "left"


def test_paying_asks_whoever_held_before_the_level_was_raised(paying_site, buyer, now):
    Event.objects.filter(pk=buyer.event.pk).update(identity_level="identity")
    clear_ttl_caches()
    with pytest.raises(account_errors.IdentityNotVerified):
        buyer.start()

    verify(buyer.fan, now)
    payment = buyer.start()

    assert payment.state == "prepared"
    assert buyer.reservation.payments.count() == 1


def test_the_window_is_no_way_around(paying_site, buyer, now):
    Event.objects.filter(pk=buyer.event.pk).update(identity_level="identity")
    clear_ttl_caches()
    with pytest.raises(account_errors.IdentityNotVerified):
        buyer.start()

    with pytest.raises(account_errors.IdentityNotVerified):
        services.prepare_payment(number=buyer.payment.number, fan_id=buyer.fan.pk, now=now)


# -- pages ----------------------------------------------------------------------------------------


def test_the_pages_lead_there_and_back(paying_site, client, event, now):
    fan = make_user()
    client.force_login(fan)
    page = client.get(f"/verify/?event={event.pk}")
    window = page.context["sandbox_url"]

    back = client.post(window, ANN)
    done = client.get(back.headers["Location"])

    assert (back.status_code, done.status_code) == (303, 303)
    assert done.headers["Location"] == f"/events/{event.pk}/"
    assert birth_year(fan.pk) == 2000
    page = client.get("/verify/", headers={"accept-language": "en"})
    assert "need to do this again" in page.content.decode()


def test_whoever_is_asked_can_verify_again(client, event, fan, now):
    accounts.record_identity(
        user_id=fan.pk, unique_value="ci", birth_year=2000, now=now, has_seats=lambda pk: False
    )
    SaleQueue.objects.create(event=event, opens_at=now)
    client.force_login(fan)
    assert client.get(f"/verify/?event={event.pk}").context["is_verified"]

    audit = {"by": None, "why": "group: new_accounts", "now": now}
    queue.ask_people_to_verify(event_id=event.pk, people=[str(fan.pk)], **audit)
    clear_ttl_caches()  # as after a second

    page = client.get(f"/verify/?event={event.pk}", headers={"accept-language": "en"})
    assert not page.context["is_verified"]
    assert "verify once more that it is you" in page.content.decode()
    assert client.get("/verify/").context["is_verified"]


def test_the_event_loop_answers_whoever_is_logged_in(paying_site, origin, event, fan, rival, now):
    number = confirmed(fan, now)

    def come_back(user):
        cookies = {settings.SESSION_COOKIE_NAME: logged_in(user)}
        url = f"{origin}/verify/{number}/?event={event.pk}"
        return httpx.get(url, cookies=cookies, headers={"accept": "text/html"}, timeout=30)

    answers = [come_back(rival).status_code, come_back(fan).headers.get("Location")]

    assert answers == [400, f"/events/{event.pk}/"]
    assert (birth_year(fan.pk), birth_year(rival.pk)) == (2000, 0)


def test_a_closed_window_leads_back_to_the_page(client, event, fan):
    client.force_login(fan)
    window = client.get(f"/verify/?event={event.pk}").context["sandbox_url"]

    back = client.post(window, {"close": "1"})
    done = client.get(back.headers["Location"])

    assert done.headers["Location"] == f"/verify/?event={event.pk}&closed=1"


def test_portones_own_window_gets_what_it_needs(client, event, fan, settings):
    settings.PAYMENTS_SANDBOX = False
    client.force_login(fan)

    page = client.get(f"/verify/?event={event.pk}")

    assert "requestIdentityVerification" not in page.content.decode()  # in the script's file
    assert settings.PORTONE_SDK_URL in page.content.decode()
    assert "https://*.portone.io" in page.headers["Content-Security-Policy"]
