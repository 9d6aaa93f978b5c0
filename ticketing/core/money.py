"""Formats prices in the reader's language."""

from django.utils.formats import number_format
from django.utils.translation import get_language

SYMBOLS = {"KRW": "₩", "USD": "$", "EUR": "€", "JPY": "¥", "GBP": "£"}
WITHOUT_CENTS = {"KRW", "JPY", "VND", "CLP", "ISK"}


def money(amount: int | None, currency: str) -> str:
    """An amount in the currency's smallest unit: ₩154,000, or 154,000원 for Korean readers."""
    if amount is None:
        return ""
    number = _number(amount, currency)
    if currency == "KRW" and (get_language() or "").startswith("ko"):
        return f"{number}원"
    symbol = SYMBOLS.get(currency)
    return f"{symbol}{number}" if symbol else f"{number} {currency}"


def decimal_text(amount: int, currency: str) -> str:
    """As programs write it, in whole units: 154000, or 12.50."""
    return str(amount) if currency in WITHOUT_CENTS else f"{amount // 100}.{amount % 100:02}"


def _number(amount: int, currency: str) -> str:
    if currency in WITHOUT_CENTS:
        return number_format(amount, 0, force_grouping=True)
    units, cents = divmod(amount, 100)
    return f"{number_format(units, 0, force_grouping=True)}.{cents:02}"
