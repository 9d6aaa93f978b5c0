"""Admin pages that import, generate, edit, draw or delete a seat plan."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from ticketing.core.admin.pages import PagesAdmin, change_url, checklist_url, operator
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.events.admin.forms.plans import BaseBlockFormSet, PlanFileForm, PlanForm, block_lines
from ticketing.events.admin.images import data_image
from ticketing.events.models import SeatPlan
from ticketing.events.plans.draft import PlanDraft
from ticketing.events.plans.errors import PlanInUse
from ticketing.events.plans.files import MAX_BYTES
from ticketing.events.plans.json_file import write_json
from ticketing.events.plans.stored import stored_draft, stored_drawing
from ticketing.events.plans.svg import grade_colours, plan_svg
from ticketing.events.selectors import plan_seat_counts
from ticketing.events.services.plans import delete_plan, edit_plan, generate_plan, import_plan

MORE_LINES = 5
PICTURE_SECONDS = 3600


class PlanPages(PagesAdmin):
    def get_urls(self) -> list[URLPattern]:
        return [
            self.route("import/", self.import_view, "seatplan_import"),
            self.route("generate/", self.generate_view, "seatplan_generate"),
            self.route("<int:pk>/edit/", self.edit_view, "seatplan_edit"),
            self.route("<int:pk>/plan.json", self.json_view, "seatplan_json"),
            self.route("<int:pk>/picture.svg", self.picture_view, "seatplan_picture"),
            *super().get_urls(),
        ]

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Plans are imported or generated, never typed in seat by seat."""
        return redirect("admin:ticketing_seatplan_import")

    # -- import -----------------------------------------------------------------------------------

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Upload a file, preview it and import it, or list its problems."""
        self._may_add(request)
        sent = (request.POST, request.FILES) if request.method == "POST" else ()
        form = PlanFileForm(*sent, user_id=operator(request).pk, initial=_chosen_venue(request))
        context: dict[str, Any] = {"form": form}
        if request.method == "POST" and form.is_valid():
            if "save" in request.POST:
                plan = import_plan(
                    venue_id=form.cleaned_data["venue"].pk,
                    name=form.cleaned_data["name"],
                    filename=form.sent.name,
                    content=form.sent.content,
                    by=operator(request),
                )
                return self._done(request, plan)
            context |= _preview(form.inspection.draft) | {"token": form.store_file()}
        context |= {"problems": form.inspection.problems}
        return self.page(request, "plan_import", _("Import a seat plan"), **context)

    # -- generate ---------------------------------------------------------------------------------

    def generate_view(self, request: HttpRequest) -> HttpResponse:
        """Preview the plan of these blocks; it is stored only on Save."""
        self._may_add(request)
        if request.method == "POST" and "more" in request.POST:
            return self._generate_page(request, *_with_more_lines(request))
        data = request.POST if request.method == "POST" else None
        form, formset = PlanForm(data, initial=_chosen_venue(request)), block_lines(data)
        if data is None or not (formset.is_valid() and not formset.problems):
            return self._generate_page(request, form, formset)
        if "save" in request.POST and form.is_valid():
            plan = generate_plan(
                venue_id=form.cleaned_data["venue"].pk,
                name=form.cleaned_data["name"],
                blocks=formset.blocks(),
                by=operator(request),
            )
            return self._done(request, plan)
        return self._generate_page(request, form, formset, **_preview(formset.draft()))

    def _generate_page(
        self, request: HttpRequest, form: PlanForm, formset: BaseBlockFormSet, **context: Any
    ) -> HttpResponse:
        title = _("Generate a seat plan")
        context |= {"form": form, "formset": formset, "problems": formset.problems}
        return self.page(request, "plan_generate", title, **context)

    # -- edit -------------------------------------------------------------------------------------

    def edit_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The editor of a plan that no event uses; its script sends the drawing as a file."""
        plan = self.changeable(request, pk)
        if request.method == "POST":
            revision, file = request.POST.get("revision", ""), request.FILES.get("plan")
            if file is None or not revision.isdecimal() or len(revision) > 9:
                raise InvalidInput(fields={"plan": [_("Choose the file.")]})
            content = file.read(MAX_BYTES + 1)
            edit_plan(
                plan_id=plan.pk, revision=int(revision), content=content, by=operator(request)
            )
            self.log_change(request, plan, [{"changed": {"fields": ["drawing"]}}])
            self.message_user(request, _("The plan was stored."), messages.SUCCESS)
            return JsonResponse({"url": checklist_url(request) or change_url(plan)})
        if plan.events.exists():
            raise PlanInUse()
        return self.page(request, "plan_edit", _("Edit “%(plan)s”") % {"plan": plan}, plan=plan)

    # -- view and delete --------------------------------------------------------------------------

    def _viewable(self, request: HttpRequest, pk: int) -> SeatPlan:
        plan: SeatPlan | None = SeatPlan.objects.filter(pk=pk).first()
        if not self.has_view_permission(request, plan):
            raise PermissionDenied
        if plan is None:
            raise NotFound()
        return plan

    def json_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The plan as a file that can be imported again."""
        text = write_json(stored_draft(self._viewable(request, pk)))
        headers = {"Content-Disposition": f'attachment; filename="plan-{pk}.json"'}
        return HttpResponse(text, content_type="application/json", headers=headers)

    def picture_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        plan = self._viewable(request, pk)
        svg = stored_drawing(plan, seats="small" not in request.GET)
        response = HttpResponse(svg, content_type="image/svg+xml")
        patch_cache_control(response, private=True, max_age=PICTURE_SECONDS)
        return response

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Replaces Django's page, which would list every seat."""
        plan = self.get_object(request, object_id)
        if not self.has_delete_permission(request, plan):
            raise PermissionDenied
        if plan is None:
            raise NotFound()
        if request.method != "POST":
            counts = plan_seat_counts([plan.pk]).get(plan.pk)
            return self.page(request, "plan_delete", _("Delete?"), plan=plan, counts=counts)
        delete_plan(plan_id=plan.pk, by=operator(request))
        self.message_user(request, _("The plan was deleted."), messages.SUCCESS)
        return redirect("admin:ticketing_seatplan_changelist")

    def _may_add(self, request: HttpRequest) -> None:
        if not self.has_add_permission(request):
            raise PermissionDenied

    def _done(self, request: HttpRequest, plan: SeatPlan) -> HttpResponse:
        self.log_addition(request, plan, [{"added": {}}])
        seats = plan_seat_counts([plan.pk])[plan.pk]["seats"]
        message = _("“%(plan)s” was stored with %(seats)s seats.") % {"plan": plan, "seats": seats}
        self.message_user(request, message, messages.SUCCESS)
        return self.back_to(plan, request)


def _preview(draft: PlanDraft) -> dict[str, Any]:
    sections = [(section, len(section.places)) for section in draft.sections]
    return {
        "picture": data_image(plan_svg(draft)),
        "draft": draft,
        "sections": sections,
        "grades": grade_colours(draft),
    }


def _chosen_venue(request: HttpRequest) -> dict[str, str]:
    return {"venue": request.GET.get("venue", "")}


def _with_more_lines(request: HttpRequest) -> tuple[PlanForm, BaseBlockFormSet]:
    """The same page with more empty lines, not validated yet."""
    data = request.POST.copy()
    lines = data.get("form-TOTAL_FORMS", "")
    so_far = int(lines) if lines.isdecimal() and len(lines) < 5 else 0
    data["form-TOTAL_FORMS"] = str(so_far + MORE_LINES)
    return PlanForm(data), block_lines(data)
