"""Demo users."""

from ticketing.accounts.models import User

PASSWORD = "demo-pass-2026"  # noqa: S105 - public: printed at every start, created in development only
OPERATOR = "operator@example.com"
FANS = {
    "fan@example.com": "김하늘",
    "minji@example.com": "박민지",
    "alex@example.com": "Alex Rivera",
}
DEMO_LOGINS = [(OPERATOR, PASSWORD, "operator"), *((email, PASSWORD, "fan") for email in FANS)]


def create_people() -> User:
    """Create the fans and the operator; returns the operator."""
    for email, name in FANS.items():
        User.objects.create_user(email, PASSWORD, display_name=name)
    return User.objects.create_superuser(OPERATOR, PASSWORD, display_name="이운영")
