"""Renders the Helm chart as far as its templates go; anything else in them is an error.

Helm itself is a program of its own, which is not installed everywhere; where it is, it renders too.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

CHART = Path("deploy/helm")
RELEASE = "tickets"
# `{{- …` takes away the white space before it.
TAG = re.compile(r"(?P<trim>\s*(?=\{\{-))?\{\{-?\s*(?P<inside>.*?)\s*\}\}", re.DOTALL)
BLOCKS = ("range", "if", "define")
Scope = dict[str, Any]


def render_with_helm(*settings: str) -> list[dict[str, Any]]:
    command = ["helm", "template", RELEASE, str(CHART)]
    command += [part for each in settings for part in ("--set", each)]
    return parse(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def render(*settings: str) -> list[dict[str, Any]]:
    """Every object of the chart, with these values changed."""
    scope = values()
    for name, _, value in (each.partition("=") for each in settings):
        *path, last = name.split(".")
        place = scope[".Values"]
        for step in path:
            place = place[step]
        place[last] = value
    templates = (CHART / "templates").glob("*.yaml")
    return parse("\n---\n".join(expand(file.read_text(), scope) for file in templates))


def values() -> Scope:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    return {
        ".Values": yaml.safe_load((CHART / "values.yaml").read_text()),
        ".Chart": {"AppVersion": chart["appVersion"]},
        ".Release": {"Name": RELEASE},
    }


def parse(text: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(text) if each]


def expand(text: str, scope: Scope) -> str:
    for name, body in _definitions():
        scope = scope | {f"define {name}": body}
    return _expand(_tokens(text), scope)


def _definitions() -> Iterator[tuple[str, list[Any]]]:
    for file in (CHART / "templates").glob("*.tpl"):
        for tag in (each for each in _tokens(file.read_text()) if isinstance(each, tuple)):
            head, body, _ = tag
            yield head.split('"')[1], body


def _tokens(text: str) -> list[Any]:
    """Texts, expressions as lists of one, and blocks as (head, body, else)."""
    root: list[Any] = []
    open_blocks: list[tuple[str, list[Any], list[Any]]] = []
    current, last = root, 0
    for tag in TAG.finditer(text):
        current.append(text[last : tag.start()])
        last, inside = tag.end(), tag["inside"]
        if inside.split()[0] in BLOCKS:
            block: tuple[str, list[Any], list[Any]] = (inside, [], [])
            current.append(block)
            open_blocks.append(block)
            current = block[1]
        elif inside == "else":
            current = open_blocks[-1][2]
        elif inside == "end":
            open_blocks.pop()
            current = _inner(open_blocks[-1]) if open_blocks else root
        else:
            current.append([inside])
    current.append(text[last:])
    return root


def _inner(block: tuple[str, list[Any], list[Any]]) -> list[Any]:
    return block[2] or block[1]


def _expand(tokens: list[Any], scope: Scope) -> str:
    return "".join(_expand_one(each, scope) for each in tokens)


def _expand_one(token: Any, scope: Scope) -> str:
    if isinstance(token, str):
        return token
    if isinstance(token, list):
        return str(_value(token[0], scope))
    head, body, otherwise = token
    kind, _, rest = head.partition(" ")
    if kind == "if":
        return _expand(body if _value(rest, scope) else otherwise, scope)
    names, _, source = rest.partition(":=")
    key, value = (name.strip() for name in names.split(","))
    items = _value(source.strip(), scope).items()
    return "".join(_expand(body, scope | {key: k, value: v}) for k, v in items)


def _value(text: str, scope: Scope) -> Any:
    """What an expression is worth: a path, a function of few, and what it is piped through."""
    first, *pipes = (part.strip() for part in text.split("|"))
    value = _call(first, scope)
    for pipe in pipes:
        name, *arguments = pipe.split()
        if name == "nindent":
            margin = " " * int(arguments[0])
            value = "".join(f"\n{margin}{line}" for line in str(value).splitlines())
        elif name == "quote":
            value = f'"{value}"'
        elif name == "default":
            value = value or _value(arguments[0], scope)
        else:
            raise ValueError(f"not understood: {pipe}")
    return value


def _call(text: str, scope: Scope) -> Any:
    name, *arguments = re.findall(r'"[^"]*"|\([^)]*\)|\S+', text)
    if name in ("include", "toYaml", "eq", "gt", "add", "int"):
        read = [_value(each.strip("()"), scope) for each in arguments if each not in ("$", ".")]
        return _function(name, read, scope)
    if arguments:
        raise ValueError(f"not understood: {text}")
    return _path(name, scope)


def _function(name: str, read: list[Any], scope: Scope) -> Any:
    if name == "include":
        return _expand(scope[f"define {read[0]}"], scope).strip("\n")
    if name == "toYaml":
        return yaml.safe_dump(read[0]).strip()
    if name == "eq":
        return read[0] == read[1]
    if name == "gt":
        return read[0] > read[1]
    return sum(int(each) for each in read)  # add, int


def _path(text: str, scope: Scope) -> Any:
    if text.startswith('"'):
        return text.strip('"')
    if text.isdecimal():
        return int(text)
    text = text.removeprefix("$") if text.startswith("$.") else text
    known = next((name for name in scope if text == name or text.startswith(f"{name}.")), None)
    if known is None:
        raise ValueError(f"not understood: {text}")
    value = scope[known]
    for step in filter(None, text.removeprefix(known).split(".")):
        if step not in value:
            raise ValueError(f"no such value: {text}")
        value = value[step]
    return value
