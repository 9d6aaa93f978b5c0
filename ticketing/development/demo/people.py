"""Who can log in to the demo."""

from ticketing.accounts.models import User

PASSWORD = "demo-pass-2026"  # noqa: S105 - printed at every start, and only made in development
OPERATOR = "operator@example.com"
FANS = {
    "fan@example.com": "김하늘",
    "minji@example.com": "박민지",
    "alex@example.com": "Alex Rivera",
}
DEMO_LOGINS = [(OPERATOR, PASSWORD, "operator"), *((email, PASSWORD, "fan") for email in FANS)]


def create_people() -> User:
    """The fans and the operator; answers with the operator."""
    for email, name in FANS.items():
        User.objects.create_user(email, PASSWORD, display_name=name)
    return User.objects.create_superuser(OPERATOR, PASSWORD, display_name="이운영")
