"""Demo users."""

from ticketing.accounts import services
from ticketing.accounts.models import LegalDocument, User
from ticketing.core import clock
from ticketing.development.log_ins import FANS, OPERATOR, PASSWORD


def create_people() -> User:
    """Create the fans and the operator, with confirmed addresses and consents to the documents;
    returns the operator."""
    now = clock.now()
    services.add_default_documents(now=now)
    required = LegalDocument.objects.filter(kind__in=LegalDocument.REQUIRED)
    agreed = set(required.values_list("pk", flat=True))
    people = [
        User.objects.create_user(email, PASSWORD, display_name=name, email_confirmed_at=now)
        for email, name in FANS.items()
    ]
    operator = User.objects.create_superuser(OPERATOR, PASSWORD, display_name="이운영")
    for person in (*people, operator):
        services.give_consents(user_id=person.pk, agreed=agreed, now=now)
    return operator
