"""Demo users."""

from ticketing.accounts.models import User
from ticketing.development.log_ins import FANS, OPERATOR, PASSWORD


def create_people() -> User:
    """Create the fans and the operator; returns the operator."""
    for email, name in FANS.items():
        User.objects.create_user(email, PASSWORD, display_name=name)
    return User.objects.create_superuser(OPERATOR, PASSWORD, display_name="이운영")
