"""What is counted, printed and drawn."""

from io import BytesIO
from xml.etree import ElementTree

import pytest
from django.utils import translation
from PIL import Image

from reservations.lab import labels, table
from reservations.lab.chart import race_chart, tidy_step
from reservations.lab.png import png
from reservations.lab.race import chosen
from reservations.lab.results import Attempt, DatabaseCost, Outcome, RaceResult, Sale, percentile
from reservations.lab.strategies import STRATEGIES, kept_promise
from reservations.lab.svg import svg
from tests.reservations.lab.making import make_config

SVG = "{http://www.w3.org/2000/svg}"


def attempt(buyer: int, outcome: Outcome, seconds: float = 0.1, **more: object) -> Attempt:
    return Attempt(buyer, 1, outcome, 5.0, 5.0 + seconds, DatabaseCost(4, 0.05), **more)


def result(strategy: str = "gate", *outcomes: Outcome, sales: tuple[int, ...] = (0,)) -> RaceResult:
    attempts = [attempt(*each) for each in enumerate(outcomes or ["bought", "taken", "busy"])]
    attempts = [attempt(each.buyer, Outcome(each.outcome)) for each in attempts]
    return RaceResult(
        strategy, attempts, [Sale(1, buyer) for buyer in sales], [0.002], [DatabaseCost(1, 1)]
    )


TWICE = result("gate", Outcome.BOUGHT, Outcome.BOUGHT, Outcome.TAKEN, sales=(1, 0))


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def test_a_sound_race_is_counted():
    found = result()

    assert [found.successes, found.failures, found.duplicates] == [1, 2, 0]
    assert found.database_cost.statements == 13
    assert found.one_owner_per_seat


@pytest.mark.parametrize(
    "unsound",
    [
        TWICE,
        result("gate", Outcome.TAKEN, sales=()),
        result("gate", Outcome.BOUGHT, sales=(1,)),
        result("gate", Outcome.TAKEN, sales=(0,)),
        result("gate", Outcome.BOUGHT, Outcome.BROKEN),
    ],
    ids=["twice", "nobody", "not by whom", "unknown to them", "broken"],
)
def test_what_is_not_one_owner_per_seat(unsound):
    assert not unsound.one_owner_per_seat
    assert not kept_promise(unsound)


def test_the_first_row_is_the_owner():
    assert [TWICE.duplicates, TWICE.owners] == [1, {1: 1}]


@pytest.mark.parametrize(("share", "value"), [(50, 50), (99, 99), (100, 100), (1, 1)])
def test_percentiles_are_by_nearest_rank(share, value):
    assert percentile(range(1, 101), share) == value


def test_nothing_is_said_of_nobody():
    assert percentile([], 99) is None
    assert labels.milliseconds(None) == "-"


def test_all_is_every_strategy_and_early_release_is_one_more():
    assert chosen("all", early_release=True) == list(STRATEGIES)
    assert set(STRATEGIES) - set(chosen("all", early_release=False)) == {"early"}
    assert chosen("redis", early_release=True) == ["early"]
    assert chosen("gate", early_release=False) == ["gate"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_table_has_straight_columns(language):
    with translation.override(language):
        lines = table.lines([result(), TWICE, result("none")])

    ends = {table.width(line[: line.index(" ms")]) for line in lines[1:]}
    assert len(lines) == 4
    assert len(ends) == 1


def test_notes_say_what_the_columns_do_not():
    accepted = RaceResult("async", [attempt(0, Outcome.BUSY, accepted=5.02)], [])
    broken = RaceResult("gate", [attempt(0, Outcome.BROKEN, error="Oops: <x>")], [])

    assert "told “busy, try again”" in labels.notes(accepted)[0]
    assert "(202) within 20 ms" in labels.notes(accepted)[1]
    assert "Oops: <x>" in labels.notes(broken)[0]
    assert "one owner per seat!" in labels.notes(broken)[1]
    assert "by luck" in labels.notes(result("none"))[-1]


def test_the_picture_is_well_formed_and_marks_owners_and_duplicates():
    root = ElementTree.fromstring(svg(race_chart([result(), TWICE], make_config(buyers=3))))
    legend = 1

    assert root.findtext(f"{SVG}title")
    assert len(root.findall(f"{SVG}circle")) == 2 + legend
    assert len(root.findall(f"{SVG}polygon")) == 1 + legend


def test_words_in_a_picture_are_escaped(monkeypatch):
    monkeypatch.setitem(labels.NAMES, "gate", "<gate> & co")
    root = ElementTree.fromstring(svg(race_chart([result()], make_config())))

    assert "<gate> & co" in [text.text for text in root.iter(f"{SVG}text")]


def test_the_picture_as_png_is_twice_as_large():
    drawn = race_chart([result(), TWICE], make_config(buyers=3))

    with Image.open(BytesIO(png(drawn))) as image:
        assert image.size == (drawn.width * 2, drawn.height * 2)
        assert len(image.getcolors(1 << 16)) > 10


@pytest.mark.parametrize(
    ("longest", "step"), [(0.0049, 0.001), (0.5, 0.1), (0.73, 0.2), (3, 1), (12, 5)]
)
def test_marks_on_the_axis_are_tidy(longest, step):
    assert tidy_step(longest) == pytest.approx(step)
