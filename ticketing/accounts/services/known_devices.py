"""The brake on guessing one account's password from many addresses.

After too many failures a browser has to be known: it has logged in before, or its owner has opened
the link that was mailed. So guessing ends, and the owner is never locked out.
"""

from datetime import timedelta

from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

from ticketing.accounts import rate_limits
from ticketing.accounts.errors import BadLink, NewDevice
from ticketing.accounts.models import SecurityEvent, User

COOKIE = "known_device"
COOKIE_LASTS = timedelta(days=365)
LINK_LASTS = timedelta(days=1)
SALT = "accounts.known_device"
SEPARATOR = "~"
MOST = 5  # accounts that one browser is known for


def require_known_device(*, email: str, cookie: str) -> None:
    """Refuse a log-in from an unknown browser while somebody guesses this account's password."""
    if left := rate_limits.FAILURES.seconds_left(email):
        user = User.objects.with_email(email).first()
        if user is None or not any(
            constant_time_compare(each, _key(user)) for each in cookie.split(SEPARATOR)
        ):
            raise NewDevice(retry_after=left)


def count_failure(*, email: str, origin: str) -> None:
    """Count a wrong password; the one that reaches the limit brings the mail with the link."""
    failures = rate_limits.FAILURES.add(email)
    if failures > rate_limits.FAILURES.limit:
        return
    if user := User.objects.with_email(email).first():
        is_last = failures == rate_limits.FAILURES.limit
        kind = SecurityEvent.Kind
        SecurityEvent.record(
            user, kind.LOG_INS_SLOWED if is_last else kind.LOG_IN_FAILED, origin=origin
        )


def with_known_device(*, cookie: str, user: User) -> str:
    """The cookie of a browser that is known for this account, too."""
    others = [each for each in cookie.split(SEPARATOR) if each and each != _key(user)]
    return SEPARATOR.join([_key(user), *others][:MOST])


def device_link(user: User) -> str:
    return signing.dumps({"user": user.pk, "key": _key(user)}, salt=SALT)


def user_of_device_link(secret: str) -> User:
    try:
        named = signing.loads(secret, salt=SALT, max_age=LINK_LASTS)
    except signing.BadSignature:
        raise BadLink() from None
    user = User.objects.filter(pk=named["user"], is_active=True).first()
    if user is None or not constant_time_compare(named["key"], _key(user)):
        raise BadLink()
    return user


def _key(user: User) -> str:
    """Ends with the password."""
    return salted_hmac(SALT, f"{user.pk} {user.password}", algorithm="sha256").hexdigest()[:32]
