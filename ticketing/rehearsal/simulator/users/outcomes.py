"""How a user's visit ends."""


class UserFinished(Exception):
    """Raised where a visit ends: `state` is one of `history.OUTCOMES`, `why` a text for people."""

    def __init__(self, state: str, why: str) -> None:
        super().__init__(why)
        self.state, self.why = state, why
