"""Groups in a line that the system acts on by itself: only if independent reasons come together.

One reason is where they come from: one range of addresses, or one browser. That alone is a family,
an office, a university or a mobile network. The other is what they are or do, and is counted only
where it is far from usual in this sale: new accounts, or holds that run out again and again. Only
people of whom both are true belong to the group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, Q, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from waiting_queue.models import PlaceSignals

# So many people at least: more than a household has, or than use one browser.
LEAST = {"address_range": 10, "device": 5}
# Accounts of these ages are new: nearly all of the group's, and few of those of everybody else.
NEW_AGES = {"new_accounts": ("day",), "young_accounts": ("day", "week")}
GROUP_SHARE, USUAL_SHARE, USUAL_PEOPLE = 0.8, 0.4, 20
# So many holds of a person ran out, for so many of the group.
RUN_OUTS, RUN_OUT_SHARE = 2, 0.25
AGES = {name: Q(age__in=ages) for name, ages in NEW_AGES.items()}
FACTS = AGES | {"run_outs": Q(ended__gte=RUN_OUTS)}


@dataclass(frozen=True)
class StrongGroup:
    """`reason` names what is unusual about people who come from one place."""

    reason: str
    people: tuple[int, ...]


def strong_groups(event_id: int) -> list[StrongGroup]:
    """The largest first; nobody is in two of them."""
    rows = PlaceSignals.objects.filter(event_id=event_id).order_by()
    rows = rows.annotate(
        device=KT("signals__device"),
        age=KT("signals__account_age"),
        ended=Cast(KT("signals__holds_run_out"), IntegerField()),
    )
    usual = _usual_ages(rows)
    found = sorted(
        (group for field in LEAST for group in _groups_by(field, rows, usual)),
        key=lambda group: -len(group.people),
    )
    seen: set[int] = set()
    for place, group in enumerate(found):
        found[place] = StrongGroup(group.reason, tuple(p for p in group.people if p not in seen))
        seen.update(group.people)
    return [group for group in found if group.people]


def _groups_by(field: str, rows: QuerySet[Any], usual: frozenset[str]) -> Iterator[StrongGroup]:
    crowds = _counted(rows, field).filter(size__gte=LEAST[field])
    for crowd in crowds:
        for reason, fact in FACTS.items():
            if _is_strong(reason, crowd, LEAST[field], usual):
                people = rows.filter(fact, **{field: crowd[field]}).values_list("person", flat=True)
                yield StrongGroup(reason, tuple(people.distinct()))


def _is_strong(reason: str, crowd: dict[str, Any], least: int, usual: frozenset[str]) -> bool:
    if reason in usual or crowd[reason] < least:
        return False
    share = RUN_OUT_SHARE if reason == "run_outs" else GROUP_SHARE
    return crowd[reason] >= share * crowd["size"]


def _usual_ages(rows: QuerySet[Any]) -> frozenset[str]:
    """The ages that are usual among those who come from nowhere in particular, or not known."""
    others = _counted(rows, "address_range").filter(size__lt=LEAST["address_range"])
    sums = others.aggregate(people=Sum("size"), **{f"{name}_sum": Sum(name) for name in AGES})
    people = sums["people"] or 0
    return frozenset(
        name for name in AGES if people < USUAL_PEOPLE or sums[f"{name}_sum"] > USUAL_SHARE * people
    )


def _counted(rows: QuerySet[Any], field: str) -> QuerySet[Any]:
    """How many people have this in common, and of how many of them each fact is true."""
    facts = {name: Count("person", filter=fact, distinct=True) for name, fact in FACTS.items()}
    known = rows.exclude(**{field: ""}).exclude(**{f"{field}__isnull": True})
    return known.values(field).annotate(size=Count("person", distinct=True), **facts)
