"""The doors: what must be refused is refused, and nothing breaks that was not broken on purpose."""

from collections import Counter

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import STAGE, Deed
from ticketing.rehearsal.simulator.judge.people import admitted_only
from ticketing.rehearsal.simulator.judge.reading import GATEWAY_RECOVERY, RECOVERY, Reading
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TRICKS = ("forge", "replay", "skip")
# Said on purpose: the gateway did not answer in time, nothing was charged, come back.
COME_BACK = frozenset({"payments_paused"})
# What the site, or a proxy before it, says while something is away. A 500 is a bug, also then.
AWAY = frozenset({502, 503, 504})
BUG = "server_error"  # said by a socket before it closes


def tricks(reading: Reading) -> Verdict:
    """Forged, replayed and line-skipping calls: a refusal, or no answer; never an acceptance."""
    findings, silent = Findings(), 0
    admitted_only(reading, findings)
    findings.checked = findings.checked if findings.found else 0
    for deed in reading.of(*TRICKS):
        if 400 <= deed.status < 500:
            findings.checked += 1
        elif deed.unknown:
            silent += 1
        else:
            findings.checked += 1
            findings.against(
                deed.ended, _("%(at)s s: %(who)s got through with: %(what)s (%(did)s, answer "
                              "%(status)s)."),
                at=reading.at(deed.ended), who=f"#{deed.who}", what=deed.saw.get("what", "?"),
                did=deed.did, status=deed.status,
            )  # fmt: skip
    if silent:
        findings.note(_("%(count)s got no answer, and count as neither."), count=silent)
    return findings.verdict("tricks", _("Forged, replayed and line-skipping calls refused"))


def failures(reading: Reading) -> Verdict:
    findings, excused = Findings(), Counter[str]()
    silent = 0
    for deed in reading.evidence.deeds:
        if deed.who == STAGE or deed.did in {"told", "end", "arrive"}:
            continue
        findings.checked += 1
        silent += deed.status == 0
        if deed.status >= 500 or deed.code == BUG:
            _failure(reading, findings, excused, deed)
    if paused := sum(excused.pop(code, 0) for code in COME_BACK):
        findings.note(
            _("Told to come back because the gateway was too slow: %(count)s times."), count=paused
        )
    findings.note(
        _("502, 503 and 504 are allowed while a fault is on and %(seconds)s s after it "
          "(%(gateway)s s after the gateway's); a 500 never is. "
          "Allowed here: %(excused)s. Calls without any answer: %(silent)s."),
        seconds=f"{RECOVERY:g}", gateway=f"{GATEWAY_RECOVERY:g}", silent=silent,
        excused=", ".join(f"{count} × {name}" for name, count in excused.most_common()) or "0",
    )  # fmt: skip
    return findings.verdict("failures", _("No server error unless something was broken on purpose"))


def _failure(reading: Reading, findings: Findings, excused: Counter[str], deed: Deed) -> None:
    if deed.code in COME_BACK:
        excused[deed.code] += 1
        return
    fault = reading.fault_at(deed.began, deed.ended) if deed.status in AWAY else None
    if fault is not None:
        excused[f"{deed.did} {deed.status} ({fault.saw.get('fault')})"] += 1
        return
    findings.against(
        deed.ended, _("%(at)s s: %(did)s of %(who)s was answered with %(status)s %(code)s."),
        at=reading.at(deed.ended), did=deed.did, who=f"#{deed.who}", status=deed.status,
        code=deed.code,
    )  # fmt: skip
