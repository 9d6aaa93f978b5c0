import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ticketing.development.runner.site import Site


@contextmanager
def a_site(var: Path) -> Iterator[Site]:
    """Also one that did not get ready in time is stopped: it would go on beside other tests."""
    site = Site(var)
    try:
        yield site
    finally:
        if hasattr(site, "process") and site.process.poll() is None:
            site.stop(signal.SIGTERM)
        site.delete_files()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One running site that the tests of a module share.

    If the tests run as root, PostgreSQL's user cannot enter this private folder, so that the data
    lies elsewhere; tests/servers.py covers a reachable one.
    """
    with a_site(tmp_path_factory.mktemp("site") / "var") as site:
        yield site.start().wait_until_ready()


@pytest.fixture
def unstarted_site(tmp_path: Path) -> Iterator[Site]:
    with a_site(tmp_path / "var") as site:
        yield site
