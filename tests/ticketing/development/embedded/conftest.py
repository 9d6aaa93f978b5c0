import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ticketing.development.embedded.site import Site


def a_site(var: Path, **environment: str) -> Iterator[Site]:
    site = Site(var, **environment)
    yield site
    if hasattr(site, "process") and site.process.poll() is None:
        site.stop(signal.SIGTERM)
    site.forget()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """One run that the tests of a module share."""
    var = Path(tempfile.mkdtemp(prefix="ticketing-up-"))
    var.chmod(0o755)
    for site in a_site(var):
        yield site.start().wait_until_ready()


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Site]:
    """Not started yet. As root this folder can't be reached by PostgreSQL's user."""
    yield from a_site(tmp_path / "var")
