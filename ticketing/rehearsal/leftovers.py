"""Counts and deletes the rows of an event and of its people, found by following foreign keys.

A model that is added later is found as well, by its foreign key to an event or a person.
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

# Refers to the event or its people, and stays.
KEPT = (Rehearsal,)
BELONGS = (models.CASCADE, models.PROTECT)
NO_EVENT = 0
OwnedModels = list[tuple[type[Model], str]]


@cache
def owned_by_an_event() -> OwnedModels:
    """Each model with its lookup path to the event, the farthest first."""
    return _owned_by(Event, BELONGS)


@cache
def owned_by_a_person() -> OwnedModels:
    return _owned_by(User, (models.CASCADE,))


def count(event_id: int, people: Collection[int]) -> Counter[str]:
    """The number of rows of each model, zero included."""
    rows: Counter[str] = Counter({"ticketing.Event": Event.objects.filter(pk=event_id).count()})
    rows["accounts.User"] = User.objects.filter(pk__in=among(people)).count()
    wanted = {model: Q(**{path: event_id}) for model, path in owned_by_an_event()}
    for model, field in _references(User):
        theirs = Q(**{f"{field.name}__in": among(people)})
        wanted[model] = wanted[model] | theirs if model in wanted else theirs
    for model, mine in wanted.items():
        rows[model._meta.label] = model._base_manager.filter(mine).count()
    return rows


def count_of_those_who_stay(people: Collection[int]) -> Counter[str]:
    """The rows of those people who have something of another event."""
    return count(NO_EVENT, set(_bound_elsewhere(people)))


def delete_rows_of_event(event_id: int) -> None:
    """Delete children first: the audit's trigger looks up the event through their parents."""
    for model, path in owned_by_an_event():
        model._base_manager.filter(**{path: event_id})._raw_delete("default")
    Event.objects.filter(pk=event_id)._raw_delete("default")


def delete_people(people: Collection[int]) -> None:
    """Delete people and their rows, except those who have something of another event."""
    going = set(people) - set(_bound_elsewhere(people))
    for model, path in owned_by_a_person():
        model._base_manager.filter(**{f"{path}__in": among(going)})._raw_delete("default")
    for model, field in _references(User):
        if field.remote_field.on_delete is models.SET_NULL:
            model._base_manager.filter(**{f"{field.name}__in": among(going)}).update(
                **{field.name: None}
            )
    User.objects.filter(pk__in=among(going))._raw_delete("default")


def among(people: Collection[int]) -> RawSQL:
    """Ten thousand people as one query parameter instead of ten thousand."""
    return RawSQL("SELECT unnest(%s::bigint[])", [list(people)])


def _bound_elsewhere(people: Collection[int]) -> Iterator[int]:
    for model, field in _references(User):
        if field.remote_field.on_delete is models.PROTECT:
            rows = model._base_manager.filter(**{f"{field.name}__in": among(people)})
            yield from rows.values_list(field.attname, flat=True).distinct()


def _owned_by(root: type[Model], kinds: Collection[object]) -> OwnedModels:
    paths: dict[type[Model], str] = {}
    edge: OwnedModels = [(root, "")]
    while edge:
        farther: OwnedModels = []
        for target, path in edge:
            for model, field in _references(target):
                if field.remote_field.on_delete in kinds and model not in (root, *paths, *KEPT):
                    paths[model] = f"{field.name}__{path}" if path else field.name
                    farther.append((model, paths[model]))
        edge = farther
    return list(reversed(paths.items()))


@cache
def _references(target: type[Model]) -> list[tuple[type[Model], models.ForeignKey]]:
    """Every foreign key to this model, including those of many-to-many tables."""
    return [
        (model, field)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.ForeignKey)
        and field.related_model is target
        and model not in KEPT
    ]
