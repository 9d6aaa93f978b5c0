"""The version of this release, and what it runs with: `manage.py version`."""

import platform
import tomllib
from pathlib import Path

import django

SUPPORTED = "Python 3.11 to 3.14, PostgreSQL 15 to 18, Redis 7 or newer, Valkey 8 or newer"
PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
VERSION = str(tomllib.loads(PROJECT.read_text())["project"]["version"])
TEXT = f"""ticketing {VERSION}
Python {platform.python_version()}, Django {django.__version__}
Supported: {SUPPORTED}."""
