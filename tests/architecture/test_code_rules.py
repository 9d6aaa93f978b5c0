"""Rules of the code base that no linter knows: one test a rule, with every offender in its message.

Each rule is a function from a file to what is wrong in it, so that a control can plant a mistake.
"""

import ast
import queue
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
APPS = ("ticketing", "waiting_queue", "reservations", "payments")
# Mails are not pages: mail programs only know styles inside the mail.
MAILS = ROOT / "templates" / "mail"


@dataclass(frozen=True)
class Source:
    """A Python file: its path below the root, and its text."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folders(self) -> list[str]:
        return self.path.split("/")[:-1]

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def calls(self) -> set[str]:
        """Every dotted name that is called, such as `time.time` or `qs.select_for_update`."""
        return {
            ast.unparse(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)
        }

    @cached_property
    def imports(self) -> set[str]:
        """Every module, and every name of a module, that is imported."""
        return set(imported(self.tree))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    return [
        Source(str(path.relative_to(ROOT)), path.read_text())
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts
    ]


@pytest.fixture(scope="module")
def templates() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html"))


# -- the rules -------------------------------------------------------------------------------------

ROW_LOCK = re.compile(r"\bFOR (NO KEY )?UPDATE\b")
ASKS_TIME = re.compile(
    r"(^|\.)(time\.time|time\.monotonic|timezone\.now|datetime\.now|utcnow|today)$"
)
REDIS_CLIENT = re.compile(r"(^|\.)(async_)?(queue_)?client$")
WALKS_KEYS = re.compile(r"\.(keys|scan|scan_iter)$")
HTTP = ("django.http", "django.shortcuts", "rest_framework", "channels")
EDGES = {"views", "api", "consumers", "tasks"}
MAX_LINES = 300


def row_locks_outside_locks(source: Source) -> set[str]:
    """The lab may: it shows what every other way of locking does."""
    if source.name == "locks.py" or {"locks", "lab"} & set(source.folders):
        return set()
    found = {call for call in source.calls if call.endswith("select_for_update")}
    return found | {match.group() for match in ROW_LOCK.finditer(source.text)}


def asks_the_time(source: Source) -> set[str]:
    """Embedded servers and the simulator are programs of their own, without the site's clock."""
    if source.path == "ticketing/core/clock.py" or {"embedded", "runner", "simulator"} & {
        *source.folders
    }:
        return set()
    return {call for call in source.calls if ASKS_TIME.search(call)}


def talks_to_redis(source: Source) -> set[str]:
    """Only stores and gates do, and in core the throttle, the sessions and the health check."""
    allowed = {"store.py", "gate.py", "redis.py", "throttle.py", "health.py", "sessions.py"}
    if source.name in allowed or {"store", "gate"} & {*source.folders}:
        return set()
    if not {"ticketing.core.redis", "ticketing.core"} & source.imports:
        return set()
    return {
        call for call in source.calls if call.startswith("redis.") and REDIS_CLIENT.search(call)
    }


def walks_the_keyspace(source: Source) -> set[str]:
    """The clean-up of a rehearsal may, for keys nobody thought of."""
    if source.path == "ticketing/rehearsal/store.py":
        return set()
    calls = {call for call in source.calls if WALKS_KEYS.search(call) and "client" in call}
    commands = {
        node.value
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant) and node.value in ("KEYS", "SCAN")
    }
    return calls | commands


def services_that_know_http(source: Source) -> set[str]:
    if "services" not in source.path:
        return set()
    return {name for name in source.imports if name.startswith(HTTP)}


def unnamed_commit_hooks(source: Source) -> set[str]:
    """Django logs the name of a robust commit hook that fails, and a partial has none."""
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    hooks = [ast.unparse(node) for node in calls if ast.unparse(node.func).endswith("on_commit")]
    return {hook for hook in hooks if "partial(" in hook and "robust=True" in hook}


def includes_by_string(source: Source) -> set[str]:
    """An include by name hides an import; only the site's own list of URLs has them."""
    if source.path == "ticketing/urls.py":
        return set()
    return {
        ast.unparse(node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "include"
        and isinstance(node.args[0], ast.Constant)
    }


def edges_that_map_errors(source: Source) -> set[str]:
    """An edge may show one refusal on its own form; every other error is mapped in one place."""
    if not EDGES & {*source.folders, source.name.removesuffix(".py")}:
        return set()
    handlers = (node for node in ast.walk(source.tree) if isinstance(node, ast.ExceptHandler))
    caught = (ast.unparse(node.type) if node.type else "everything" for node in handlers)
    return {f"catches {name}" for name in caught if name in ("everything", "Exception")}


def modules_to_split(source: Source) -> set[str]:
    """A longer module becomes a package, with a module for each subject."""
    lines = len(source.text.splitlines())
    return {f"{lines} lines"} if lines > MAX_LINES else set()


RULES: dict[Callable[[Source], set[str]], tuple[str, str]] = {
    row_locks_outside_locks: ("app/services/x.py", "Seat.objects.select_for_update()"),
    asks_the_time: ("app/services/x.py", "import time\ntime.time()"),
    talks_to_redis: (
        "app/services/x.py",
        "from ticketing.core import redis\nredis.async_client().get('x')",
    ),
    walks_the_keyspace: ("app/store.py", "redis.client().keys('*')"),
    services_that_know_http: ("app/services/x.py", "from django.http import Http404"),
    unnamed_commit_hooks: ("app/x.py", "transaction.on_commit(partial(f, 1), robust=True)"),
    includes_by_string: ("app/urls.py", "path('', include('other.urls'))"),
    edges_that_map_errors: ("app/views/x.py", "try:\n    f()\nexcept Exception:\n    pass"),
    modules_to_split: ("app/services/x.py", "f()\n" * (MAX_LINES + 1)),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_nothing_breaks_the_rule(rule, sources):
    offenders = {source.path: found for source in sources if (found := rule(source))}

    assert offenders == {}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_control_a_planted_offender_is_found(rule):
    assert rule(Source(*RULES[rule]))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (row_locks_outside_locks, "cursor.execute('SELECT 1 FOR NO KEY UPDATE')"),
        (asks_the_time, "timezone.now()"),
        (talks_to_redis, "from ticketing.core import redis\nredis.queue_client()"),
        (walks_the_keyspace, "redis.client().scan_iter()"),
        (walks_the_keyspace, "client.execute_command('KEYS', '*')"),
        (edges_that_map_errors, "try:\n    f()\nexcept:\n    pass"),
    ],
)
def test_control_other_spellings_are_found_too(rule, text):
    assert rule(Source(RULES[rule][0], text))


def test_import_queue_is_still_the_standard_librarys():
    assert Path(queue.__file__).parent == Path(sysconfig.get_path("stdlib"))


# -- templates -------------------------------------------------------------------------------------

INLINE = re.compile(
    r"<script(?![^>]*\b(src|type=[\"']application/(ld\+)?json)\b)|<style\b|\sstyle=|\son\w+=[\"']|javascript:"
)


def test_templates_hold_no_inline_script_or_style(templates):
    """The content security policy would block it in the browser, silently.

    Two pages are files that stand alone, served with a policy of their own: the rehearsal's
    report, and the page of an overloaded process, whose style is allowed by its hash.
    """
    pages = [path for path in templates if MAILS not in path.parents]
    own_policy = {
        ROOT / "templates" / name for name in ("rehearsal/report.html", "errors/overloaded.html")
    }

    assert [
        str(path) for path in pages if path not in own_policy and INLINE.search(path.read_text())
    ] == []


def test_mails_hold_no_script_and_no_style_outside_their_head():
    mails = {path: path.read_text() for path in sorted(MAILS.glob("*.html"))}

    assert mails
    assert [str(path) for path, text in mails.items() if "<script" in text] == []
    assert [
        str(path)
        for path, text in mails.items()
        if INLINE.search(text.partition("</head>")[2] or text)
    ] == []


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
