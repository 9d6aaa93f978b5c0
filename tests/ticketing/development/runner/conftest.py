import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ticketing.development.runner.site import Site


def a_site(var: Path) -> Iterator[Site]:
    site = Site(var)
    yield site
    if hasattr(site, "process") and site.process.poll() is None:
        site.stop(signal.SIGTERM)
    site.delete_files()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One running site that the tests of a module share.

    If the tests run as root, PostgreSQL's user cannot enter this private folder, so that the data
    lies elsewhere; tests/servers.py covers a reachable one.
    """
    for site in a_site(tmp_path_factory.mktemp("site") / "var"):
        yield site.start().wait_until_ready()


@pytest.fixture
def unstarted_site(tmp_path: Path) -> Iterator[Site]:
    yield from a_site(tmp_path / "var")
