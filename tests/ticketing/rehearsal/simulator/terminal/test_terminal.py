"""The command in a pseudo-terminal."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unicodedata
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ticketing.rehearsal.simulator.terminal.dashboard import (
    CLEAR_REST,
    ENTER_SCREEN,
    HOME,
    LEAVE_SCREEN,
)

COLOURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[K")
CTRL_C = b"\x03"
TIMEOUT = 30.0
SETTING = {
    "code": "bcdfghjk", "event": 8, "source": 7, "title": {"en": "A show", "ko": "달빛 공연"},
    "fans": 5, "minutes": 1, "profile": "rush", "faults": "none", "seed": 1, "cookie": "sessionid",
    "limit_per_person": 2, "hold_seconds": 60, "payments": True, "seats": 10,
    "knobs": {"admit_per_second": 1},
}  # fmt: skip


class Terminal:
    """A program in a pseudo-terminal, whose kernel side turns Ctrl-C into a signal."""

    def __init__(self, *command, **env):
        self.mine, theirs = pty.openpty()
        self.resize(80, 24)
        self.program = subprocess.Popen(
            [sys.executable, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "DEVELOPMENT": "1", **env},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.seen = ""

    def resize(self, width, height):
        fcntl.ioctl(self.mine, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def type(self, keys):
        os.write(self.mine, keys)

    def read_until(self, there):
        give_up_at = time.monotonic() + TIMEOUT
        while not there(self.seen):
            assert time.monotonic() < give_up_at, self.seen[-2000:]
            self._read()

    def rest(self):
        """Read until the program ends, and return its exit code."""
        while self._read():
            pass
        return self.program.wait(TIMEOUT)

    def _read(self):
        if not select.select([self.mine], [], [], 0.1)[0]:
            return True
        try:
            read = os.read(self.mine, 65_536)
        except OSError:  # how Linux says that nobody has the other end
            return False
        self.seen += read.decode(errors="replace")
        return bool(read)

    def frame(self):
        """The lines of a screen that was drawn from now on.

        What a slow reader has not read yet was drawn before.
        """
        while select.select([self.mine], [], [], 0)[0] and self._read():
            pass
        start = len(self.seen)
        self.read_until(lambda seen: seen.count(CLEAR_REST, start) >= 3)
        last = self.seen[start:].split(HOME)[-2]
        lines = COLOURS.sub("", last.partition(CLEAR_REST)[0]).split("\n")[:-1]
        return [line.rstrip("\r") for line in lines]  # the kernel adds one to each line's end

    def close(self):
        if self.program.poll() is None:
            self.program.send_signal(signal.SIGKILL)
            self.program.wait()
        os.close(self.mine)


def columns(line):
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in line)


@pytest.fixture
def terminal():
    opened = []

    def at(*command, **env):
        opened.append(Terminal(*command, **env))
        return opened[-1]

    yield at
    for one in opened:
        one.close()


def test_the_dashboard_fits_any_size_of_the_window(terminal):
    window = terminal("-m", "tests.ticketing.rehearsal.simulator.terminal.busy_dashboard")
    window.read_until(lambda seen: CLEAR_REST in seen)

    for width, height in ((80, 24), (40, 12), (20, 6), (120, 40)):
        window.resize(width, height)
        lines = window.frame()
        assert max(map(columns, lines)) <= width
        assert len(lines) < height
        assert lines[0].startswith("Rehearsal K7QF2M9X")
    window.type(CTRL_C)

    assert window.rest() == 0
    assert window.seen.startswith(ENTER_SCREEN)
    assert window.seen.endswith(LEAVE_SCREEN)


class RehearsalApi(BaseHTTPRequestHandler):
    """A site that never finishes making people, and perhaps never cleans up."""

    def do_POST(self):
        self.server.requests.append(("POST", self.path))
        if self.path.endswith("/people/"):
            self.server.over.wait(TIMEOUT)
        self.answer(SETTING)

    def do_DELETE(self):
        self.server.requests.append(("DELETE", self.path))
        if self.server.is_stuck:
            self.server.over.wait(TIMEOUT)
        self.answer({"left_behind": {"redis": 0}})

    def answer(self, content):
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), RehearsalApi)
    server.requests, server.over, server.is_stuck = [], threading.Event(), False
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def rehearsal(terminal, site, tmp_path):
    url, var = f"http://127.0.0.1:{site.server_port}", str(tmp_path / "var")
    where = ("--url", url, "--token", "tk_x", "--folder", str(tmp_path / "run"))
    window = terminal("manage.py", "rehearse", "7", *where, VAR_DIR=var)
    window.read_until(lambda seen: "making people" in seen)
    return window


def test_ctrl_c_cleans_up_and_gives_the_screen_back(rehearsal, site):
    rehearsal.type(CTRL_C)

    assert rehearsal.rest() == 130
    before, _, after = rehearsal.seen.rpartition(LEAVE_SCREEN)
    assert before.count(ENTER_SCREEN) == 1
    assert "\x1b[?" not in after
    assert "Stopped." in after
    assert site.requests[-1] == ("DELETE", "/api/v1/rehearsals/bcdfghjk/")


def test_a_second_ctrl_c_leaves_at_once_and_gives_the_screen_back(rehearsal, site):
    site.is_stuck = True
    rehearsal.type(CTRL_C)
    rehearsal.read_until(lambda seen: "cleaning up" in seen)
    rehearsal.type(CTRL_C)

    assert rehearsal.rest() == 130
    after = rehearsal.seen.rpartition(LEAVE_SCREEN)[2]
    assert "rehearse --clean bcdfghjk" in after
    assert ENTER_SCREEN not in after
