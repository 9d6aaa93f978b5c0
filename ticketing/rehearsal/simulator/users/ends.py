"""How it ends for somebody."""


class Ended(Exception):
    """Raised where it ends: `state` is one of `tally.ENDS`, `why` is for people."""

    def __init__(self, state: str, why: str) -> None:
        super().__init__(why)
        self.state, self.why = state, why
