"""Mail: server, sender and reply address."""

from ticketing.settings.environment import DEVELOPMENT, VAR_DIR, env

_mail_server = env.text(
    "EMAIL_HOST",
    "",
    "Mail server; without one, mails are stored in a folder in development, else printed.",
)
MAIL_FOLDER = VAR_DIR / "mails"
if _mail_server:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
elif DEVELOPMENT:
    EMAIL_BACKEND = "ticketing.development.mailbox.backend.FolderBackend"
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

EMAIL_HOST = _mail_server or "localhost"
EMAIL_PORT = env.number("EMAIL_PORT", 587, "Port of the mail server.")
EMAIL_HOST_USER = env.text("EMAIL_USER", "", "User name at the mail server.")
EMAIL_HOST_PASSWORD = env.text("EMAIL_PASSWORD", "", "Password at the mail server.")
_mail_tls = env.choice(
    "EMAIL_TLS",
    "starttls",
    ("starttls", "tls", "off"),
    "“starttls” (port 587), “tls” from the first byte (port 465), or “off”.",
)
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail_tls == "starttls", _mail_tls == "tls"
EMAIL_TIMEOUT = 10

DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text(
    "EMAIL_FROM", "tickets@localhost", "Sender of this site's mails."
)
EMAIL_REPLY_TO = env.text(
    "EMAIL_REPLY_TO", "", "Reply address of this site's mails; by default the sender."
)
