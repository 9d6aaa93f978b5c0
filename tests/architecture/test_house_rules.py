"""Rules of the house that no linter knows."""

import ast
import queue
import re
import sysconfig
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
APPS = ("ticketing", "waiting_queue", "reservations", "payments")
SOURCES = [
    path
    for app in APPS
    for path in sorted((ROOT / app).rglob("*.py"))
    if "migrations" not in path.parts
]
# Mails are no pages: other programs show them, and most of those only know a style of their own.
MAILS = ROOT / "templates" / "mail"
TEMPLATES = [
    path for path in sorted((ROOT / "templates").rglob("*.html")) if MAILS not in path.parents
]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def calls(path: Path) -> set[str]:
    """Every dotted name that the file calls, such as `time.time` or `qs.select_for_update`."""
    tree = ast.parse(path.read_text())
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def test_import_queue_is_still_the_standard_librarys():
    assert Path(queue.__file__).parent == Path(sysconfig.get_path("stdlib"))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_row_locks_stand_only_in_locks(path):
    takes_locks = any(call.endswith("select_for_update") for call in calls(path))
    writes_them_out = re.search(r"\bFOR (NO KEY )?UPDATE\b", path.read_text())

    # The lab shows what every other way of locking does.
    allowed = path.name == "locks.py" or "lab" in path.parts
    assert allowed or not (takes_locks or writes_them_out)


ASKS_TIME = re.compile(
    r"(^|\.)(time\.time|time\.monotonic|timezone\.now|datetime\.now|utcnow|today)$"
)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_only_the_clock_asks_the_time(path):
    asks = {call for call in calls(path) if ASKS_TIME.search(call)}

    standalone = {"embedded", "runner"} & {*path.parts}  # they import nothing of the site
    assert not asks or path.parts[-2:] == ("core", "clock.py") or standalone


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_only_stores_talk_to_redis(path):
    allowed = ("redis.py", "store.py", "gate.py", "throttle.py", "health.py")

    assert "redis.client" not in calls(path) or path.name in allowed


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_walks_the_keyspace(path):
    """But the clean-up of a rehearsal, which looks for what nobody thought of."""
    if path.parts[-2:] == ("rehearsal", "store.py"):
        return
    assert not {call for call in calls(path) if re.search(r"\.(keys\(|scan_iter|scan)$", call)}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_what_may_fail_after_a_commit_has_a_name(path):
    """Django writes that name into the log, and stumbles over a partial, which has none."""
    text = path.read_text()
    assert "robust=True" not in text or "partial(" not in text


INLINE = re.compile(
    r"<script(?![^>]*\b(src|type=[\"']application/(ld\+)?json)\b)|<style\b|\sstyle=|\son\w+=[\"']|javascript:"
)


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_templates_hold_no_inline_script_or_style(path):
    """The content security policy would block it in the browser, silently."""
    if path.parts[-2:] == ("rehearsal", "report.html"):
        return  # one file that must stand alone; it is served with a policy of its own
    assert INLINE.findall(path.read_text()) == []


@pytest.mark.parametrize("path", sorted(MAILS.glob("*.html")), ids=name_of)
def test_mails_hold_no_script_and_no_style_outside_their_head(path):
    body = path.read_text().partition("</head>")[2] or path.read_text()

    assert INLINE.findall(body) == []
    assert "<script" not in path.read_text()


@pytest.mark.parametrize(
    "bad",
    [
        "<script>x()</script>",
        '<p style="a:b">',
        "<style>",
        '<a onclick="x()">',
        '<a href="javascript:x">',
    ],
)
def test_control_inline_code_would_be_found(bad):
    assert INLINE.search(bad)
