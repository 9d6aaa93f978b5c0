"""Updates the catalogues in locale/ from the texts in code and templates.

Django's makemessages needs GNU gettext; this needs only Babel.
"""

import io
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation.template import templatize

SOURCES = ("ticketing", "waiting_queue", "reservations", "payments", "templates")
KEYWORDS: dict[str, Any] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}


# A fixed date, so that the files change only with their texts.
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)


class Command(BaseCommand):
    help = "Collect the texts to translate into locale/ and compile the catalogues."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Only report missing translations."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        texts = texts_in_use()
        missing = 0
        for language, _name in settings.LANGUAGES:
            catalogue = updated(language, texts)
            missing_texts = untranslated(catalogue)
            missing += len(missing_texts)
            for message in missing_texts:
                self.stderr.write(f"{language}: no translation of {message.id!r}")
            if not options["check"]:
                write(language, catalogue)
            self.stdout.write(
                f"{language}: {len(catalogue)} messages, {len(missing_texts)} untranslated"
            )
        if missing:
            raise CommandError(f"{missing} translations are missing in locale/.")


def texts_in_use() -> Catalog:
    """Every message of the project's own code and templates."""
    texts = Catalog(project="ticketing", charset="utf-8")
    for path in source_files():
        name = path.relative_to(settings.BASE_DIR).as_posix()
        for _line, message, comments, context in extract(
            "python", readable(path), KEYWORDS, comment_tags=("Translators:",)
        ):
            texts.add(message, locations=[(name, 0)], auto_comments=comments, context=context)
    return texts


def source_files() -> Iterator[Path]:
    for folder in SOURCES:
        for path in sorted((settings.BASE_DIR / folder).rglob("*")):
            if path.suffix in {".py", ".html", ".txt", ".svg"} and "migrations" not in path.parts:
                yield path


def readable(path: Path) -> io.BytesIO:
    """The file as Python source for the extractor; templates are converted."""
    text = path.read_text()
    if path.suffix != ".py":
        text = re.sub(r"\n\s*", "\n", templatize(text, origin=str(path)))
    return io.BytesIO(text.encode())


def updated(language: str, texts: Catalog) -> Catalog:
    """The existing catalogue without unused texts and with new ones."""
    catalogue = read_catalogue(language)
    catalogue.update(texts, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.creation_date = catalogue.revision_date = NO_DATE
    if language == "en":  # the texts in code are English
        for message in catalogue:
            message.string = message.id
    return catalogue


def untranslated(catalogue: Catalog) -> list[Message]:
    def complete(message: Message) -> bool:
        strings = message.string if isinstance(message.string, (tuple, list)) else [message.string]
        return all(strings) and not message.fuzzy

    return [message for message in catalogue if message.id and not complete(message)]


def read_catalogue(language: str) -> Catalog:
    path = folder_of(language) / "django.po"
    if not path.exists():
        return Catalog(locale=language, project="ticketing", charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def write(language: str, catalogue: Catalog) -> None:
    folder = folder_of(language)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "django.po").open("wb") as file:
        write_po(file, catalogue, sort_by_file=True, include_lineno=False, width=99)
    with (folder / "django.mo").open("wb") as file:
        write_mo(file, catalogue)


def folder_of(language: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES"
