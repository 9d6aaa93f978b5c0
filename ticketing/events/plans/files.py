"""Reads seat plan files: any bytes become a plan or a list of all their problems."""

from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ticketing.events.plans.csv_file import read_csv
from ticketing.events.plans.draft import PlanDraft
from ticketing.events.plans.errors import BadPlanFile, Problem, Problems
from ticketing.events.plans.json_file import read_json
from ticketing.events.plans.svg_file import read_svg

MAX_BYTES = 10 * 1024 * 1024
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .xls
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Inspection:
    """The result of reading a file; `draft` is valid only if there are no problems."""

    draft: PlanDraft
    problems: list[Problem]


def read_plan(name: str, content: bytes) -> PlanDraft:
    """The plan in this file, or BadPlanFile with all its problems."""
    inspection = inspect_plan(name, content)
    if inspection.problems:
        raise BadPlanFile(problems=inspection.problems)
    return inspection.draft


def inspect_plan(name: str, content: bytes) -> Inspection:
    problems = Problems()
    text = _decoded(content, problems)
    draft = PlanDraft()
    if not problems:
        draft = _reader(name.lower(), text.lstrip()[:1])(text, problems)
    return Inspection(draft, problems.all())


def _reader(name: str, first_sign: str) -> Callable[[str, Problems], PlanDraft]:
    if name.endswith(".svg") or first_sign == "<":
        return read_svg
    return read_json if name.endswith(".json") or first_sign in ("{", "[") else read_csv


def _decoded(content: bytes, problems: Problems) -> str:
    """UTF-8, or the CP949 that Korean spreadsheets write."""
    if len(content) > MAX_BYTES:
        problems.add(0, "", _("The file is larger than %(limit)s MB.") % {"limit": MAX_BYTES >> 20})
    elif not content.removeprefix(BOM_UTF8).strip():
        problems.add(0, "", _("The file is empty."))
    elif content.startswith(WORKBOOKS):
        problems.add(0, "", _("This is a workbook. Save it as CSV (UTF-8) and send that."))
    elif content.startswith(UTF_16):
        problems.add(0, "", _("The file is in UTF-16. Save it as UTF-8."))
    else:
        return _text(content, problems)
    return ""


def _text(content: bytes, problems: Problems) -> str:
    for encoding in ("utf-8-sig", "cp949"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
    problems.add(line, "", _("is neither UTF-8 nor CP949 text"))
    return ""
