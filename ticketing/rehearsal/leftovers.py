"""Every row of an event and of its people, found by following foreign keys: none is forgotten.

A model that somebody adds later is found as well, by how it refers to an event or a person.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache

from django.apps import apps
from django.db import models
from django.db.models import Model, Q
from django.db.models.expressions import RawSQL

from ticketing.accounts.models import User
from ticketing.events.models import Event
from ticketing.rehearsal.models import Rehearsal

# Those that know the rehearsal by name, and stay.
KEPT = (Rehearsal,)
BELONGS = (models.CASCADE, models.PROTECT)
NO_EVENT = 0
Owned = list[tuple[type[Model], str]]


@cache
def owned_by_an_event() -> Owned:
    """Each model with its way to the event, those farthest away first."""
    return _owned_by(Event, BELONGS)


@cache
def owned_by_a_person() -> Owned:
    return _owned_by(User, (models.CASCADE,))


def count(event_id: int, people: Collection[int]) -> Counter[str]:
    """How many rows there are of each model, zero included."""
    found: Counter[str] = Counter({"ticketing.Event": Event.objects.filter(pk=event_id).count()})
    found["accounts.User"] = User.objects.filter(pk__in=among(people)).count()
    wanted = {model: Q(**{f"{way}": event_id}) for model, way in owned_by_an_event()}
    for model, field in _references(User):
        theirs = Q(**{f"{field.name}__in": among(people)})
        wanted[model] = wanted[model] | theirs if model in wanted else theirs
    for model, mine in wanted.items():
        found[model._meta.label] = model._base_manager.filter(mine).count()
    return found


def count_of_those_who_stay(people: Collection[int]) -> Counter[str]:
    """The same, of people who have something of another event alone."""
    return count(NO_EVENT, set(_bound_elsewhere(people)))


def delete_rows_of_event(event_id: int) -> None:
    """Children first: the audit asks their parents which event it is about."""
    for model, way in owned_by_an_event():
        model._base_manager.filter(**{way: event_id})._raw_delete("default")
    Event.objects.filter(pk=event_id)._raw_delete("default")


def delete_people(people: Collection[int]) -> None:
    """With what is theirs alone. Whoever has something elsewhere stays, and is counted."""
    going = set(people) - set(_bound_elsewhere(people))
    for model, way in owned_by_a_person():
        model._base_manager.filter(**{f"{way}__in": among(going)})._raw_delete("default")
    for model, field in _references(User):
        if field.remote_field.on_delete is models.SET_NULL:
            model._base_manager.filter(**{f"{field.name}__in": among(going)}).update(
                **{field.name: None}
            )
    User.objects.filter(pk__in=among(going))._raw_delete("default")


def among(people: Collection[int]) -> RawSQL:
    """Ten thousand people as one parameter, and not as ten thousand."""
    return RawSQL("SELECT unnest(%s::bigint[])", [list(people)])


def _bound_elsewhere(people: Collection[int]) -> Iterator[int]:
    for model, field in _references(User):
        if field.remote_field.on_delete is models.PROTECT:
            rows = model._base_manager.filter(**{f"{field.name}__in": among(people)})
            yield from rows.values_list(field.attname, flat=True).distinct()


def _owned_by(root: type[Model], kinds: Collection[object]) -> Owned:
    ways: dict[type[Model], str] = {}
    edge: Owned = [(root, "")]
    while edge:
        farther: Owned = []
        for target, way in edge:
            for model, field in _references(target):
                if field.remote_field.on_delete in kinds and model not in (root, *ways, *KEPT):
                    ways[model] = f"{field.name}__{way}" if way else field.name
                    farther.append((model, ways[model]))
        edge = farther
    return list(reversed(ways.items()))


@cache
def _references(target: type[Model]) -> list[tuple[type[Model], models.ForeignKey]]:
    """Every foreign key to this model, those of many-to-many tables included."""
    return [
        (model, field)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.ForeignKey)
        and field.related_model is target
        and model not in KEPT
    ]
