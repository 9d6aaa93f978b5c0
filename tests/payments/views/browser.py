"""Pages as people read them, and the forms on them as people send them."""

import html
import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from tests.waiting_queue.api.conftest import logged_in

BROWSER = {"accept": "text/html", "accept-language": "en", "host": "localhost"}
FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


class Browser:
    """Somebody's, logged in; remembers the page it is on."""

    def __init__(self, person: Any = None) -> None:
        self.client = Client(headers=BROWSER)
        self.page = ""
        self.response: Any = None
        if person:
            self.client.cookies["sessionid"] = logged_in(person)

    def open(self, address: str) -> str:
        return self._follow(self.client.get(address))

    def send(self, address: str, **fields: Any) -> str:
        """The hidden fields of the page it is on, and these."""
        return self._follow(self.client.post(address, self.fields(address) | fields))

    def post(self, address: str, **fields: Any) -> HttpResponse:
        return self.client.post(address, fields)

    def fields(self, address: str) -> dict[str, str]:
        form = re.search(rf'<form[^>]*action="{address}".*?</form>', self.page)
        return dict(FIELD.findall(form.group() if form else self.page))

    def pay_in_the_window(self, behaviour: Behaviour | None = None, **more: Any) -> str:
        """At the sandbox's page, to which it was led; back to the shop with its answer."""
        number = self.address.split("/")[4].partition("?")[0]
        answer = testing.pay(number, behaviour, **more)
        return self._follow(self.client.get(f"/payments/{number}/return/", answer))

    @property
    def address(self) -> str:
        return self.response.request["PATH_INFO"]

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def heading(self) -> str:
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.page)
        return re.sub(r"\s+", " ", found.group(1)).strip() if found else ""

    def _follow(self, response: Any) -> str:
        while response.status_code in (302, 303):
            response = self.client.get(response.headers["Location"])
        self.response = response
        text = html.unescape(response.content.decode())
        self.page = re.sub(r"\s+", " ", text)
        return self.page


def pay(buyer: Any) -> str:
    return f"/orders/{buyer.code}/pay/"


def begin(me: Browser, buyer: Any, **fields: Any) -> str:
    """Read the checkout, tick the box, press the button."""
    me.open(pay(buyer))
    return me.send(pay(buyer), **{"agreed": "1"} | fields)
