"""Querysets that are compiled to SQL once, and run as prepared statements.

For pages of a crowd, and for what runs every few seconds on an idle site: the ORM takes several
times as long to write such a statement as PostgreSQL takes to run it. What comes back are the same
instances, with their related ones.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import BooleanField, Expression, F, Func, Model, QuerySet
from django.db.models.query import get_related_populators

from ticketing.core import sql

M = TypeVar("M", bound=Model)
LARGEST = 2**63 - 1
Parameters = Callable[[str], "Parameter"]
related_populators: Any = get_related_populators  # the types know a later version of Django


class Parameter(Expression):
    """Stands in a queryset for a value that is only known when it is run."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


def is_any_of(field: str, ids: Parameter) -> Func:
    """Filters by any number of ids (`ids_text`), which one statement can't do with `__in`."""
    template = "%(expressions)s::bigint[])"
    return Func(F(field), ids, template=template, arg_joiner=" = ANY(", output_field=BooleanField())


def ids_text(ids: Iterable[int]) -> str:
    """Ids as PostgreSQL reads an array; as text, because it is then prepared once for all sizes."""
    return f"{{{','.join(map(str, ids))}}}"


class PreparedQuery(Generic[M]):
    """`PreparedQuery(lambda it: Seat.objects.filter(pk=it("seat"))).all(seat=5)`.

    Without `prefetch_related` and `iterator`; whatever else the queryset does is kept.
    """

    def __init__(self, build: Callable[[Parameters], QuerySet[M]]) -> None:
        self._build = build

    def all(self, **values: Any) -> list[M]:
        if any(type(value) is int and abs(value) > LARGEST for value in values.values()):
            return []  # as the ORM: no row can have such a number
        found = self._compiled
        sent = [values[it.name] if isinstance(it, Parameter) else it for it in found.parameters]
        return [found.instance(row) for row in sql.fetch(found.text, sent, row_factory=list_row)]

    def first(self, **values: Any) -> M | None:
        found = self.all(**values)
        return found[0] if found else None

    @cached_property
    def _compiled(self) -> "_Compiled[M]":
        return _Compiled(self._build(Parameter))


class _Compiled(Generic[M]):
    """As `django.db.models.query.ModelIterable` does it for each run of a queryset."""

    def __init__(self, queryset: QuerySet[M]) -> None:
        compiler = queryset.query.get_compiler(using=DEFAULT_DB_ALIAS)
        text, self.parameters = compiler.as_sql()
        parts = text.replace("%%", "%").split("%s")
        self.text = "".join(f"{part}${n}" for n, part in enumerate(parts[:-1], 1)) + parts[-1]
        select, klass_info = compiler.select, compiler.klass_info
        self._model: type[M] = klass_info["model"]
        fields = klass_info["select_fields"]
        self._own = slice(fields[0], fields[-1] + 1)
        self._names = [column.target.attname for column, *_ in select[self._own]]
        self._related = related_populators(klass_info, select, DEFAULT_DB_ALIAS)
        self._annotations = list((compiler.annotation_col_map or {}).items())
        converters = compiler.get_converters([column for column, *_ in select])
        self._converters = list(converters.items())

    def instance(self, row: list[Any]) -> M:
        for column, (functions, expression) in self._converters:
            for function in functions:
                row[column] = function(row[column], expression, connection)
        found = self._model.from_db(DEFAULT_DB_ALIAS, self._names, row[self._own])
        for related in self._related:
            related.populate(row, found)
        for name, column in self._annotations:
            setattr(found, name, row[column])
        return found


def list_row(cursor: Any) -> type[list[Any]]:
    return list
