"""The secrets of draws, encrypted, beside the hash that commits to them.

The draws of minutes have a secret each. They are a chain: each one's hash is the secret of the
minute before, and the commitment that of the first. So all are fixed from the beginning, each is
published as soon as its minute is drawn, and nobody can work out those to come.
"""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from django.conf import settings

from ticketing.core.encryption import Unreadable, decrypt, encrypt
from waiting_queue.errors import DrawSecretsUnreadable


@dataclass(frozen=True)
class DrawSecrets:
    """`secret` is published after the draw. `salt` never is: it makes people's pseudonyms."""

    secret: str
    salt: str

    def encrypted(self) -> str:
        """Return `<SHA-256 of the secret>:<secret and salt, encrypted>`."""
        sealed = encrypt(f"{self.secret}:{self.salt}", keys=_keys())
        return f"{sha256(self.secret.encode()).hexdigest()}:{sealed}"

    @classmethod
    def decrypt(cls, stored: str) -> Self:
        """Decrypt what was stored, and refuse a secret that is not the one committed to."""
        promised, _, sealed = stored.partition(":")
        try:
            opened = cls(*decrypt(sealed, keys=_keys()).split(":"))
        except Unreadable:
            raise DrawSecretsUnreadable() from None
        if sha256(opened.secret.encode()).hexdigest() != promised:
            raise DrawSecretsUnreadable()
        return opened


# Minutes with newcomers that a chain suffices for: two months without a pause.
MINUTES = 100_000


def new_minute_secrets() -> str:
    """Return `<what commits to the secrets>:<the end of the chain, encrypted>`."""
    end = new_seed()
    return f"{hashed(end, MINUTES)}:{encrypt(end, keys=_keys())}"


def minute_secret(stored: str, minute: int) -> str:
    """Return the secret of a minute, the first being 1."""
    try:
        end = decrypt(stored.partition(":")[2], keys=_keys())
    except Unreadable:
        raise DrawSecretsUnreadable() from None
    return hashed(end, MINUTES - minute)


def renewed_minute_secrets(stored: str) -> str:
    """Return the same secrets, encrypted under the newest key."""
    commitment = stored.partition(":")[0]
    return f"{commitment}:{encrypt(minute_secret(stored, MINUTES), keys=_keys())}"


def hashed(text: str, times: int) -> str:
    """Return the SHA-256 of a text, of that again, and so on."""
    for _ in range(times):
        text = sha256(text.encode()).hexdigest()
    return text


def new_seed() -> str:
    return secrets.token_hex(32)


def new_draw_secrets() -> str:
    return DrawSecrets(new_seed(), new_seed()).encrypted()


def _keys() -> list[str]:
    """The key to encrypt under, then every key that a secret may still be encrypted under."""
    derived = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [settings.DRAW_KEY or settings.SECRET_KEY, *settings.DRAW_KEY_FALLBACKS, *derived]
