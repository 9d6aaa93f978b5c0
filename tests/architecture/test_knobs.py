"""Every deployment setting is documented, with its default and its sentence."""

from pathlib import Path

import pytest
from django.conf import settings

from ticketing import settings as site
from ticketing.core.knobs import Environment

DOC = (Path(settings.BASE_DIR) / "docs" / "knobs.md").read_text()


@pytest.mark.parametrize("knob", site.env.knobs.values(), ids=lambda knob: knob.name)
def test_the_docs_name_every_knob_and_say_its_sentence(knob):
    assert f"`{knob.name}`" in DOC
    assert knob.sentence in DOC


def test_the_docs_name_no_knob_that_does_not_exist():
    named = {line.split("`")[1] for line in DOC.splitlines() if line.startswith("| `")}

    assert named == set(site.env.knobs)


def test_a_value_that_can_not_be_read_says_which(monkeypatch):
    monkeypatch.setenv("WEB_THREADS", "many")

    with pytest.raises(Exception, match="WEB_THREADS='many' can't be read"):
        Environment().number("WEB_THREADS", 8, "Pages at a time.")
