"""The roles exist, with what each of them may do, on every database that was migrated."""

from typing import Any

from django.contrib.auth.models import Group, Permission

from ticketing.console.models import RoleGrant
from ticketing.console.roles import ROLES


def grant_roles(**_: Any) -> None:
    """After every migration: new permissions are granted, and nothing is granted twice."""
    known = {f"{app}.{name}": pk for pk, app, name in _permissions()}
    granted = set(RoleGrant.objects.values_list("role", "permission"))
    for role, permissions in ROLES.items():
        due = [
            name for name in sorted(permissions) if name in known and (role, name) not in granted
        ]
        group, _is_new = Group.objects.get_or_create(name=role)
        if due:
            group.permissions.add(*(known[name] for name in due))
            RoleGrant.objects.bulk_create(RoleGrant(role=role, permission=name) for name in due)


def _permissions() -> Any:
    return Permission.objects.values_list("pk", "content_type__app_label", "codename")
