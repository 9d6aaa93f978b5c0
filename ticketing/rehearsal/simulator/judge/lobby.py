"""The promise `lobby`: the lobby's order is the published draw.

The draw is computed again from the published rule, without the code that it judges.
"""

from hashlib import sha256
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import ENDINGS, IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict


def check(evidence: IndexedEvidence) -> Verdict:
    findings, draw = Findings(), evidence.facts.get("draw")
    if draw:
        people = [int(person) for person in draw["people"]]
        findings.checked = len(people)
        _seed(evidence, findings, draw)
        _order(evidence, findings, draw, people)
        _numbers(evidence, findings, int(draw["first_number"]), people)
        _forgotten(evidence, findings, int(draw["first_number"]), set(people))
    return findings.verdict("lobby", _("The lobby's order is the published draw"))


def _seed(evidence: IndexedEvidence, findings: Findings, draw: dict[str, Any]) -> None:
    found = sha256(str(draw["seed"]).encode()).hexdigest()
    promised = evidence.setting.get("seed_hash") or draw["seed_hash"]
    for published in (draw["seed_hash"], promised):
        if published != found:
            findings.against(
                0, _("The seed's SHA-256 is %(found)s, and %(told)s was published."),
                found=found[:16] + "…", told=str(published)[:16] + "…",
            )  # fmt: skip


def _order(
    evidence: IndexedEvidence, findings: Findings, draw: dict[str, Any], people: list[int]
) -> None:
    """The order is by the hashes of seed and entry; the entries are pseudonyms."""
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
                who=evidence.name(people[place]), whom=evidence.name(people[place - 1]),
                place=place,
            )  # fmt: skip


def _entries(draw: dict[str, Any], people: list[int]) -> list[str] | None:
    if draw.get("entries"):
        return list(draw["entries"])
    if draw.get("salt"):
        return [sha256(f"{draw['salt']}:{one}".encode()).hexdigest()[:16] for one in people]
    return None


def _numbers(evidence: IndexedEvidence, findings: Findings, first: int, people: list[int]) -> None:
    """Everybody drawn has the number of their place, or left the lobby before."""
    numbers = range(first, first + len(people))
    for place, person in enumerate(people):
        theirs = [pair[1] for pair in evidence.entries_of.get(person, [])]
        given = [entry for entry in theirs if entry.kind == "join" and entry.number in numbers]
        left = any(entry.kind in ENDINGS and not entry.number for entry in theirs)
        if given and given[0].number != first + place:
            findings.against(
                given[0].at, _("%(who)s was drawn for no. %(drawn)s and got no. %(number)s."),
                who=evidence.name(person), drawn=first + place, number=given[0].number,
            )  # fmt: skip
        elif not given and not left:
            findings.against(
                0, _("%(who)s was drawn for no. %(drawn)s and got none."),
                who=evidence.name(person), drawn=first + place,
            )  # fmt: skip


def _forgotten(evidence: IndexedEvidence, findings: Findings, first: int, drawn: set[int]) -> None:
    """Nobody in the lobby is missing from the draw, and nobody else has one of its numbers."""
    here, missing = set[int](), set[int]()
    for entry in evidence.journal:
        if entry.kind == "lobby":
            here.add(entry.person)
        elif entry.kind in ENDINGS:
            here.discard(entry.person)
        elif entry.kind == "join" and first <= entry.number < first + len(drawn):
            missing, here = missing | (here - drawn), here & drawn
            if entry.person not in drawn:
                findings.against(
                    entry.at, _("%(who)s was not drawn and got no. %(number)s of the lobby."),
                    who=evidence.name(entry.person), number=entry.number,
                )  # fmt: skip
    for person in sorted(missing):
        words = _("%(who)s was in the lobby and not in the draw.")
        findings.against(0, words, who=evidence.name(person))
