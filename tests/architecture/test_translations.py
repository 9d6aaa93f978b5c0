"""Every word that a person sees is there in every language, whole and compiled."""

import io
import re
from copy import deepcopy
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from django.conf import settings
from django.core.management import CommandError, call_command

from ticketing.development.management.commands import messages

LANGUAGES = [language for language, _name in settings.LANGUAGES]
TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[a-z]|\{\w*\}|</?\w+[^>]*>")
TAG = re.compile(r"{%\s*(?:translate|trans|blocktranslate|blocktrans)\b")

Words = dict[tuple[object, ...], object]


def strings(value: object) -> list[str]:
    """A message is one string, or one for each plural form."""
    return [str(each) for each in value] if isinstance(value, (tuple, list)) else [str(value)]


def words_of(catalogue: Catalog) -> Words:
    return {
        (message.context, *strings(message.id)): strings(message.string)
        for message in catalogue
        if message.id
    }


def compiled(catalogue: Catalog) -> Words:
    file = io.BytesIO()
    write_mo(file, catalogue)
    file.seek(0)
    return words_of(read_mo(file))


@pytest.fixture(scope="module")
def texts_in_use() -> Catalog:
    return messages.texts_in_use()


def placeholders(words: str) -> set[str]:
    return set(PLACEHOLDER.findall(words))


def disagree(message: Message) -> bool:
    """Whether a translation says less, more or other things than the longest English form."""
    told = placeholders(strings(message.id)[-1])
    return any(placeholders(words) != told for words in strings(message.string))


@pytest.fixture
def already_extracted(monkeypatch, texts_in_use):
    """To read all code and templates takes seconds."""
    monkeypatch.setattr(messages, "texts_in_use", lambda: deepcopy(texts_in_use))


@pytest.mark.usefixtures("already_extracted")
def test_every_word_is_translated():
    assert call_command("messages", check=True) is None


@pytest.mark.usefixtures("already_extracted")
def test_a_missing_translation_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(settings, "LOCALE_PATHS", [tmp_path])

    with pytest.raises(CommandError, match="translations are missing"):
        call_command("messages", check=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_holds_the_words_in_use_and_no_others(language, texts_in_use):
    assert words_of(messages.read_catalogue(language)).keys() == words_of(texts_in_use).keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language):
    with (messages.folder_of(language) / "django.mo").open("rb") as file:
        committed = words_of(read_mo(file))

    assert committed == compiled(messages.read_catalogue(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_every_placeholder(language):
    assert [
        each.id for each in messages.read_catalogue(language) if each.id and disagree(each)
    ] == []


@pytest.mark.parametrize("wrong", ["%(name)s", "%(left)s %(total)s", "<b>%(left)s</b>", ""])
def test_a_lost_or_changed_placeholder_is_found(wrong):
    assert disagree(Message("%(left)s left", string=wrong))


def overlooked(path: Path) -> bool:
    """Whether a text of the template is hidden, as by a translator's note on the same line."""
    found = list(messages.extract("python", messages.readable(path), messages.KEYWORDS))
    return len(found) != len(TAG.findall(path.read_text()))


def test_no_text_of_a_template_is_overlooked():
    assert [str(path) for path in TEMPLATES if overlooked(path)] == []


def test_control_an_overlooked_text_is_found(tmp_path):
    hidden = tmp_path / "page.html"
    hidden.write_text('{% comment %}Translators: a note{% endcomment %}{% translate "Hidden" %}')

    assert overlooked(hidden)
