"""State machines: a model declares its `MOVES`; services call `move_to` under the row lock."""

from typing import Any, ClassVar

from django.db import models

from ticketing.core.errors import IllegalMove


class Lifecycle(models.Model):
    """A model whose `state` changes only as declared in `MOVES`."""

    State: ClassVar[type[models.TextChoices]]
    MOVES: ClassVar[dict[Any, set[Any]]]
    state: Any

    class Meta:
        abstract = True

    @property
    def moves(self) -> list[Any]:
        """The states that can follow the current one, in declaration order."""
        reachable = self.MOVES.get(self.State(self.state), set())
        return [state for state in self.State if state in reachable]

    def move_to(self, state: Any) -> None:
        if state not in self.moves:
            before, after = self.State(self.state).label, self.State(state).label
            raise IllegalMove(before=str(before), after=str(after))
        self.state = state
