"""Ten megabytes of anything are refused or read within the memory that a page may take."""

import multiprocessing
import resource
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor

import django
import pytest
from django.apps import apps

from ticketing.events.plans.files import MAX_BYTES, inspect_plan

if not apps.ready:  # in the process that is forked for each file
    django.setup()

MOST_MEMORY = 100 * 1024 * 1024
SEAT = '{"row":"%d","number":%d,"grade":"R","x":%d,"y":%d,"accessible":false,"companion":false}'


def filled(before: str, piece: str, after: str = "") -> bytes:
    """As large as a file may be."""
    times = (MAX_BYTES - len(before.encode()) - len(after.encode())) // len(piece.encode())
    return (before + times * piece + after).encode()


def largest_plan() -> bytes:
    seats = ",".join(SEAT % (n // 500, n % 500 + 1, n % 500, n // 500) for n in range(100_000))
    return f'{{"sections":[{{"code":"A","seats":[{seats}]}}]}}'.encode()


HEADER = "section,row,number,grade\n"
# The name of each, and the arguments of `filled`.
FILES = {
    "empty columns": ("plan.csv", "section,grade", ","),
    "columns of one name": ("plan.csv", "a", ",a"),
    "one long cell": ("plan.csv", HEADER, "x"),
    "short lines": ("plan.csv", HEADER, "\n"),
    "wrong lines": ("plan.csv", HEADER, "a,b\n"),
    "quotation marks": ("plan.csv", HEADER, '"'),
    "empty objects": ("plan.json", '{"sections":[', "{},", "{}]}"),
    "empty lists": ("plan.json", '{"sections":[', "[],", "[]]}"),
    "zeros": ("plan.json", '{"sections":[', "0,", "0]}"),
    "lines": ("plan.json", "[", "\n", "]"),
    "brackets": ("plan.json", "", "["),
    "fields": ("plan.json", '{"sections":[{', '"a":0,', '"b":0}]}'),
    "empty elements": ("plan.svg", "<svg>", "<g/>", "</svg>"),
    "one long attribute": ("plan.svg", '<svg id="', "x", '"/>'),
    "attributes": ("plan.svg", "<svg>", '<g id="a" data-row="1"/>', "</svg>"),
    "one long title": ("plan.svg", "<svg><title>", "x", "</title></svg>"),
    "open elements": ("plan.svg", "", "<svg>"),
    "Korean text": ("plan.json", '{"sections":["', "가", '"]}'),
}


def file_of(kind: str) -> tuple[str, bytes]:
    name, *parts = FILES[kind]
    return name, filled(*parts)


def inspected(name: str, content: bytes) -> tuple[int, int]:
    found = inspect_plan(name, content)
    return found.draft.seats, len(found.problems)


def carelessly_read(_name: str, content: bytes) -> int:
    return len(content.split(b"\n"))


def memory_of(read: Callable, name: str, content: bytes) -> tuple[object, int]:
    """What was read, and the memory that it took beside the file."""
    before = peak_memory()
    return read(name, content), peak_memory() - before


def peak_memory() -> int:
    """The most that this process ever used."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@pytest.fixture(scope="module")
def measure() -> Iterator[Callable]:
    """`memory_of`, each time in a new process, whose peak is that of one file.

    All are forks of one process that has Django.
    """
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    pool = ProcessPoolExecutor(1, mp_context=forks, max_tasks_per_child=1)
    with pool:
        yield lambda *task: pool.submit(memory_of, *task).result()


@pytest.mark.parametrize("kind", FILES)
def test_a_useless_file_is_refused_within_bounds(measure, kind):
    (seats, problems), memory = measure(inspected, *file_of(kind))

    assert (seats, bool(problems)) == (0, True)
    assert memory < MOST_MEMORY


def test_control_a_careless_reader_takes_more(measure):
    _, memory = measure(carelessly_read, *file_of("wrong lines"))

    assert memory > MOST_MEMORY


def test_the_largest_plan_is_read_within_bounds(measure):
    content = largest_plan()

    (seats, problems), memory = measure(inspected, "plan.json", content)

    assert 8 * 2**20 < len(content) <= MAX_BYTES
    assert (seats, problems) == (100_000, 0)
    assert memory < MOST_MEMORY


def test_the_largest_drawing_is_read_within_bounds(measure):
    seat = '<circle cx="%d" cy="%d" data-row="%d" data-number="%d"/>'
    seats = "".join(
        seat % (20 * (n % 500), 20 * (n // 500), n // 500, n % 500 + 1) for n in range(100_000)
    )
    content = f'<svg><g id="A" data-grade="R">{seats}</g></svg>'.encode()

    (seats, problems), memory = measure(inspected, "plan.svg", content)

    assert (seats, problems) == (100_000, 0)
    assert memory < MOST_MEMORY


def test_a_problem_is_found_on_its_line():
    """Braces and lines inside of texts are no objects and no lines of the file."""
    seats = (
        '{"row": "{",\n "number": 1, "grade": "}\\""},\n{"row": "1",\n"number": "x", "grade": "R"}'
    )
    content = f'{{"sections": [\n{{"code": "A",\n"seats": [{seats}]}}]}}'.encode()

    found = inspect_plan("plan.json", content)

    assert [(problem.line, problem.field) for problem in found.problems] == [
        (5, "sections[0].seats[1].number")
    ]
