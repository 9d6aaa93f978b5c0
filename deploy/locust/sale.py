"""A whole sale with Locust (https://locust.io): people join, wait, choose seats and pay.

    pip install locust
    OPERATOR_EMAIL=… OPERATOR_PASSWORD=… \
        locust -f deploy/locust/sale.py --headless -u 200 -r 20 -t 3m --host https://test.example.com

For a test site with the payment sandbox (`make run` is one; its log-ins are printed). EVENT is the
number of the event to copy, by default the next sale. The copy, its people and their orders are
deleted at the end (docs/rehearsal.md). One Locust process; nothing here is imported from the site.
"""

import os
import re
import time
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit
from uuid import uuid4

import requests
from locust import HttpUser, constant, events, task

API = "/api/v1"
PEOPLE_PER_CALL = 500
FINAL = {"SUCCEEDED", "FAILED", "CANCELLED", "REFUNDED"}
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Sale:
    """The copy of an event that is sold, and the people who come to it."""

    def __init__(self, host: str, fans: int) -> None:
        self.host, self.operator = host.rstrip("/"), requests.Session()
        self.operator.headers["Authorization"] = f"Bearer {self._token()}"
        knobs = {"max_inside": 500, "admit_per_second": 20}
        wanted = {"event": _number("EVENT"), "fans": fans, "minutes": 10, "knobs": knobs}
        setting = self.call("POST", "", wanted)
        self.code, self.event, self.cookie = setting["code"], setting["event"], setting["cookie"]
        self.fans, self.finished = fans, 0
        self.people: list[dict[str, Any]] = []
        for first in range(0, fans, PEOPLE_PER_CALL):
            some = {"first": first, "count": min(PEOPLE_PER_CALL, fans - first)}
            self.people += self.call("POST", f"{self.code}/people/", some)["people"]
        shown = requests.get(f"{self.host}{API}/events/{self.event}/", timeout=30).json()
        self.grades = [grade["code"] for grade in shown["grades"]]
        self.call("POST", f"{self.code}/moves/", {"move": "open"})

    def _token(self) -> str:
        if token := os.environ.get("OPERATOR_TOKEN"):
            return token
        sent = {
            "email": os.environ["OPERATOR_EMAIL"],
            "password": os.environ["OPERATOR_PASSWORD"],
            "name": "locust",
            "scopes": ["read", "operate"],
            "days": 1,
        }
        answer = requests.post(f"{self.host}{API}/tokens/", json=sent, timeout=30)
        answer.raise_for_status()
        return str(answer.json()["secret"])

    def call(self, method: str, path: str, body: Any = None) -> Any:
        url = f"{self.host}{API}/rehearsals/{path}"
        answer = self.operator.request(method, url, json=body, timeout=120)
        if not answer.ok:
            raise RuntimeError(f"{method} {url}: {answer.status_code} {answer.text}")
        return answer.json()


def _number(name: str) -> int | None:
    return int(os.environ[name]) if os.environ.get(name) else None


sale: Sale | None = None


@events.test_start.add_listener
def begin(environment: Any, **_: Any) -> None:
    global sale
    sale = Sale(environment.host, environment.parsed_options.num_users or 100)


@events.test_stop.add_listener
def end(environment: Any, **_: Any) -> None:
    if sale:
        sold = sale.call("GET", f"{sale.code}/snapshot/")["seats"]
        print(f"Sold seats: {sold['sold']}; held {sold['held']}, paying {sold['paying']}.")  # noqa: T201
        sale.call("POST", f"{sale.code}/moves/", {"move": "close"})
        sale.call("DELETE", f"{sale.code}/")


class Buyer(HttpUser):
    """Buys two tickets, once."""

    wait_time = constant(1)

    def on_start(self) -> None:
        assert sale  # noqa: S101
        self.sale, person = sale, sale.people.pop()
        self.client.cookies.set(sale.cookie, person["session"])
        self.client.headers.update({"Origin": sale.host, "Accept-Language": "en"})
        self.queue = f"{API}/events/{sale.event}/queue/"

    @task
    def buy(self) -> None:
        began = time.monotonic()
        if self.wait_in_line() and (held := self.hold()) and self.pay(held) == "SUCCEEDED":
            took = 1000 * (time.monotonic() - began)
            self.environment.events.request.fire(
                request_type="SALE",
                name="from joining to tickets",
                response_time=took,
                response_length=0,
                exception=None,
                context={},
            )
        self.sale.finished += 1
        if self.sale.finished == self.sale.fans:
            self.environment.runner.quit()
        time.sleep(3600)  # whoever stops is replaced by another

    def wait_in_line(self) -> bool:
        """Whether this person came in."""
        standing = self.client.post(self.queue, name="join").json()
        while standing["state"] in ("LOBBY", "WAITING"):
            time.sleep(standing["next_poll_ms"] / 1000)
            standing = self.client.get(self.queue, name="poll").json()
        if standing["state"] == "READY":
            standing = self.client.post(f"{self.queue}claim/", name="claim").json()
        return bool(standing["state"] == "ADMITTED")

    def hold(self) -> dict[str, Any] | None:
        """The best two seats of the first grade that has two side by side."""
        path = f"{API}/events/{self.sale.event}/reservations/"
        for grade in self.sale.grades:
            body = {"best": {"grade": grade, "quantity": 2}}
            with self.client.post(path, json=body, name="hold", catch_response=True) as answer:
                if answer.status_code == 409:
                    answer.success()  # a refusal is an answer: sold out, or not side by side
                elif answer.ok:
                    return dict(answer.json())
        return None

    def pay(self, held: dict[str, Any]) -> str:
        body = {
            "reservation": held["code"],
            "token": held["payment_token"],
            "payment_key": str(uuid4()),
        }
        number = self.client.post(f"{API}/payments/", json=body, name="pay").json()["number"]
        agreed = self.agree(f"/payments/{number}/window/")
        path = f"{API}/payments/{number}/"
        state = self.client.post(f"{path}confirm/", json=agreed, name="confirm").json()
        while state["state"] not in FINAL:
            time.sleep((state.get("next_poll_ms") or 1000) / 1000)
            state = self.client.get(path, name="payment").json()
        return str(state["state"])

    def agree(self, window: str) -> dict[str, str]:
        """Choose a card that works in the sandbox's window."""
        away = {"allow_redirects": False}
        opened = self.client.get(window, name="window", **away).headers["Location"]
        address = urljoin(self.sale.host, opened)
        page = self.client.get(address, name="window")
        found = CSRF.search(page.text)
        form = {
            "csrfmiddlewaretoken": found[1] if found else "",
            "behaviour": "succeed",
            "seconds": "0",
        }
        headers = {"Referer": self.sale.host}
        done = self.client.post(address, data=form, headers=headers, name="window", **away)
        params = dict(parse_qsl(urlsplit(done.headers["Location"]).query))
        return {"payment_token": params["paymentToken"], "transaction_id": params["txId"]}
