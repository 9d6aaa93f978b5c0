"""The promise `lobby`: the lobby's order is the published draw.

The draw is computed again from the published rule, without the code that it judges.
"""

from hashlib import sha256
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import LANE_NUMBERS
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.parties import ENDINGS
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("The lobby's order is the published draw")


def check(evidence: IndexedEvidence) -> Verdict:
    findings, draw = Findings(), evidence.facts.get("draw")
    if draw:
        people = [int(person) for person in draw["people"]]
        findings.checked = len(people)
        _seed(evidence, findings, draw)
        _order(evidence, findings, draw, people)
        _numbers(evidence, findings, int(draw["first_number"]), people)
        _forgotten(evidence, findings, int(draw["first_number"]), set(people))
        _overtaken(evidence, findings, int(draw["first_number"]), set(people))
    return findings.verdict("lobby", TITLE)


def _seed(evidence: IndexedEvidence, findings: Findings, draw: dict[str, Any]) -> None:
    """The secret is the one promised, and the seed follows from it, the lobby and the value."""
    found = _sha256(draw["secret"])
    for published in {draw["secret_sha256"], evidence.setting["secret_sha256"]} - {found}:
        findings.against(
            0, _("The secret's SHA-256 is %(found)s, and %(told)s was published."),
            found=found[:16] + "…", told=str(published)[:16] + "…",
        )  # fmt: skip
    if _sha256("\n".join(sorted(draw["entries"]))) != draw["lobby_sha256"]:
        findings.against(0, _("The hash of the lobby is not that of its entries."))
    value, promised = draw["public_value"], evidence.setting["public_value"]
    if value != promised:
        findings.against(
            0, _("The public value was %(told)s, and %(found)s was used."),
            told=promised or "–", found=value or "–",
        )  # fmt: skip
    if _sha256(f"{draw['secret']}:{draw['lobby_sha256']}:{value}") != draw["seed"]:
        findings.against(0, _("The seed does not follow from secret, lobby and public value."))


def _order(
    evidence: IndexedEvidence, findings: Findings, draw: dict[str, Any], people: list[int]
) -> None:
    """The order is by the hashes of seed and entry; the entries are pseudonyms."""
    if draw.get("shuffled") is False:
        return
    entries = draw["entries"]
    keys = [sha256(f"{draw['seed']}:{entry}".encode()).digest() for entry in entries]
    for place, (one, other) in enumerate(pairwise(keys), start=1):
        if one > other:
            findings.against(
                0, _("By the seed %(who)s comes before %(whom)s, who is on place %(place)s "
                     "of the draw."),
                who=evidence.name(people[place]), whom=evidence.name(people[place - 1]),
                place=place,
            )  # fmt: skip


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _numbers(evidence: IndexedEvidence, findings: Findings, first: int, people: list[int]) -> None:
    """Everybody drawn has the number of their place, or left the lobby before.

    The place of a leader who left went to a companion, with the number.
    """
    numbers = range(first, first + len(people))
    handed_over = {one.leader: one for one in evidence.journal if one.kind == "join"}
    for place, person in enumerate(people):
        theirs = [pair[1] for pair in evidence.entries_of.get(person, [])]
        joins = [entry for entry in theirs if entry.kind == "join"]
        joins += [handed_over[person]] if person in handed_over else []
        given = [entry for entry in joins if entry.number % LANE_NUMBERS in numbers]
        left = any(entry.kind in ENDINGS and not entry.number % LANE_NUMBERS for entry in theirs)
        if given and given[0].number % LANE_NUMBERS != first + place:
            findings.against(
                given[0].at, _("%(who)s was drawn for no. %(drawn)s and got no. %(number)s."),
                who=evidence.name(person), drawn=first + place,
                number=given[0].number % LANE_NUMBERS,
            )  # fmt: skip
        elif not given and not left:
            findings.against(
                0, _("%(who)s was drawn for no. %(drawn)s and got none."),
                who=evidence.name(person), drawn=first + place,
            )  # fmt: skip


def _forgotten(evidence: IndexedEvidence, findings: Findings, first: int, drawn: set[int]) -> None:
    """Nobody in the lobby is missing from the draw, and nobody else has one of its numbers.

    A companion who has the place of a drawn leader has the number that was drawn for the leader.
    """
    here, missing = set[int](), set[int]()
    for entry in evidence.journal:
        is_undrawn = not entry.number % LANE_NUMBERS
        if entry.kind == "lobby" or (entry.kind == "lead" and is_undrawn and not entry.leader):
            here.add(entry.person)
        elif entry.kind in ENDINGS or entry.kind == "companion":
            here.discard(entry.person)
        elif entry.kind == "join" and first <= entry.number % LANE_NUMBERS < first + len(drawn):
            missing, here = missing | (here - drawn), here & drawn
            if (entry.leader or entry.person) not in drawn:
                findings.against(
                    entry.at, _("%(who)s was not drawn and got no. %(number)s of the lobby."),
                    who=evidence.name(entry.person), number=entry.number,
                )  # fmt: skip
    for person in sorted(missing):
        words = _("%(who)s was in the lobby and not in the draw.")
        findings.against(0, words, who=evidence.name(person))


def _overtaken(evidence: IndexedEvidence, findings: Findings, first: int, drawn: set[int]) -> None:
    """Nobody behind the lobby is called before everybody in it has a number."""
    undrawn, behind = set[int](), first + len(drawn)
    for entry in evidence.journal:
        if entry.kind == "lobby" and entry.person in drawn:
            undrawn.add(entry.person)
        elif entry.kind == "join" or entry.kind == "companion" or entry.kind in ENDINGS:
            undrawn -= {entry.person, entry.leader}
        elif undrawn and entry.kind == "ready" and entry.number % LANE_NUMBERS >= behind:
            findings.against(
                entry.at, _("%(who)s, no. %(number)s behind the lobby, was called while %(people)s "
                            "people of it had no number."),
                who=evidence.name(entry.person), number=entry.number % LANE_NUMBERS,
                people=len(undrawn),
            )  # fmt: skip
