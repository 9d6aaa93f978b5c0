"""The seat map: what was pushed to those who chose from it was so."""

from collections import defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Deed
from ticketing.rehearsal.simulator.judge.claims import Claim, Claims
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

# Changes are pushed four times a second; a busy site, or a busy crowd, may take longer.
LATE_SECONDS = 10.0


def maps(reading: Reading) -> Verdict:
    """A seat that was surely somebody's for long is not shown as free to somebody else."""
    findings, taken = Findings(), defaultdict[int, list[Claim]](list)
    for claim in Claims(reading).all:
        taken[claim.seat].append(claim)
    for deed in reading.of("hold"):
        if deed.saw.get("map") == "live":
            for seat in deed.saw["asked"]:
                findings.checked += 1
                for claim in taken[seat]:
                    _is_news(reading, findings, deed, claim)
    findings.note(
        _("Seats that people chose from a map that is pushed what changes. Allowed for %(late)s s "
          "after a seat was taken, and where a fault was on since."), late=f"{LATE_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("maps", _("No seat shown as free long after it was taken"))


def _is_news(reading: Reading, findings: Findings, deed: Deed, claim: Claim) -> None:
    age = deed.began - claim.start
    if age <= LATE_SECONDS or deed.began >= claim.end:
        return
    if not reading.fault_at(claim.start, deed.began):
        findings.against(
            deed.began,
            _("%(at)s s: %(who)s was shown seat %(seat)s as free, and it was %(whom)s's "
              "(%(code)s) for %(age)s s."),
            at=reading.at(deed.began), who=f"#{deed.who}", seat=claim.seat,
            whom=reading.name(claim.person), code=claim.code, age=f"{age:.1f}",
        )  # fmt: skip
