from datetime import datetime, timedelta

import pytest
from django.test import Client

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import logged_in
from ticketing.accounts import rate_limits, services
from ticketing.accounts.errors import TooManyTokens
from ticketing.accounts.models import ApiToken, User

ME, TOKENS = "/api/v1/me/", "/api/v1/tokens/"


@pytest.fixture
def program() -> Client:
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def token(ann: User, now: datetime) -> ApiToken:
    return services.create_token(user=ann, name="script", now=now)[0]


@pytest.fixture
def secret(ann: User, now: datetime) -> str:
    return services.create_token(user=ann, name="script", now=now)[1]


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def ask_for_token(client: Client, **more: str):
    sent = {"email": "Ann@example.com", "password": PASSWORD, "name": "script"} | more
    return client.post(TOKENS, sent, content_type="application/json")


def test_a_token_lives_and_is_revoked(ann: User, program: Client):
    made = ask_for_token(program)
    with_it = {"headers": bearer(made.json()["secret"])}
    assert made.status_code == 201
    assert made["Cache-Control"] == "no-store"

    assert program.get(ME, **with_it).json() == {
        "id": ann.pk,
        "display_name": "Ann",
        "is_staff": False,
    }
    listed = program.get(TOKENS, **with_it).json()["results"]
    assert [(row["id"], row["name"]) for row in listed] == [(made.json()["id"], "script")]
    assert "secret" not in listed[0]

    assert program.delete(f"{TOKENS}{listed[0]['id']}/", **with_it).status_code == 204
    assert program.get(ME, **with_it).json()["code"] == "bad_token"


def test_the_secret_is_nowhere_in_the_database(ann: User, secret: str):
    row = ApiToken.objects.values().get()

    assert secret not in str(row)
    assert secret.startswith("tk_")


def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(ann: User, program: Client):
    wrong = ask_for_token(program, password="wrong")
    unknown = ask_for_token(program, email="nobody@example.com")

    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert wrong.json()["code"] == "wrong_password"
    assert "Bearer" in wrong["WWW-Authenticate"]


@pytest.mark.parametrize("missing", ["email", "password", "name"])
def test_what_is_missing_is_named(ann: User, program: Client, missing: str):
    answer = ask_for_token(program, **{missing: ""})

    assert answer.status_code == 400
    assert list(answer.json()["details"]["fields"]) == [missing]


@pytest.mark.parametrize(
    "sent", ["", "Bearer", "Bearer ", "Bearer tk_wrong", "bearer é\x00", "Bearer a b"]
)
def test_without_a_good_token_there_is_a_401(db: None, program: Client, sent: str):
    answer = program.get(ME, headers={"authorization": sent})

    assert answer.status_code == 401
    assert answer.json()["code"] == ("bad_token" if sent else "not_logged_in")
    assert answer["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "change",
    [
        {"expires_at": datetime(2020, 1, 1).astimezone()},
        {"revoked_at": datetime(2020, 1, 1).astimezone()},
    ],
)
def test_an_ended_token_is_refused(secret: str, program: Client, change: dict):
    ApiToken.objects.update(**change)

    assert program.get(ME, headers=bearer(secret)).status_code == 401


def test_the_token_of_someone_switched_off_is_refused(ann: User, secret: str, program: Client):
    services.deactivate(user=ann)

    assert program.get(ME, headers=bearer(secret)).json()["code"] == "bad_token"


def test_a_bad_token_is_refused_even_beside_a_good_session(anns_browser: Client):
    headers = {**bearer("tk_wrong"), "accept": "application/json"}

    assert anns_browser.get(ME, headers=headers).status_code == 401


def test_a_token_costs_one_query_and_its_use_is_noted_once_a_minute(
    secret: str, program: Client, now: datetime, django_assert_num_queries
):
    program.get(ME, headers=bearer(secret))
    noted = ApiToken.objects.get().last_used_at

    with django_assert_num_queries(1):
        program.get(ME, headers=bearer(secret))
    services.authenticate_token(secret=secret, now=noted + timedelta(seconds=59))
    assert ApiToken.objects.get().last_used_at == noted

    services.authenticate_token(secret=secret, now=noted + timedelta(seconds=60))
    assert ApiToken.objects.get().last_used_at == noted + timedelta(seconds=60)


def test_somebody_elses_token_is_not_there(ben: User, token: ApiToken):
    client = logged_in(ben)

    answer = client.delete(f"{TOKENS}{token.pk}/", headers={"accept": "application/json"})

    assert answer.status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_revoking_twice_keeps_the_first_time(token: ApiToken, now: datetime):
    services.revoke_token(token=token, now=now)
    services.revoke_token(token=token, now=now + timedelta(hours=1))

    token.refresh_from_db()
    assert token.revoked_at == now


def test_one_person_has_only_so_many_tokens(ann: User, now: datetime):
    for n in range(rate_limits.LIVE_TOKENS):
        token, _ = services.create_token(user=ann, name=f"script {n}", now=now)

    with pytest.raises(TooManyTokens) as refusal:
        services.create_token(user=ann, name="one more", now=now)
    assert str(rate_limits.LIVE_TOKENS) in str(refusal.value)

    services.revoke_token(token=token, now=now)
    assert services.create_token(user=ann, name="one more", now=now)


def test_tokens_are_not_made_without_end(ann: User, program: Client):
    answers = [
        ask_for_token(program).status_code for _ in range(rate_limits.CREATE_TOKEN.limit + 1)
    ]

    assert answers == [201] * rate_limits.CREATE_TOKEN.limit + [429]


# -- sessions --------------------------------------------------------------------------------------


def test_with_a_session_who_i_am_costs_no_sql(ann: User, django_assert_num_queries):
    client = logged_in(ann)

    with django_assert_num_queries(0):
        answer = client.get(ME, headers={"accept": "application/json"})

    assert answer.json()["id"] == ann.pk


def test_a_session_needs_its_csrf_token_to_change_anything(ann: User, token: ApiToken):
    client = logged_in(ann, enforce_csrf_checks=True)
    address = f"{TOKENS}{token.pk}/"

    forged = client.delete(address, headers={"accept": "application/json"})
    assert forged.status_code == 403
    assert set(forged.json()) == {"code", "message", "details"}
    assert forged.json()["code"] == "stale_form"

    client.get("/accounts/")
    csrf = client.cookies["csrftoken"].value
    honest = client.delete(address, headers={"accept": "application/json", "x-csrftoken": csrf})
    assert honest.status_code == 204


@pytest.mark.parametrize("address", [ME, TOKENS, f"{TOKENS}1/"])
def test_strangers_get_a_401_with_a_challenge(db: None, program: Client, address: str):
    answer = program.get(address) if address != f"{TOKENS}1/" else program.delete(address)

    assert answer.status_code == 401
    assert answer.json()["code"] == "not_logged_in"
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_the_document_knows_both_ways_in_and_the_errors(db: None):
    from drf_spectacular.generators import SchemaGenerator

    document = SchemaGenerator(patterns=None).get_schema(request=None, public=True)

    schemes = document["components"]["securitySchemes"]
    made = document["paths"][TOKENS]["post"]
    assert schemes["token"]["scheme"] == "bearer"
    assert schemes["session"]["in"] == "cookie"
    assert {"201", "400", "401", "409", "429"} <= set(made["responses"])
