"""Race buyers for seats with every kind of lock, and without one."""

import signal
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import translation
from django.utils.translation import gettext as _
from psycopg import OperationalError
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo
from redis.exceptions import RedisError

from reservations.lab import labels, table
from reservations.lab.chart import race_chart
from reservations.lab.config import RaceConfig
from reservations.lab.png import png
from reservations.lab.race import ALL, CHOICES, chosen, race, race_servers
from reservations.lab.results import RaceResult
from reservations.lab.strategies import kept_promise
from reservations.lab.svg import svg
from ticketing.core.errors import DomainError

INTERRUPTED = 130
KINDS = (".svg", ".png")


class Command(BaseCommand):
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.description = _(
            "Race real buyers, each a process of its own, for the same seats at the same moment, "
            "with every way of locking, on scratch tables that are gone afterwards. Prints a table "
            "and draws a picture. Exit code 0 if every strategy kept one owner per seat, except "
            "those that are there to go wrong (none, early release)."
        )
        self.add_choices(parser)
        self.add_numbers(parser)

    def add_choices(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--strategy", choices=CHOICES, default=ALL, help=_("What to race. [all]"))
        add(
            "--early-release",
            action="store_true",
            help=_("Give the Redis lock back before the commit, to see what that does."),
        )
        add(
            "--picture",
            type=picture_file,
            metavar="FILE",
            help=_("Where to draw the picture, .svg or .png. [race.svg in VAR_DIR]"),
        )

    def add_numbers(self, parser: ArgumentParser) -> None:
        for name, least, default, help_text in (
            ("buyers", 1, RaceConfig.buyers, _("Processes that want a seat.")),
            ("seats", 1, RaceConfig.seats, _("Seats that they want, shared out evenly.")),
            ("pool", 1, RaceConfig.pool, _("Connections that buyers and other pages share.")),
            ("workers", 1, RaceConfig.workers, _("Parts of the seats in “async”, a worker each.")),
            ("think-ms", 0, ms(RaceConfig.think), _("Time between looking and writing.")),
            (
                "wait-ms",
                1,
                ms(RaceConfig.wait),
                _("Longest wait for the Redis lock, or an answer."),
            ),
            (
                "lease-ms",
                10,
                ms(RaceConfig.lease),
                _("Life of the Redis lock unless it is renewed."),
            ),
            ("lock-timeout-ms", 1, ms(RaceConfig.lock_timeout), _("Longest wait for a row lock.")),
        ):
            shown = f"{help_text} [{default}]"
            parser.add_argument(
                f"--{name}", type=number(least), default=default, metavar="N", help=shown
            )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["early_release"] and options["strategy"] not in (ALL, "redis"):
            raise CommandError(_("--early-release belongs to the strategies redis and all."))
        if options["seats"] > options["buyers"]:
            raise CommandError(_("There is no race for more seats than there are buyers."))
        with errors_as_command_errors(), interruptible():
            self.race(config_from(options), options)

    def race(self, config: RaceConfig, options: dict[str, Any]) -> None:
        self.introduce(config)
        names = chosen(options["strategy"], early_release=options["early_release"])
        results = list(race(strategies=names, config=config))
        notes = [note for result in results for note in labels.notes(result)]
        self.stdout.write("\n".join([*table.lines(results), "", *notes]))
        file = options["picture"] or Path(settings.VAR_DIR) / "race.svg"
        draw(results, config, file)
        self.stdout.write(_("Picture: %(file)s") % {"file": file})
        if not all(map(kept_promise, results)):
            raise CommandError(_("A seat had two owners, or none, where it must not."))

    def introduce(self, config: RaceConfig) -> None:
        where = race_servers(config)
        text = _("%(title)s, on the database “%(database)s” (%(server)s) and %(redis)s.")
        self.stdout.write(text % {"title": labels.title(config), **vars(where)})
        text = _(
            "In the schema %(schema)s, which is dropped afterwards; "
            "the shop's tables stay untouched."
        )
        self.stdout.write(text % {"schema": config.schema} + "\n\n")
        self.stdout.flush()


def config_from(options: dict[str, Any]) -> RaceConfig:
    def seconds(name: str) -> float:
        return options[name] / 1000

    return RaceConfig(
        database=database_address(),
        redis_url=settings.REDIS_URL,
        think=seconds("think_ms"),
        wait=seconds("wait_ms"),
        lease=seconds("lease_ms"),
        lock_timeout=seconds("lock_timeout_ms"),
        **{name: options[name] for name in ("buyers", "seats", "pool", "workers")},
    )


def database_address() -> str:
    """Connection string of the site's database, for processes without Django."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    params = connection.get_connection_params()
    return make_conninfo(**{name: value for name, value in params.items() if name in known})


def draw(results: list[RaceResult], config: RaceConfig, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".png":
        with translation.override("en"):  # the font has only Latin letters
            file.write_bytes(png(race_chart(results, config)))
    else:
        file.write_text(svg(race_chart(results, config)))


def ms(seconds: float) -> int:
    return int(seconds * 1000)


def number(least: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isdecimal() or int(value) < least:
            text = _("“%(word)s” is not a whole number of at least %(least)s")
            raise ArgumentTypeError(text % {"word": value, "least": least})
        return int(value)

    return read


def picture_file(text: str) -> Path:
    """Checked before the race starts."""
    file = Path(text)
    if file.suffix not in KINDS:
        raise ArgumentTypeError(_("a picture's name ends in .svg or .png"))
    if not file.parent.is_dir() or file.is_dir():
        raise ArgumentTypeError(_("“%(file)s” can't be written there") % {"file": file})
    return file


@contextmanager
def errors_as_command_errors() -> Iterator[None]:
    try:
        yield
    except DomainError as refusal:
        raise CommandError(" ".join(filter(None, (str(refusal), str(refusal.advice))))) from None
    except (OperationalError, RedisError, OSError) as outage:
        text = _("A server or a file can't be reached: %(trouble)s")
        raise CommandError(text % {"trouble": outage}) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C and SIGTERM end the race and drop the scratch tables."""
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        text = _("Stopped. The scratch tables are gone.")
        raise CommandError(text, returncode=INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
