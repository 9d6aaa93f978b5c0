"""Every setting and every live knob is documented, with its default and its sentence."""

from pathlib import Path

import pytest
from django.conf import settings
from django.db.models import NOT_PROVIDED
from django.utils import translation

from ticketing.core.knobs import Environment
from ticketing.settings.environment import env
from waiting_queue.models import KNOBS, SaleQueue

DOC = (Path(settings.BASE_DIR) / "docs" / "knobs.md").read_text()


@pytest.mark.parametrize("knob", env.knobs.values(), ids=lambda knob: knob.name)
def test_the_docs_name_every_knob_and_say_its_sentence(knob):
    assert f"`{knob.name}`" in DOC
    assert knob.sentence in DOC


def test_the_docs_name_no_knob_that_does_not_exist():
    named = {line.split("`")[1] for line in DOC.splitlines() if line.startswith("| `")}

    assert named == set(env.knobs) | set(KNOBS)


@pytest.mark.parametrize("name", KNOBS)
def test_the_docs_name_every_live_knob_with_its_default_and_sentence(name):
    field = SaleQueue._meta.get_field(name)
    with translation.override("en"):
        sentence = str(field.help_text)
    unset = "none" if field.null else "the sale's"
    words = {"None": "off", "True": "on", str(NOT_PROVIDED): unset}
    default = words.get(str(field.default), f"`{field.default}`")

    assert f"| `{name}` | {default} | {sentence} |" in DOC


def test_a_value_that_can_not_be_read_says_which(monkeypatch):
    monkeypatch.setenv("WEB_THREADS", "many")

    with pytest.raises(Exception, match="WEB_THREADS='many' can't be read"):
        Environment().number("WEB_THREADS", 8, "Pages at a time.")
