from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from tests.making import make_event, make_plan, make_user
from ticketing.core import clock
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


def view_of_the_stage(content: bytes, plan) -> dict:
    section = plan.sections.get()
    data = {"name": plan.name, "sections-TOTAL_FORMS": "1", "sections-INITIAL_FORMS": "1"}
    data |= {"sections-0-id": section.pk, "sections-0-plan": plan.pk, "sections-0-code": "Z"}
    return data | {"sections-0-view": SimpleUploadedFile("view.png", content)}


def test_a_section_gets_a_small_picture_of_its_view_and_nothing_else_changes(
    operator_client, settings, tmp_path
):
    settings.MEDIA_ROOT = tmp_path
    plan, content = make_plan(), BytesIO()
    Image.new("RGB", (2400, 1200), "teal").save(content, "PNG")
    page = reverse("admin:ticketing_seatplan_change", args=[plan.pk])

    answer = operator_client.post(page, view_of_the_stage(content.getvalue(), plan))

    section = plan.sections.get()
    assert answer.status_code == 302
    assert section.code == "A"
    with Image.open(section.view) as picture:
        assert (picture.format, picture.size) == ("WEBP", (960, 480))
    event = make_event(clock.now(), plan=plan)
    assert section.view.url in operator_client.get(f"/events/{event.pk}/seats/").content.decode()


def test_a_view_that_is_no_picture_is_refused(operator_client):
    plan = make_plan()
    page = reverse("admin:ticketing_seatplan_change", args=[plan.pk])

    answer = operator_client.post(page, view_of_the_stage(b"<svg onload=alert(1)>", plan))

    (form,) = answer.context["inline_admin_formsets"][0].formset.forms
    assert form.has_error("view", code="not_a_picture")
    assert not plan.sections.get().view


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


def edited(client, plan, content, revision=0):
    page = reverse("admin:ticketing_seatplan_edit", args=[plan.pk])
    drawing = {"revision": revision, "plan": file(content, "plan.json")}
    return client.post(page, drawing, headers={"accept": "application/json"})


def drawing_of(client, plan) -> bytes:
    return client.get(reverse("admin:ticketing_seatplan_json", args=[plan.pk])).content


def test_an_edited_plan_is_stored_as_it_was_sent(operator_client):
    plan = make_plan(standing=5)
    drawing = drawing_of(operator_client, plan)

    answer = edited(operator_client, plan, drawing.replace(b'"R"', b'"VIP"'))

    assert answer.json() == {"url": reverse("admin:ticketing_seatplan_change", args=[plan.pk])}
    assert drawing_of(operator_client, plan) == drawing.replace(b'"R"', b'"VIP"')
    assert set(Place.objects.values_list("grade", flat=True)) == {"VIP", "S", "F"}


def test_an_edit_of_an_older_drawing_or_with_mistakes_is_refused(operator_client):
    plan = make_plan()
    drawing = drawing_of(operator_client, plan)
    assert edited(operator_client, plan, drawing).status_code == 200

    late = edited(operator_client, plan, drawing)
    wrong = edited(operator_client, plan, b'{"sections": []}', revision=1)

    assert [late.json()["code"], wrong.json()["code"]] == ["plan_changed", "bad_plan_file"]
    assert Place.objects.count() == 12


def test_a_plan_that_an_event_uses_is_not_edited(operator_client, event):
    page = reverse("admin:ticketing_seatplan_edit", args=[event.plan_id])

    shown = operator_client.get(page)
    sent = edited(operator_client, event.plan, drawing_of(operator_client, event.plan))

    assert (shown.status_code, sent.json()["code"]) == (409, "plan_in_use")
    assert (
        page
        not in operator_client.get(
            reverse("admin:ticketing_seatplan_change", args=[event.plan_id])
        ).content.decode()
    )


def test_staff_who_only_watch_edit_no_plan(viewer_client):
    plan = make_plan()

    assert drawing_of(viewer_client, plan)
    assert edited(viewer_client, plan, drawing_of(viewer_client, plan)).status_code == 403


def test_the_import_page_describes_the_formats_itself(operator_client):
    text = operator_client.get(reverse(IMPORT)).content.decode()

    assert "docs/" not in text
    assert "<code>section, row, number, grade</code>" in text
    assert 'data-kind="standing"' in text


def test_a_drawing_is_imported_from_svg(operator_client, venue):
    svg = b"""<svg><g id="A" data-grade="R"><circle cx="0" cy="0"><title>1-1</title></circle>
    <circle cx="9" cy="0"><title>1-2</title></circle></g></svg>"""
    fields = {"venue": venue.pk, "name": "drawn", "file": file(svg, "plan.svg"), "save": "1"}

    operator_client.post(reverse(IMPORT), fields)

    assert list(Place.objects.values_list("row", "number", "x")) == [("1", 1, 0), ("1", 2, 20)]
