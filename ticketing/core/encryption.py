"""Texts that the database keeps and can't read: encrypted under a key of the environment."""

import hmac
from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

# Part of every key, so that no key made for something else opens these texts.
CONTEXT = b"encryption 1:"


class Unreadable(ValueError):
    """None of the keys opens the text: a key is missing, or the text was tampered with."""


def encrypt(text: str, *, keys: list[str]) -> str:
    """Encrypt under the first key."""
    return _fernet(keys).encrypt(text.encode()).decode()


def decrypt(encrypted: str, *, keys: list[str]) -> str:
    """Return the text, whichever key it was encrypted under."""
    try:
        return _fernet(keys).decrypt(encrypted.encode()).decode()
    except InvalidToken:
        raise Unreadable() from None


def _fernet(keys: list[str]) -> MultiFernet:
    digests = (hmac.digest(key.encode(), CONTEXT, "sha256") for key in keys)
    return MultiFernet(Fernet(urlsafe_b64encode(digest)) for digest in digests)
