"""deploy/nginx/ticketing.conf: what a browser meets at the site's door."""

import json
from datetime import datetime

import httpx
import pytest
from django.contrib.auth import login
from django.http import HttpRequest

from tests.deploy.nginx import HOST, NGINX, ORIGIN, Proxied, site_behind_nginx, write_configuration
from tests.making import make_event
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts.sessions import SessionStore
from ticketing.development.embedded import process
from ticketing.events.models import SeatPlan, Venue
from waiting_queue.models import SaleQueue
from waiting_queue.services import move_queue

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not NGINX, reason="nginx is not installed"),
]
CSV = "section,row,number,grade\n" + "\n".join(
    f"A,{row},{number},R" for row in range(1, 101) for number in range(1, 51)
)


@pytest.fixture(scope="module")
def site(tmp_path_factory, django_db_setup) -> Proxied:
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    with site_behind_nginx(folder, SOCKETS_PER_ADDRESS="1") as proxied:
        yield proxied


@pytest.fixture
def paused(now: datetime) -> SaleQueue:
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now, max_inside=0)
    for state in (SaleQueue.State.OPEN, SaleQueue.State.PAUSED):
        move_queue(event_id=queue.pk, to=state, by=None, now=now)
    return queue


def test_nginx_accepts_the_file(tmp_path):
    main = write_configuration(tmp_path, upstream=8000, http=8080, https=8443)

    code, output = process.run([str(NGINX), "-t", "-q", "-c", main, "-e", "stderr"])

    assert (code, output) == (0, "")


def test_plain_http_is_sent_to_https(site):
    answer = httpx.get(f"http://127.0.0.1:{site.http_port}/events/?q=1", headers={"Host": HOST})

    assert (answer.status_code, answer.headers["location"]) == (301, f"{ORIGIN}/events/?q=1")


def test_a_page_knows_that_it_is_read_over_tls(site, event):
    """Without X-Forwarded-Proto the site would redirect for ever."""
    with site.client() as browser:
        answer = browser.get(f"/events/{event.pk}/")

    assert answer.status_code == 200
    assert answer.headers["strict-transport-security"].startswith("max-age=")


def test_a_websocket_comes_through(site, event):
    with site.socket(f"/ws/events/{event.pk}/seats/", address="127.0.0.9") as page:
        assert json.loads(page.recv(timeout=30))["type"] == "seats"


def test_a_stream_comes_event_by_event(site, fan, paused):
    headers = {"Cookie": f"__Host-sessionid={logged_in(fan)}"}
    address = f"/events/{paused.pk}/queue/stream?join=1"
    with (
        site.client("127.0.0.8", headers=headers) as browser,
        browser.stream("GET", address) as answer,
    ):
        first = next(line for line in answer.iter_lines() if line.startswith("data:"))

    assert json.loads(first.removeprefix("data:"))["state"] == "WAITING"


def test_an_address_is_the_clients_own_whatever_it_says(site, event):
    """One socket an address is allowed here."""
    path = f"/ws/events/{event.pk}/seats/"
    forged = {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.113.7"}
    with (
        site.socket(path, address="127.0.0.2") as first,
        site.socket(path, address="127.0.0.3") as neighbour,
        site.socket(path, address="127.0.0.2", **forged) as second,
    ):
        frames = [json.loads(page.recv(timeout=30)) for page in (first, neighbour, second)]

    assert [frame["type"] for frame in frames] == ["seats", "seats", "error"]
    assert frames[2]["code"] == "too_many_connections"


def test_a_file_is_uploaded(site, operator):
    venue = Venue.objects.create(name_ko="올림픽홀", name_en="Olympic Hall")
    request = HttpRequest()
    request.session = SessionStore()
    login(request, operator, backend="django.contrib.auth.backends.ModelBackend")
    request.session.save()
    cookies = {"__Host-sessionid": request.session.session_key, "__Host-csrftoken": "a" * 32}
    fields = {"venue": venue.pk, "name": "main", "save": "1", "csrfmiddlewaretoken": "a" * 32}
    with site.client(headers={"Referer": f"{ORIGIN}/"}, cookies=cookies) as browser:
        answer = browser.post(
            "/admin/ticketing/seatplan/import/", data=fields, files={"file": ("plan.csv", CSV)}
        )

    plan = SeatPlan.objects.get()
    assert answer.headers["location"] == f"/admin/ticketing/seatplan/{plan.pk}/change/"


def test_what_is_far_too_big_is_refused_by_nginx(site):
    with site.client() as browser:
        answer = browser.post("/admin/ticketing/seatplan/import/", content=bytes(12 * 1024**2))

    assert (answer.status_code, answer.headers["server"].partition("/")[0]) == (413, "nginx")
