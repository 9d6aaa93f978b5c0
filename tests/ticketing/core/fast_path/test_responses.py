"""Refusals of the fast path: in the language of the reader, whoever was refused before."""

import pytest

from ticketing.core import errors
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import error_response


def message(error: errors.DomainError, language: str) -> str:
    request = ApiRequest("GET", "/", "http", "", {"accept-language": language}, {})
    text: str = error_response(request, error).content["message"]
    return text


def test_each_reader_has_their_language():
    told = [message(errors.NotLoggedIn(), language) for language in ("en", "ko", "en", "ko")]

    assert told[:2] == told[2:]
    assert told[0] == "Please log in first."
    assert told[1] != told[0]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_message_with_details_names_those_of_this_refusal(language):
    for state in ("open", "closed"):
        assert f"“{state}”" in message(errors.IllegalMove(before="new", after=state), language)
