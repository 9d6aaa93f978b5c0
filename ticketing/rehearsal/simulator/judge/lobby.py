"""The draw: the seed was promised, the order follows from it, and everybody got their number.

Written anew from the published rule, so that it does not lean on the code that it judges.
"""

from hashlib import sha256
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.reading import ENDINGS, Reading
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict


def lobby(reading: Reading) -> Verdict:
    findings, draw = Findings(), reading.facts.get("draw")
    if draw:
        people = [int(person) for person in draw["people"]]
        findings.checked = len(people)
        _seed(reading, findings, draw)
        _order(reading, findings, draw, people)
        _numbers(reading, findings, int(draw["first_number"]), people)
        _forgotten(reading, findings, int(draw["first_number"]), set(people))
    return findings.verdict("lobby", _("The lobby's order is the published draw"))


def _seed(reading: Reading, findings: Findings, draw: dict[str, Any]) -> None:
    found = sha256(str(draw["seed"]).encode()).hexdigest()
    promised = reading.setting.get("seed_hash") or draw["seed_hash"]
    for told in (draw["seed_hash"], promised):
        if told != found:
            findings.against(
                0, _("The seed's SHA-256 is %(found)s, and %(told)s was published."),
                found=found[:16] + "…", told=str(told)[:16] + "…",
            )  # fmt: skip


def _order(reading: Reading, findings: Findings, draw: dict[str, Any], people: list[int]) -> None:
    """By the hashes of the entries under the seed; the entries are the people's pseudonyms."""
    if draw.get("shuffled") is False:
        return
    entries = _entries(draw, people)
    if entries is None:
        findings.note(_("The entries were not published, so the order was not worked out again."))
        return
    keys = [sha256(f"{draw['seed']}:{entry}".encode()).digest() for entry in entries]
    for place, (one, other) in enumerate(pairwise(keys), start=1):
        if one > other:
            findings.against(
                0, _("By the seed %(who)s comes before %(whom)s, who is on place %(place)s "
                     "of the draw."),
                who=reading.name(people[place]), whom=reading.name(people[place - 1]), place=place,
            )  # fmt: skip


def _entries(draw: dict[str, Any], people: list[int]) -> list[str] | None:
    if draw.get("entries"):
        return list(draw["entries"])
    if draw.get("salt"):
        return [sha256(f"{draw['salt']}:{one}".encode()).hexdigest()[:16] for one in people]
    return None


def _numbers(reading: Reading, findings: Findings, first: int, people: list[int]) -> None:
    """Whoever was drawn has the number of their place, or left the lobby before."""
    numbers = range(first, first + len(people))
    for place, person in enumerate(people):
        theirs = [pair[1] for pair in reading.entries_of.get(person, [])]
        given = [entry for entry in theirs if entry.kind == "join" and entry.number in numbers]
        gone = any(entry.kind in ENDINGS and not entry.number for entry in theirs)
        if given and given[0].number != first + place:
            findings.against(
                given[0].at, _("%(who)s was drawn for no. %(drawn)s and got no. %(number)s."),
                who=reading.name(person), drawn=first + place, number=given[0].number,
            )  # fmt: skip
        elif not given and not gone:
            findings.against(
                0, _("%(who)s was drawn for no. %(drawn)s and got none."),
                who=reading.name(person), drawn=first + place,
            )  # fmt: skip


def _forgotten(reading: Reading, findings: Findings, first: int, drawn: set[int]) -> None:
    """Nobody of the lobby is missing from the draw, and nobody else has one of its numbers."""
    here, missing = set[int](), set[int]()
    for entry in reading.journal:
        if entry.kind == "lobby":
            here.add(entry.person)
        elif entry.kind in ENDINGS:
            here.discard(entry.person)
        elif entry.kind == "join" and first <= entry.number < first + len(drawn):
            missing, here = missing | (here - drawn), here & drawn
            if entry.person not in drawn:
                findings.against(
                    entry.at, _("%(who)s was not drawn and got no. %(number)s of the lobby."),
                    who=reading.name(entry.person), number=entry.number,
                )  # fmt: skip
    for person in sorted(missing):
        words = _("%(who)s was in the lobby and not in the draw.")
        findings.against(0, words, who=reading.name(person))
