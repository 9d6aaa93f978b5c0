"""The labels of a report, in the active language."""

from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from ticketing.rehearsal.report_html.charts import minutes_seconds, number
from ticketing.rehearsal.simulator.judge import LoadLimit, Verdict
from waiting_queue.models import SaleQueue

PERSONAS: dict[str, Any] = {
    "patient": pgettext_lazy("a simulated person", "patient"),
    "refresher": pgettext_lazy("a simulated person", "reloads again and again"),
    "two tabs": pgettext_lazy("a simulated person", "has two tabs"),
    "tunnel": pgettext_lazy("a simulated person", "loses the connection"),
    "sleeper": pgettext_lazy("a simulated person", "falls asleep"),
    "leaver": pgettext_lazy("a simulated person", "leaves"),
    "ditherer": pgettext_lazy("a simulated person", "can't decide"),
    "fighter": pgettext_lazy("a simulated person", "fights for the best seats"),
    "declined": pgettext_lazy("a simulated person", "has a card that is declined"),
    "late payer": pgettext_lazy("a simulated person", "pays late"),
    "double clicker": pgettext_lazy("a simulated person", "clicks twice"),
    "quitter": pgettext_lazy("a simulated person", "gives up"),
}
OUTCOMES: dict[str, Any] = {
    "bought": pgettext_lazy("how a person ended", "bought"),
    "gave_back": pgettext_lazy("how a person ended", "gave it back"),
    "left": pgettext_lazy("how a person ended", "left"),
    "gave_up": pgettext_lazy("how a person ended", "gave up"),
    "expired": pgettext_lazy("how a person ended", "too late"),
    "sold_out": pgettext_lazy("how a person ended", "sold out"),
    "closed": pgettext_lazy("how a person ended", "closed"),
    "turned_away": pgettext_lazy("how a person ended", "line full"),
    "refused": pgettext_lazy("how a person ended", "refused"),
    "declined": pgettext_lazy("how a person ended", "declined"),
}
FAULTS: dict[str, Any] = {
    "web": gettext_lazy("A web process was killed"),
    "worker": gettext_lazy("The worker was killed"),
    "payer": gettext_lazy("The worker of the payments was killed"),
    "mailer": gettext_lazy("The worker of the mails was killed"),
    "sandbox": gettext_lazy("The payment sandbox was killed"),
    "ticker": gettext_lazy("The process that moves the line was killed"),
    "beat": gettext_lazy("Beat was killed"),
    "valkey": gettext_lazy("Valkey was killed"),
    "postgresql": gettext_lazy("PostgreSQL was killed"),
    "two beats": gettext_lazy("A second beat ran beside the first"),
    "clock": gettext_lazy("Clocks were put wrong, and right again"),
    "slow gateway": gettext_lazy("The gateway was slow"),
    "failing gateway": gettext_lazy("The gateway failed at times"),
    "backend": gettext_lazy("A connection's process in PostgreSQL was killed"),
    "redis emptied": gettext_lazy("Valkey lost all data"),
    "power": gettext_lazy("PostgreSQL and Valkey lost power, and Valkey its last second"),
    "redis stalls": gettext_lazy("Nothing reached Valkey, and nothing came back"),
    "web without redis": gettext_lazy("The web processes could not reach Valkey"),
    "redis answers lost": gettext_lazy("Connections to Valkey were cut when it answered"),
    "database stalls": gettext_lazy("Nothing reached PostgreSQL, and nothing came back"),
    "commits unknown": gettext_lazy("Connections to PostgreSQL were cut when it answered"),
    "slow network": gettext_lazy("The way to PostgreSQL took 0.1 s longer"),
    "half-closed gateway": gettext_lazy("The gateway's connections ended on one side"),
    "gateway cut off": gettext_lazy("The gateway's connections were cut"),
    "throttled gateway": gettext_lazy("The way to the gateway was slow"),
}
PROFILES: dict[str, Any] = {
    "rush": pgettext_lazy("how people arrive", "rush"),
    "steady": pgettext_lazy("how people arrive", "steady"),
    "bots": pgettext_lazy("how people arrive", "with bots"),
}
LEVELS: dict[str, Any] = {
    "none": pgettext_lazy("which faults", "none"),
    "some": pgettext_lazy("which faults", "some"),
    "network": pgettext_lazy("which faults", "network"),
    "all": pgettext_lazy("which faults", "all"),
}


def result(verdict: Verdict) -> str:
    if verdict.holds is None:
        return _("not rehearsed")
    return _("holds") if verdict.holds else _("does not hold")


def banner(found: list[Verdict]) -> str:
    broken = sum(verdict.holds is False for verdict in found)
    held = sum(verdict.holds is True for verdict in found)
    if broken:
        words = ngettext("%(n)s promise was not kept.", "%(n)s promises were not kept.", broken)
        return words % {"n": broken}
    if not held:
        return _("Nothing could be judged.")
    return ngettext("%(n)s promise was kept.", "All %(n)s promises were kept.", held) % {"n": held}


def unrehearsed(found: list[Verdict]) -> str:
    silent = sum(verdict.holds is None for verdict in found)
    if not silent:
        return ""
    return ngettext("%(n)s was not rehearsed.", "%(n)s were not rehearsed.", silent) % {"n": silent}


def limit_row(limit: LoadLimit) -> list[str]:
    """Load, target, the highest load within it, and where it was exceeded."""
    target = _("%(ms)s ms") % {"ms": number(limit.target * 1000)}
    best = "–" if limit.best is None else number(limit.best)
    if limit.best is None and not limit.exceeded:
        return [str(limit.title), target, best, _("too few calls to say")]
    if not limit.exceeded:
        return [str(limit.title), target, best, _("not reached")]
    values = {
        "at": minutes_seconds(limit.exceeded.at), "load": number(limit.exceeded.load),
        "ms": number(limit.exceeded.p95 * 1000),
    }  # fmt: skip
    return [str(limit.title), target, best, _("at %(load)s (%(at)s): %(ms)s ms") % values]


def setting_rows(setting: dict[str, Any]) -> list[tuple[str, str]]:
    knobs, machine = setting.get("knobs", {}), setting.get("machine", {})
    return [
        (_("Event"), f"{setting.get('source', '–')} → {setting.get('event', '–')}"),
        (_("Simulated people"), number(setting.get("fans"))),
        (_("Minutes"), str(setting.get("minutes", "–"))),
        (_("Arrival"), _label(PROFILES, setting.get("profile"))),
        (_("Faults"), _label(LEVELS, setting.get("faults"))),
        (_("Seed"), str(setting.get("seed", "–"))),
        (_("Seats"), number(setting.get("seats"))),
        (_("Seats per person"), str(setting.get("limit_per_person", "–"))),
        *((_knob(name), f"{value:g}") for name, value in knobs.items() if value is not None),
        (_("Processors"), str(machine.get("cpus", "–"))),
        (_("Memory"), _("%(mb)s MB") % {"mb": number(machine.get("memory_mb"))}),
        (_("System"), f"{machine.get('system', '–')}, Python {machine.get('python', '–')}"),
        (_("Servers"), _("its own, thrown away") if setting.get("embedded") else _("running ones")),
        (_("Version"), str(setting.get("version", "–"))),
    ]  # fmt: skip


def _knob(name: str) -> str:
    """The label of a knob, as on the console."""
    labels = {field.name: field.verbose_name for field in SaleQueue._meta.fields}
    return str(capfirst(labels.get(name, name)))


def _label(labels: dict[str, Any], name: Any) -> str:
    return str(labels.get(name, name or "–"))


def pause(began: float, ended: float) -> str:
    values = {"at": minutes_seconds(began), "seconds": f"{ended - began:.1f}"}
    return _("%(seconds)s s from %(at)s on") % values


def persona(name: str) -> str:
    return _label(PERSONAS, name)


def outcome(name: str) -> str:
    return _label(OUTCOMES, name)


def fault(name: str, description: str) -> str:
    return str(FAULTS.get(name, description or name))
