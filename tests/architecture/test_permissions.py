"""Who may call what: every address, API call, socket and admin action is in a table, and is tried.

An address that is in no table fails. Pages of the console, controls in the admin and rehearsals
have tables of their own, with real objects (tests/ticketing/console, tests/ticketing/rehearsal).
"""

import re
from urllib.parse import urlsplit

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser, Group
from django.test import Client, RequestFactory
from django.urls import resolve

from tests.architecture.addresses import Address, all_addresses
from tests.making import make_user
from tests.ticketing.console import test_permissions as console_table
from tests.ticketing.console import test_permissions_elsewhere as control_table
from tests.ticketing.rehearsal import test_permissions as rehearsal_table
from ticketing import asgi, routing
from ticketing.console.services.roles import ROLES
from ticketing.events.models import Event
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db

STAFF = frozenset({*ROLES, "nothing"})
PEOPLE = STAFF | {"fan"}
EVERYONE = PEOPLE | {"anonymous"}
WATCHERS = frozenset({"viewer", "operator", "manager", "finance"})
DOOR = frozenset({"manager", "door"})
MANAGERS = frozenset({"manager"})
NOBODY: frozenset[str] = frozenset()

PAGES = {
    **dict.fromkeys(
        (
            *("ticketing:home", "ticketing:event", "ticketing:poster", "ticketing:media"),
            *("ticketing:sitemap", "ticketing:robots"),
            *("queue:line", "queue:colours", "queue:draw", "queue:draw_file"),
            *("reservations:seats", "reservations:section", "reservations:ticket_keys"),
            *("reservations:door_worker", "reservations:tickets_worker", "reservations:standby"),
            *("payments:portone_webhook", "set_language"),
            *("accounts:sign_up", "accounts:sign_up_sent", "accounts:sign_up_finish"),
            *("accounts:log_in", "accounts:device", "accounts:log_out", "accounts:password_reset"),
            *("accounts:passkey_use", "accounts:passkey_use_options"),
            *("accounts:password_reset_done", "accounts:password_reset_confirm"),
            *("accounts:password_reset_complete", "admin:login", "admin:logout"),
            *("mailbox:mails", "mailbox:mail", "mailbox:html", "mailbox:attachment"),
            *(
                "sandbox:checkout",
                "sandbox:identity",
                "healthz",
                "readyz",
                ".well-known/security.txt",
            ),
            *("api:index", "api:schema", "api:docs", "accounts:developers"),
            *("privacy:document", "privacy:version", "privacy:deleted"),
        ),
        EVERYONE,
    ),
    **dict.fromkeys(
        (
            *("queue:claim", "queue:leave", "queue:appeal", "queue:party", "queue:join_party"),
            *("reservations:basket", "reservations:take_over"),
            *("reservations:hold_seats", "reservations:hold_best", "reservations:hold_places"),
            *("reservations:leave", "reservations:give_back", "reservations:join_standby"),
            *("reservations:leave_standby", "reservations:tickets", "reservations:order_tickets"),
            *("reservations:accept_offer", "reservations:decline_offer", "reservations:order_pdf"),
            *("reservations:ticket", "reservations:ticket_qr", "reservations:ticket_pdf"),
            *("reservations:ticket_calendar", "reservations:rename_ticket"),
            *("reservations:reissue_ticket", "reservations:offer_ticket"),
            *("reservations:withdraw_offer", "payments:result", "payments:window"),
            *("payments:returned", "payments:abort", "payments:orders", "payments:order"),
            *("payments:verify", "payments:verified"),
            *("payments:checkout", "payments:cancel", "payments:receipt", "accounts:profile"),
            *("accounts:log_out_everywhere", "accounts:password_change", "accounts:token_create"),
            *("accounts:token_revoke", "accounts:address", "accounts:confirm_send"),
            *("accounts:confirm", "accounts:identity", "accounts:session_end"),
            *("accounts:passkeys", "accounts:passkey_options", "accounts:passkey_remove"),
            *("accounts:consents", "privacy:exports", "privacy:export_file", "privacy:delete"),
        ),
        PEOPLE,
    ),
    **dict.fromkeys(("reservations:doors", "reservations:door", "reservations:check_in"), DOOR),
    "setup:start": MANAGERS,
    "setup:checklist": WATCHERS,
    "setup:without_line": MANAGERS,
    "setup:duplicate": MANAGERS,
    **dict.fromkeys(("reservations:undo_check_in", "reservations:call_numbers"), DOOR),
    **dict.fromkeys(
        (
            *("admin:index", "admin:password_change", "admin:password_change_done", "admin:jsi18n"),
            *("admin:view_on_site", "admin:app_list"),
            *("console:second_factor", "console:set_up", "console:qr"),
        ),
        STAFF,
    ),
}
# Of an API call: the methods, and who may.
CALLS = {
    "api:events": {"GET": EVERYONE},
    "api:event": {"GET": EVERYONE},
    "api:seats": {"GET": EVERYONE},
    "api_me": {"GET": PEOPLE},
    "api_documents": {"GET": EVERYONE},
    "api_tokens": {"GET": PEOPLE, "POST": EVERYONE},
    "api_token": {"DELETE": PEOPLE},
    "queue_api:queue": dict.fromkeys(("GET", "POST", "DELETE"), PEOPLE),
    "queue_api:token": {"POST": PEOPLE},
    "queue_api:claim": {"POST": PEOPLE},
    "queue_api:appeal": dict.fromkeys(("GET", "POST"), PEOPLE),
    "queue_api:party": dict.fromkeys(("GET", "POST"), PEOPLE),
    "queue_api:join_party": {"POST": PEOPLE},
    "queue_api:outlook": {"GET": EVERYONE},
    "queue_api:lanes": {"GET": EVERYONE},
    "queue_api:join_lane": {"POST": PEOPLE},
    "reservations_api:reservations": dict.fromkeys(("GET", "POST", "DELETE"), PEOPLE),
    "reservations_api:reserve": {"POST": PEOPLE},
    "reservations_api:take_over": {"POST": PEOPLE},
    "reservations_api:reservation": dict.fromkeys(("GET", "DELETE"), PEOPLE),
    "reservations_api:hold_request": {"GET": PEOPLE},
    "reservations_api:standby": dict.fromkeys(("GET", "POST", "DELETE"), PEOPLE),
    "reservations_api:check_ins": {"POST": DOOR},
    "reservations_api:undo_check_in": {"POST": DOOR},
    "reservations_api:door_counts": {"GET": DOOR},
    "payments_api:payments": {"POST": PEOPLE},
    "payments_api:payment": {"GET": PEOPLE},
    "payments_api:confirm": {"POST": PEOPLE},
    "payments_api:cancel": dict.fromkeys(("GET", "POST"), PEOPLE),
    **{
        f"rehearsal_api:{name}": {method.upper(): MANAGERS for method, _ in calls}
        for name, calls in rehearsal_table.CALLS.items()
    },
}
SOCKETS = {
    r"^ws/events/(?P<event_id>[0-9]{1,18})/queue/$": PEOPLE,
    r"^ws/events/(?P<event_id>[0-9]{1,18})/seats/$": EVERYONE,
    r"^ws/payments/(?P<number>[-a-zA-Z0-9_]{1,40})/$": PEOPLE,
    "ws/console/": WATCHERS,
    r"^ws/console/(?P<event_id>[0-9]{1,18})/$": WATCHERS,
    "": NOBODY,
}
STREAMS = {"/events/987654/queue/stream"}
ACTIONS = {
    ("accounts.User", "send_reset_link"): MANAGERS,
    ("accounts.User", "log_out_everywhere"): MANAGERS,
    ("accounts.User", "deactivate"): MANAGERS,
    ("accounts.ApiToken", "revoke"): NOBODY,
    ("accounts.User", "delete_selected"): NOBODY,
    ("auth.Group", "delete_selected"): NOBODY,
    ("otp_totp.TOTPDevice", "delete_selected"): NOBODY,
    ("payments.RefundPolicy", "delete_selected"): NOBODY,
}
# What a superuser alone may: no role has any permission for these models.
SUPERUSERS_ONLY = {"auth.Group", "accounts.ApiToken", "otp_totp.TOTPDevice"}
GENERIC = re.compile(
    r"admin:\w+_(?:changelist|add|history|delete|change)$|admin/(?:\w+/\w+/987654/(?:history/)?|nothing)$"
)
ALL_ROLES = sorted(EVERYONE)


def tabled_elsewhere() -> set[str]:
    console = {f"console:{name}" for _, name, *_ in console_table.REQUESTS.values()}
    controls = {name for _, name, *_ in control_table.REQUESTS.values()}
    rehearsals = {f"admin:rehearsal_rehearsal_{name}" for name in rehearsal_table.PAGES}
    return console | controls | rehearsals | NEEDS_REAL_OBJECTS.keys()


# Controls whose permission is asked after their object was found: named with their test.
NEEDS_REAL_OBJECTS = {
    "admin:autocomplete": "Django's own: the permission of the model that is searched",
    "admin:reservations_ticket_undo": "tests/reservations/tickets",
    "admin:queue_salequeue_person": "tests/waiting_queue/admin",
    "admin:queue_waitingpage_theme": "tests/waiting_queue/admin",
    "admin:ticketing_seatplan_import": "tests/ticketing/events/admin",
    "admin:ticketing_seatplan_generate": "tests/ticketing/events/admin",
    "admin:ticketing_seatplan_picture": "tests/ticketing/events/admin",
    "admin:ticketing_seatplan_edit": "tests/ticketing/events/admin",
    "admin:ticketing_seatplan_json": "tests/ticketing/events/admin",
    "admin:otp_totp_totpdevice_config": "tests/ticketing/console/test_second_factor.py",
    "admin:otp_totp_totpdevice_qrcode": "tests/ticketing/console/test_second_factor.py",
}


def person(role):
    if role == "anonymous":
        return AnonymousUser()
    user = make_user(password=None, is_staff=role != "fan")
    user.groups.set(Group.objects.filter(name=role))
    return user


@pytest.fixture(scope="module")
def addresses() -> dict[str, Address]:
    return {address.name: address for address in all_addresses()}


def is_refused(answer) -> bool:
    """By status, or by a redirect to a log-in."""
    to = answer.headers.get("Location", "")
    return answer.status_code in (401, 403) or "/log-in/" in to or "/login/" in to


def leads_to_everyone(answer) -> bool:
    """As a form's address does that was opened by hand: to a page that has no secrets."""
    if answer.status_code != 303:
        return False
    return PAGES.get(resolve(urlsplit(answer.headers["Location"]).path).view_name) == EVERYONE


@pytest.fixture
def sale(event, now) -> Event:
    """With seats, and a line that is open."""
    SaleQueue.objects.create(event=event, opens_at=now, state=SaleQueue.State.OPEN)
    return event


# -- nothing is missing ---------------------------------------------------------------------------


def test_every_address_is_in_a_table(addresses):
    known = PAGES.keys() | CALLS.keys() | tabled_elsewhere()

    assert {name for name in addresses if name not in known and not GENERIC.match(name)} == set()


def test_no_table_names_an_address_that_is_gone(addresses):
    assert (PAGES.keys() | CALLS.keys() | tabled_elsewhere()) - addresses.keys() == set()


def test_every_method_of_every_call_is_in_the_table(addresses):
    offered = {name: set(addresses[name].methods) for name in CALLS}

    assert offered == {name: set(methods) for name, methods in CALLS.items()}


def test_every_socket_is_in_the_table():
    assert {str(route.pattern) for route in routing.urlpatterns} == set(SOCKETS)


def test_every_call_in_the_event_loop_is_one_of_the_addresses(addresses):
    """They are made from the same declarations; streams have no view."""
    paths = {address.url for address in addresses.values()} | STREAMS
    unknown = []
    for route in asgi.site.routes:
        _, _, pattern = route.pattern.pattern.rpartition(" ")
        if not any(re.fullmatch(pattern, path) for path in paths):
            unknown.append(pattern)

    assert unknown == []


def test_every_action_in_the_admin_is_in_the_table(operator):
    request = RequestFactory().get("/")
    request.user = operator
    offered = {
        (model._meta.label, name)
        for model, page in admin.site._registry.items()
        for name in page.get_actions(request)
    }

    assert offered == ACTIONS.keys()


# -- and what the tables say is so ----------------------------------------------------------------


@pytest.mark.parametrize("role", ALL_ROLES)
def test_pages_are_for_those_of_the_table(role, addresses, sale):
    """Whoever may not is refused, by GET and by POST; a GET may lead to a page for everyone.

    With a sale that runs and forms that are filled in: what is unknown, not announced or invalid
    is said to everybody, before anyone is asked who they are (test_drafts.py).
    """
    client = Client(headers={"accept": "text/html", "origin": "http://testserver"})
    if role != "anonymous":
        client.force_login(person(role))
    wrong = {}
    for name, who in PAGES.items():
        if name in SIGNS_OUT:
            continue
        url = addresses[name].url.replace("/events/987654/", f"/events/{sale.pk}/")
        shown, sent = client.get(url), client.post(url, FORMS.get(name))
        refused = [is_refused(answer) for answer in (shown, sent)]
        nothing = [answer.status_code == 405 for answer in (shown, sent)]
        nothing[0] |= leads_to_everyone(shown)
        is_kept_out = any(refused) and all(map(max, refused, nothing))
        if is_kept_out is (role in who):
            wrong[name] = [shown.status_code, sent.status_code]

    assert wrong == {}


# What a form needs before it is asked who sends it.
FORMS = {
    "reservations:hold_seats": {"seat": "1"},
    "reservations:hold_best": {"grade": "R", "quantity": "1"},
    "reservations:hold_places": {"section": "A", "quantity": "1"},
    "reservations:join_standby": {"quantity": "1"},
    "reservations:rename_ticket": {"name": "Ann"},
    "reservations:offer_ticket": {"email": "ann@example.com"},
}
SIGNS_OUT = {"accounts:log_out", "accounts:log_out_everywhere", "admin:logout"}


@pytest.mark.parametrize("role", ALL_ROLES)
def test_calls_are_for_those_of_the_table(role, addresses):
    client = Client(headers={"origin": "http://testserver"})
    if role != "anonymous":
        client.force_login(person(role))
    wrong = {}
    for name, methods in CALLS.items():
        for method, who in methods.items():
            answer = client.generic(
                method, addresses[name].url, "{}", content_type="application/json"
            )
            if is_refused(answer) is (role in who):
                wrong[name, method] = answer.status_code

    assert wrong == {}


@pytest.mark.parametrize("role", ALL_ROLES)
def test_models_in_the_admin_are_for_those_with_their_permission(role):
    """The permission of each generic page is Django's own; no role has one that it should not."""
    request = RequestFactory().get("/")
    request.user = person(role)
    granted = ROLES.get(role, frozenset())
    for model, page in admin.site._registry.items():
        names = {
            kind: f"{model._meta.app_label}.{kind}_{model._meta.model_name}"
            for kind in ("view", "add", "change", "delete")
        }
        for kind, name in names.items():
            may = getattr(page, f"has_{kind}_permission")(request)
            implied = kind == "view" and names["change"] in granted
            assert not may or name in granted or implied, (role, model._meta.label, kind)
        if model._meta.label in SUPERUSERS_ONLY:
            assert not page.has_module_permission(request) or not names.keys() & granted


@pytest.mark.parametrize("role", ALL_ROLES)
def test_actions_in_the_admin_are_for_those_of_the_table(role):
    request = RequestFactory().get("/")
    request.user = person(role)
    offered = {
        (model._meta.label, name)
        for model, page in admin.site._registry.items()
        if page.has_view_permission(request)
        for name in page.get_actions(request)
    }

    assert offered == {action for action, who in ACTIONS.items() if role in who}
