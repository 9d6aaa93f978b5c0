"""Arguments of commands are read, or refused with a message that says what was expected."""

from argparse import ArgumentTypeError

import pytest

from ticketing.rehearsal.management.arguments import knob, minutes, number


def test_arguments_are_read():
    assert (number(1)("40"), number(0)("0")) == (40, 0)
    assert (minutes("3"), minutes("0.1")) == (3.0, 0.1)
    assert knob("admit_per_second=80") == ("admit_per_second", 80)
    assert knob("rate=0.5") == ("rate", 0.5)


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (number(1), "0", "at least 1"),
        (number(1), "-3", "at least 1"),
        (number(1), "many", "at least 1"),
        (minutes, "0", "from 0.1 to 240"),
        (minutes, "241", "from 0.1 to 240"),
        (minutes, "long", "from 0.1 to 240"),
        (knob, "admit_per_second", "not like admit_per_second=80"),
        (knob, "admit_per_second=fast", "not like admit_per_second=80"),
    ],
)
def test_others_are_refused(read, text, expected):
    with pytest.raises(ArgumentTypeError, match=expected):
        read(text)
