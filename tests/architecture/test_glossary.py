"""docs/glossary.md names every noun that is used in a module's name."""

import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
APPS = ("ticketing", "waiting_queue", "reservations", "payments")
# What every Django, web or Python programmer knows; words of our own field are in the glossary.
COMMON = frozenset(
    """
    access account add address admin api app application argument arrival arrivals asgi async auth
    authentication auto backend base behind best body builder bulk cache cached calendar call
    cap celery chart check child class cleanup client clock code command config configure
    consumer contact context control cookie copy core count counted counter create csv dashboard
    data database date delay delivery development difference document door drain draw drawing
    duration early ed25519 en endpoint entry error evidence expire fact factor failure fairness fan
    fast field file find first folder form format formats generate generated health history html
    http idempotency image in index init input issue json key kick ko label latency layout leave
    left level limit list live load loader local lock log machine mail management map matching
    message metrics middleware migration model money move no none notification one optimistic order
    origin outcome over overview own owner ownership page parser parsing path pause paused
    payment pdf people permission pessimistic png policy pool postgres prefix preflight prepare
    prepared preview process processor progress public publish qr query race rank rate
    rebuild receipt reconcile redirect redis refuse rehearse release remove renew report request
    reservation reset response result resume return roles route routing rule run sale sales
    sandbox schedule schema scratch script search second security seed select selector send
    serializer serve server service session set settings shape short shutdown signal signing site
    size slot
    snapshot socket sold source sql startup state static stats status step store stored strategy
    stream string svg table task tell template templatetags terminal test testing text thread
    throttle ticketing time timer token top translated trick ttl turn up update upload url user
    valkey value verification verify view visit waiting web window work worker
    """.split()  # noqa: SIM905 - a list of this length would fill pages
)


def module_words() -> dict[str, str]:
    """Each word of a module's or package's name, in the singular, with a file that has it."""
    words: dict[str, str] = {}
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            if "migrations" in path.parts:
                continue
            parts = path.relative_to(ROOT).with_suffix("").parts
            for word in (word for part in parts for word in part.split("_") if word):
                words.setdefault(singular(word), str(path.relative_to(ROOT)))
    return words


def singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def unexplained(words: dict[str, str], glossary: str) -> dict[str, str]:
    known = {singular(word) for word in re.findall(r"[a-z0-9]+", glossary.lower())}
    common = {singular(word) for word in COMMON}
    return {word: path for word, path in words.items() if word not in known | common}


def test_the_glossary_has_every_noun_of_module_names():
    glossary = (ROOT / "docs" / "glossary.md").read_text()

    assert unexplained(module_words(), glossary) == {}


def test_control_a_private_word_is_found():
    assert unexplained({"weather": "payments/weather.py"}, "| gateway | a service |") == {
        "weather": "payments/weather.py"
    }
