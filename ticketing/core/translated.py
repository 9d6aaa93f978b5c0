"""A text stored in two columns, `<name>_ko` and `<name>_en`, read in the active language."""

from typing import Any

from django.utils.translation import get_language


class Translated:
    """`title = Translated()` beside `title_ko` and `title_en`: `event.title` picks one."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return translated(
            getattr(instance, f"{self.name}_ko"), getattr(instance, f"{self.name}_en")
        )


def translated(korean: str, english: str) -> str:
    """The text in the active language, or the other one if there is none."""
    is_english = (get_language() or "").startswith("en")
    return (english or korean) if is_english else (korean or english)
