"""Forms of the account pages."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import forms as auth_forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import rate_limits, selectors, services
from ticketing.accounts.errors import SecondFactorMissing, WrongCode, WrongPassword
from ticketing.accounts.models import TOKEN_LASTS, LegalDocument, Scope, User
from ticketing.core import clock
from ticketing.core.throttle import client_address

EMAIL = forms.EmailInput(attrs={"autocomplete": "email", "autocapitalize": "none"})


class LogInForm(auth_forms.AuthenticationForm):
    """The field keeps the name `username`, which password managers look for."""

    request: HttpRequest
    username = auth_forms.UsernameField(
        label=_("E-mail"), widget=forms.EmailInput(attrs={"autofocus": True})
    )
    error_messages = {
        "invalid_login": WrongPassword.message,
        "inactive": WrongPassword.message,
    }

    def clean(self) -> dict[str, Any]:
        limit_log_ins(self.request, self.cleaned_data.get("username"))
        return super().clean()


class StaffLogInForm(AdminAuthenticationForm):
    """The admin's log-in, with the same limits."""

    request: HttpRequest

    def clean(self) -> dict[str, Any]:
        limit_log_ins(self.request, self.cleaned_data.get("username"))
        return super().clean()


def limit_log_ins(request: HttpRequest, email: str | None) -> None:
    rate_limits.LOG_IN.count(client_address(request))
    services.require_known_device(
        email=User.objects.normalize_email(email), cookie=request.COOKIES.get(services.COOKIE, "")
    )


class SignUpForm(forms.Form):
    """Only the address: the rest is asked behind the link that is mailed there."""

    email = forms.EmailField(label=_("E-mail"), max_length=254, widget=EMAIL)


class ConsentsForm(forms.Form):
    """A box for each document; its value names the version that was shown."""

    consents = forms.TypedMultipleChoiceField(
        label=_("Your consent"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "invalid_choice": _("One of the documents has changed. Please look at it again.")
        },
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.documents = sorted(self.asked_documents(), key=lambda each: each.kind_number)
        field: Any = self.fields["consents"]
        field.choices = [(each.pk, consent_label(each)) for each in self.documents]
        if not self.documents:
            del self.fields["consents"]

    def asked_documents(self) -> Iterable[LegalDocument]:
        """All that an account needs or may have."""
        kinds = (*LegalDocument.REQUIRED, *LegalDocument.OPTIONAL)
        return selectors.current_documents(kinds, now=clock.now())

    def clean_consents(self) -> list[int]:
        agreed: list[int] = self.cleaned_data["consents"]
        if any(each.is_required and each.pk not in agreed for each in self.documents):
            raise ValidationError(_("Please agree to the required documents."), code="required")
        return agreed

    @property
    def agreed(self) -> list[int]:
        return list(self.cleaned_data.get("consents", ()))


def consent_label(document: LegalDocument) -> SafeString:
    """With a link that leaves the form as it is."""
    address = reverse("privacy:document", args=[document.kind])
    link = format_html('<a href="{}" target="_blank">{}</a>', address, document.title)
    if document.is_required:
        return format_html(gettext("[required] I agree: {document}"), document=link)
    return format_html(gettext("[optional] I agree: {document}"), document=link)


class ChosenConsentsForm(ConsentsForm):
    """Of somebody who has an account: what is missing, and what they may change."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)
        chosen = selectors.agreed_kinds(user.pk)
        self.initial["consents"] = [it.pk for it in self.documents if it.kind in chosen]

    def asked_documents(self) -> Iterable[LegalDocument]:
        now = clock.now()
        missing = selectors.missing_documents(user_id=self.user.pk, now=now)
        return [*missing, *selectors.current_documents(LegalDocument.OPTIONAL, now=now)]


class FinishSignUpForm(ConsentsForm, auth_forms.BaseUserCreationForm):
    """The address comes from the link; password managers store it as the user name."""

    class Meta:
        model = User
        fields = ("email", "display_name")
        widgets = {
            "email": forms.EmailInput(attrs={"autocomplete": "username"}),
            "display_name": forms.TextInput(attrs={"autocomplete": "nickname"}),
        }
        help_texts = {
            "display_name": _("The name we use for you. Other people at an event may see it.")
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].disabled = True


class PasswordResetForm(auth_forms.PasswordResetForm):
    email = forms.EmailField(label=_("E-mail"), max_length=254, widget=EMAIL)


class PasswordChangeForm(auth_forms.PasswordChangeForm):
    def clean_old_password(self) -> str:
        rate_limits.CONFIRM_PASSWORD.count(str(self.user.pk))
        return super().clean_old_password()


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ("display_name", "phone")
        widgets = {
            "display_name": forms.TextInput(attrs={"autocomplete": "nickname"}),
            "phone": forms.TextInput(attrs={"autocomplete": "tel", "type": "tel"}),
        }


class IdentityForm(forms.Form):
    """Asks again for the password, and for the code of those who have a second factor."""

    current_password = forms.CharField(
        label=_("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    code = forms.CharField(
        label=_("Code from your phone"),
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "spellcheck": "false"}),
    )
    has_second_factor = False

    def __init__(
        self, *args: Any, user: User, session: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.user, self.session = user, session
        if not services.has_phone(user):
            del self.fields["code"]

    def clean_current_password(self) -> str:
        rate_limits.CONFIRM_PASSWORD.count(str(self.user.pk))
        password = str(self.cleaned_data["current_password"])
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password."), code="wrong_password")
        return password

    def clean(self) -> dict[str, Any]:
        """The code only after everything else: it works once."""
        super().clean()
        if not self.errors:
            code = self.cleaned_data.get("code", "")
            try:
                self.has_second_factor = services.check_second_factor(
                    user=self.user, code=code, session=self.session
                )
            except (WrongCode, SecondFactorMissing) as error:
                self.add_error("code" if code else None, str(error))
        return self.cleaned_data


class AddressForm(IdentityForm):
    """Another e-mail address: whoever owns it can set a new password."""

    email = forms.EmailField(
        label=_("New e-mail address"),
        max_length=254,
        help_text=_("We send a link there. Until you open it, your present address stays."),
        widget=EMAIL,
    )
    field_order = ["email", "current_password", "code"]


def token_lifetimes() -> list[tuple[int, str]]:
    """Days to choose from, in the reader's language."""
    return [(days, ngettext("%d day", "%d days", days) % days) for days in (7, 30, 90, 365)]


class TokenForm(IdentityForm):
    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        help_text=_("What will use it, for example “my script”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=Scope.choices,
        initial=services.DEFAULT_SCOPES,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=token_lifetimes,
        initial=TOKEN_LASTS.days,
    )
    field_order = ["name", "scopes", "days", "current_password", "code"]

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        scopes: Any = self.fields["scopes"]
        if not user.is_staff:
            scopes.choices = [each for each in Scope.choices if each[0] in Scope.of_fans()]
