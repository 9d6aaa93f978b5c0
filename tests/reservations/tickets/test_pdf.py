"""Tickets on paper: what they say, and that threads can print them at the same time."""

import re
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.utils import translation
from reportlab.pdfbase.ttfonts import TTFontFace

from reservations.selectors import tickets_of_order
from reservations.tickets import pdf
from reservations.tickets.pdf_file import _embedded_font
from reservations.tickets.typeface import Typeface, _parts

BOLD = pdf.FONTS / "Pretendard-Bold.ttf"
THREADS = 4


@pytest.fixture
def tickets(order):
    return tickets_of_order(code=order.code)


def printed(content):
    """The lines of each page, read by way of the fonts' own character maps."""
    streams = [
        zlib.decompress(raw) for raw in re.findall(rb"stream\n(.*?)\nendstream", content, re.S)
    ]
    maps = [
        {a: bytes.fromhex(b).decode("utf-16-be") for a, b in re.findall("<(.{4})> <(.+?)>\n", cmap)}
        for cmap in (raw.decode() for raw in streams if b"begincmap" in raw)
    ]
    pages = [raw.decode() for raw in streams if b"BT /F" in raw]
    return [
        [
            "".join(maps[int(font)].get(code, "□") for code in re.findall(".{4}", codes))
            for font, codes in re.findall(r"BT /F(\d) .*<(.*)> Tj", page)
        ]
        for page in pages
    ]


# -- what it says ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "seat"), [("ko", "좌석"), ("en", "Seat")])
def test_each_page_says_what_one_needs_at_the_door(tickets, language, seat):
    tickets[0].name = "김하늘 & <b>"

    with translation.override(language):
        first, second = printed(pdf.tickets_pdf(tickets))

    assert (
        str(tickets[0].event.title_ko if language == "ko" else tickets[0].event.title_en) in first
    )
    assert seat in first
    assert "김하늘 & <b>" in first
    assert f"{tickets[1].code[:5]}-{tickets[1].code[5:]}" in second
    assert any(tickets[0].reservation.code in line for line in first)


def test_a_long_title_is_broken_between_words_and_a_long_word_within(tickets):
    tickets[0].event.title_ko = "달빛 아래에서 듣는 아주 긴 제목의 콘서트에서는 " + "가" * 40

    with translation.override("ko"):
        (page,) = printed(pdf.tickets_pdf(tickets[:1]))

    assert page[0] == "달빛 아래에서 듣는 아주 긴 제목의"
    assert page[1] == "콘서트에서는"
    assert "".join(page[2:4]) == "가" * 40


def test_a_letter_that_the_typeface_lacks_is_a_box(tickets):
    tickets[0].name = "Ann 🎵"

    (page,) = printed(pdf.tickets_pdf(tickets[:1]))

    assert "Ann □" in page


def test_a_repeat_is_the_same_file(tickets):
    assert pdf.tickets_pdf(tickets) == pdf.tickets_pdf(tickets)


def test_orders_of_an_event_share_their_fonts_except_for_names(tickets):
    pdf.tickets_pdf(tickets)
    before = _embedded_font.cache_info().misses
    for ticket in tickets:
        ticket.name, ticket.code, ticket.reservation.code = "박서준", "ZYXWV98765", "QPONM43210"

    pdf.tickets_pdf(tickets)

    assert _embedded_font.cache_info().misses == before + 1


def test_a_composite_glyph_brings_its_parts_along():
    face = Typeface(BOLD)
    glyph = face._glyphs["é"]
    outline = face._tables["glyf"][face._offsets[glyph] : face._offsets[glyph + 1]]

    subset = face.subset("é")

    assert len(list(_parts(outline))) > 0, "or choose another letter"
    assert len(subset.widths) == 2 + len(set(_parts(outline)))


# -- threads --------------------------------------------------------------------------------------


def at_the_same_time(work, inputs):
    """Results, or errors, of `work` in threads that take turns after every line."""

    def take_turns(frame, event, arg):
        time.sleep(0)
        return take_turns

    def caught(given):
        try:
            return work(given)
        except Exception as error:
            return error

    threading.settrace(take_turns)
    try:
        with ThreadPoolExecutor(len(inputs)) as pool:
            return list(pool.map(caught, inputs))
    finally:
        threading.settrace(None)


def syllables(n):
    return [chr(ord("가") + 60 * n + m) for m in range(20)]


def test_threads_take_glyphs_from_one_typeface():
    face = Typeface(BOLD)
    alone = [face.subset(syllables(n)) for n in range(THREADS)]

    assert at_the_same_time(lambda n: face.subset(syllables(n)), range(THREADS)) == alone


def test_threads_print_tickets(tickets):
    """Each with glyphs of its own, so that none finds its font in the cache."""

    def print_one(n):
        tickets[n].name = "".join(syllables(n))
        with translation.override("ko"):  # each thread has a language of its own
            return pdf.tickets_pdf([tickets[n]])

    names = range(len(tickets))
    together = at_the_same_time(print_one, names)
    _embedded_font.cache_clear()

    assert together == [print_one(n) for n in names]


def test_control_a_face_with_a_position_is_disturbed_by_other_threads():
    """A library's font reads at a position that all threads move."""
    face = TTFontFace(str(BOLD))
    wanted = [[0, *map(ord, syllables(n))] for n in range(THREADS)]
    alone = [face.makeSubset(codes) for codes in wanted]

    rounds = (at_the_same_time(face.makeSubset, wanted) for _ in range(20))

    assert any(together != alone for together in rounds)
