"""Roles exist after every migration and keep changes made by superusers."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import IntegrityError

from ticketing.console import services
from ticketing.console.models import RoleGrant
from ticketing.console.services.roles import ROLES, SET_KNOBS, WATCH

pytestmark = pytest.mark.django_db


def held_by(role):
    pairs = Group.objects.get(name=role).permissions.values_list(
        "content_type__app_label", "codename"
    )
    return {f"{app}.{name}" for app, name in pairs}


@pytest.mark.parametrize("role", ROLES)
def test_a_new_database_has_every_role_with_its_permissions(role):
    assert held_by(role) == ROLES[role]


def test_every_permission_that_a_role_names_exists():
    pairs = Permission.objects.values_list("content_type__app_label", "codename")
    known = {f"{app}.{name}" for app, name in pairs}

    assert set().union(*ROLES.values()) <= known


def test_a_revoked_permission_is_not_granted_again():
    viewer = Group.objects.get(name="viewer")
    viewer.permissions.remove(Permission.objects.get(codename="watch"))

    services.grant_roles()

    assert WATCH not in held_by("viewer")


def test_a_permission_of_a_later_release_is_granted_after_its_migration():
    knobs = Permission.objects.get(codename="set_knobs")
    content_type = knobs.content_type
    knobs.delete()
    RoleGrant.objects.filter(permission=SET_KNOBS).delete()
    services.grant_roles()
    assert SET_KNOBS not in held_by("operator")

    Permission.objects.create(codename="set_knobs", name="new", content_type=content_type)
    services.grant_roles()

    assert SET_KNOBS in held_by("operator")


def test_granting_again_changes_nothing():
    before = RoleGrant.objects.count()

    call_command("migrate", verbosity=0)

    assert RoleGrant.objects.count() == before > 0


def test_a_viewer_may_not_do_what_an_operator_may():
    assert held_by("viewer") < held_by("operator") < held_by("manager")
    assert not held_by("finance") & {SET_KNOBS, "console.close_queue"}


def test_a_permission_is_granted_to_a_role_once():
    grant = {"role": "observer", "permission": "queue.of_tests"}
    RoleGrant.objects.create(**grant)

    with pytest.raises(IntegrityError, match="granted_once"):
        RoleGrant.objects.create(**grant)
