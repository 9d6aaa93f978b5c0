"""Problems of a seat plan, collected so that all are reported at once."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ticketing.core.errors import DomainError

MAX_PROBLEMS, ENOUGH = 200, 10_000


@dataclass(frozen=True)
class Problem:
    """One problem: the line of the file (0: the whole file), the field, and why."""

    line: int
    field: str
    message: str

    def __str__(self) -> str:
        where = _("Line %(line)s") % {"line": self.line} if self.line else ""
        return ": ".join(part for part in (where, self.field, self.message) if part)


@dataclass
class Problems:
    """Collects problems; lists the first ones and counts the rest."""

    first: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(self, line: int, field: str, message: Any) -> None:
        self.count += 1
        if len(self.first) < MAX_PROBLEMS:
            self.first.append(Problem(line, field, str(message)))

    @property
    def are_many(self) -> bool:
        """Whether nobody needs to know of more; a file may have millions."""
        return self.count > ENOUGH

    def all(self) -> list[Problem]:
        listed = sorted(self.first, key=lambda problem: problem.line)
        more = self.count - len(listed)
        if not more:
            return listed
        message = ngettext("and %(count)s more problem", "and %(count)s more problems", more)
        return [*listed, Problem(0, "", message % {"count": more})]

    def __bool__(self) -> bool:
        return bool(self.count)


class BadPlan(DomainError):
    """Carries every problem; nothing was stored."""

    code = "bad_plan"
    message = gettext_lazy("This seat plan can't be used. Nothing was stored.")
    advice = gettext_lazy("Fix the listed problems and upload the file again.")

    def __init__(self, *, problems: list[Problem]) -> None:
        super().__init__(
            problems=[
                {"line": problem.line, "field": problem.field, "words": problem.message}
                for problem in problems
            ]
        )
        self.problems = problems


class BadPlanFile(BadPlan):
    code = "bad_plan_file"
    message = gettext_lazy("This seat plan file can't be used. Nothing was imported.")


class BadBlocks(BadPlan):
    """`line` is the number of the block."""

    code = "bad_blocks"


class PlanNameTaken(DomainError):
    code = "plan_name_taken"
    status = 409
    message = gettext_lazy("This venue already has a seat plan of that name.")
    advice = gettext_lazy("Plans are never overwritten. Choose another name.")


class PlanChanged(DomainError):
    code = "plan_changed"
    status = 409
    message = gettext_lazy("Somebody else has changed this plan in the meantime.")
    advice = gettext_lazy("Nothing was stored. Load the page again to see the plan as it is now.")


class PlanInUse(DomainError):
    code = "plan_in_use"
    status = 409
    message = gettext_lazy("An event uses this seat plan, so it stays.")
