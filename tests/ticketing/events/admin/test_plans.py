import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.making import make_event, make_plan, make_user
from ticketing.events.admin.forms.uploads import Upload, load_upload, store_upload
from ticketing.events.models import Place, SeatPlan, Venue

CSV = b"section,row,number,grade\nA,1,1,R\nA,1,2,R\n"
IMPORT = "admin:ticketing_seatplan_import"
GENERATE = "admin:ticketing_seatplan_generate"


def file(content: bytes, name: str = "plan.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def lines(*blocks: dict, **fields) -> dict:
    data = {"form-TOTAL_FORMS": str(len(blocks)), "form-INITIAL_FORMS": "0"}
    usual = {"kind": "seated", "row_labels": "numbers", "growth": "0", "wheelchair_places": "0"}
    for n, block in enumerate(blocks):
        for name, value in (usual | {"column": str(n + 1), "grid_row": "1"} | block).items():
            data[f"form-{n}-{name}"] = value
    return data | fields


BLOCK = {"code": "A", "grade": "R", "rows": "3", "seats_per_row": "4", "aisles_after": "1, 2"}


def test_a_file_is_previewed_then_imported(operator_client, venue):
    fields = {"venue": venue.pk, "name": "main"}
    preview = operator_client.post(reverse(IMPORT), fields | {"file": file(CSV), "preview": "1"})

    assert preview.context["draft"].seats == 2
    assert preview.context["picture"].startswith("data:image/svg+xml;base64,")
    assert SeatPlan.objects.count() == 0

    token = preview.context["token"]
    saved = operator_client.post(reverse(IMPORT), fields | {"token": token, "save": "1"})
    plan = SeatPlan.objects.get()
    assert saved.url == reverse("admin:ticketing_seatplan_change", args=[plan.pk])
    assert Place.objects.filter(section__plan=plan).count() == 2


def test_a_bad_file_shows_its_problems_and_imports_nothing(operator_client, venue):
    fields = {"venue": venue.pk, "name": "main", "file": file(CSV + b"A,1,2,R\nA,1,x,R\n")}

    response = operator_client.post(reverse(IMPORT), fields | {"save": "1"})

    assert response.status_code == 200
    assert [problem.line for problem in response.context["problems"]] == [4, 5]
    assert str(response.context["problems"][0]) in response.content.decode()
    assert SeatPlan.objects.count() == 0


def test_a_kept_file_belongs_to_the_one_who_sent_it(db):
    token = store_upload(1, Upload("plan.csv", CSV))

    assert load_upload(1, token) == Upload("plan.csv", CSV)
    assert load_upload(2, token) is None
    assert load_upload(1, "guessed") is None


def test_a_lost_preview_asks_for_the_file_again(operator_client, venue):
    fields = {"venue": venue.pk, "name": "main", "token": "gone", "save": "1"}

    assert "file" in operator_client.post(reverse(IMPORT), fields).context["form"].errors


def test_a_name_that_is_taken_is_a_form_error(operator_client):
    plan = make_plan()
    fields = {"venue": plan.venue.pk, "name": plan.name, "file": file(CSV), "save": "1"}

    assert "name" in operator_client.post(reverse(IMPORT), fields).context["form"].errors
    assert SeatPlan.objects.count() == 1


def test_lines_are_previewed_then_generated(operator_client, venue):
    data = lines(BLOCK, {"column": "1"}, venue=venue.pk, name="main")
    preview = operator_client.post(reverse(GENERATE), data | {"preview": "1"})

    assert preview.context["draft"].seats == 12
    assert SeatPlan.objects.count() == 0

    operator_client.post(reverse(GENERATE), data | {"save": "1"})
    assert Place.objects.filter(section__plan=SeatPlan.objects.get()).count() == 12


def test_a_standing_line_needs_only_its_room(operator_client, venue):
    floor = {"code": "F", "grade": "F", "kind": "standing", "capacity": "30"}

    operator_client.post(reverse(GENERATE), lines(floor, venue=venue.pk, name="floor", save="1"))

    assert Place.objects.count() == 30


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [{}],
        [BLOCK, BLOCK],
        [BLOCK | {"rows": "0"}],
        [BLOCK | {"rows": ""}],
        [BLOCK | {"aisles_after": "x"}],
        [{"code": "F", "grade": "F", "kind": "standing"}],
    ],
)
def test_lines_that_make_no_sense_store_nothing(blocks, operator_client, venue):
    response = operator_client.post(
        reverse(GENERATE), lines(*blocks, venue=venue.pk, name="x", save="1")
    )

    assert response.status_code == 200
    assert response.context["problems"] or any(response.context["formset"].errors)
    assert SeatPlan.objects.count() == 0


@pytest.mark.parametrize("total", ["", "x", "-1", "99999999999999999999"])
def test_a_forged_number_of_lines_is_harmless(total, operator_client, venue):
    data = lines(BLOCK, venue=venue.pk, name="x") | {"form-TOTAL_FORMS": total}

    for button in ("more", "save"):
        assert operator_client.post(reverse(GENERATE), data | {button: "1"}).status_code == 200


def test_more_lines_keep_what_was_typed(operator_client, venue):
    data = lines(BLOCK, venue=venue.pk, name="main", more="1")

    response = operator_client.post(reverse(GENERATE), data)

    assert len(response.context["formset"].forms) == 6
    assert 'value="1, 2"' in response.content.decode()
    assert SeatPlan.objects.count() == 0


def test_looking_writes_nothing_and_staff_without_permission_are_refused(viewer_client, venue):
    for page in (IMPORT, GENERATE):
        assert viewer_client.get(reverse(page)).status_code == 403
        assert viewer_client.post(reverse(page), {"save": "1"}).status_code == 403

    assert SeatPlan.objects.count() == 0


def test_only_the_name_of_a_plan_changes(operator_client):
    plan, other = make_plan(), Venue.objects.create(name_ko="홀", name_en="Hall")
    page = reverse("admin:ticketing_seatplan_change", args=[plan.pk])
    empty = {"sections-TOTAL_FORMS": "0", "sections-INITIAL_FORMS": "0"}

    operator_client.post(page, {"name": "renamed", "venue": other.pk} | empty)

    renamed = SeatPlan.objects.get(pk=plan.pk)
    assert (renamed.name, renamed.venue) == ("renamed", plan.venue)


def test_an_unused_plan_is_deleted_and_a_used_one_stays(operator_client, now):
    used, unused = make_event(now).plan, make_plan()
    pages = [reverse("admin:ticketing_seatplan_delete", args=[plan.pk]) for plan in (used, unused)]

    assert operator_client.get(pages[1]).status_code == 200
    assert SeatPlan.objects.count() == 2

    assert [operator_client.post(page).status_code for page in pages] == [409, 302]
    assert list(SeatPlan.objects.all()) == [used]


def test_a_venue_with_plans_stays(operator_client):
    plan = make_plan()

    page = reverse("admin:ticketing_venue_delete", args=[plan.venue.pk])

    assert operator_client.post(page, {"post": "yes"}).status_code == 403
    assert Venue.objects.count() == 1


def test_staff_without_view_permission_see_no_picture(client, db):
    plan = make_plan()
    client.force_login(
        make_user(is_staff=True), backend="django.contrib.auth.backends.ModelBackend"
    )

    page = reverse("admin:ticketing_seatplan_picture", args=[plan.pk])
    assert client.get(page).status_code == 403
