import pytest

from ticketing.core.site_address import check_site_url, public_url, site_url


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
    ],
)
def test_in_development_it_is_where_we_listen(host, address):
    assert site_url(host, 8000) == address


@pytest.mark.parametrize(
    ("hosts", "address"),
    [
        (["tickets.example.com", "www.example.com"], "https://tickets.example.com"),
        ([".example.com"], "https://example.com"),
        (["*"], ""),
        ([], ""),
    ],
)
def test_elsewhere_it_is_the_first_name_that_the_site_answers_to(hosts, address):
    assert public_url(hosts) == address


@pytest.mark.parametrize("address", ["", "tickets.example.com", "ftp://x", "https://", "/x"])
def test_an_address_that_leads_nowhere_is_found(settings, address):
    settings.SITE_URL = address

    assert [error.id for error in check_site_url()] == ["ticketing.E001"]


def test_control_a_good_address_passes(settings):
    settings.SITE_URL = "https://tickets.example.com"

    assert check_site_url() == []
