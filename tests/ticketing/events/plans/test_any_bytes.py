"""Whatever is uploaded, the reader answers with a plan or with its problems."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.events.plans.errors import BadPlanFile
from ticketing.events.plans.files import read_plan
from ticketing.events.plans.svg import plan_svg

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.just("standing")
)
WORDS = st.sampled_from(
    [
        *("section", "row", "number", "grade", "x", "y", "kind", "capacity", "standing"),
        *("A", "1", "2", "-1", "1e9", "yes", "", '"', ",", ";", "\n", "\r", "\t", "가", "\x00"),
    ]
)
NAMES = st.sampled_from(["plan.csv", "plan.json", "plan", "플랜.CSV"])
KEYS = ["code", "name_ko", "kind", "grade", "seats", "capacity", "x", "y", "width", "row", "number"]
OBJECTS = st.recursive(
    VALUES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["sections", *KEYS]), inner, max_size=6),
    ),
    max_leaves=20,
)


def answers(name: str, content: bytes) -> int:
    """How many seats, or problems, there are: never none."""
    try:
        plan = read_plan(name, content)
    except BadPlanFile as refusal:
        return len(refusal.problems)
    return min(plan.seats, len(plan_svg(plan)))


@settings(max_examples=200, deadline=None)
@given(NAMES, st.binary(max_size=400))
def test_any_bytes_are_answered(name, content):
    assert answers(name, content)


@settings(max_examples=200, deadline=None)
@given(NAMES, st.lists(WORDS, max_size=60))
def test_any_mixture_of_known_words_is_answered(name, words):
    header = "section,row,number,grade,x,y,kind,capacity\n"

    assert answers(name, (header + ",".join(words)).encode())


@settings(max_examples=200, deadline=None)
@given(OBJECTS)
def test_any_json_is_answered(value):
    assert answers("plan.json", json.dumps({"sections": [value]}).encode())
