"""Passwords: only their owner sets them, by a link in a mail."""

from django.contrib.auth.tokens import default_token_generator
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core import mails


def mail_password_reset(*, email: str, language: str) -> bool:
    """Mail a reset link if an active user has this address; the page never says whether."""
    user = User.objects.with_email(email).filter(is_active=True).first()
    if user is None or not user.has_usable_password():
        return False
    _mail_link(user, language)
    return True


def mail_reset_link(*, user_id: int, language: str) -> None:
    """Mail a reset link because staff asked for it, also to set the first password."""
    if user := User.objects.filter(pk=user_id, is_active=True).first():
        _mail_link(user, language)


def _mail_link(user: User, language: str) -> None:
    """The link leads to SITE_URL, whatever the request said about its host."""
    secret = [urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)]
    url = mails.link("accounts:password_reset_confirm", *secret)
    with translation.override(language):
        links = [(_("Set a new password"), url)]
        mail = mails.Mail("password_reset", _("Set a new password"), links=links)
        mails.send(mail, to=user.email, recipient=user.display_name)
