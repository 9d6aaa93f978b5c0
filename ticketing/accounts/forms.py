"""Forms of the account pages."""

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import forms as auth_forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import rate_limits
from ticketing.accounts.errors import WrongPassword
from ticketing.accounts.models import ApiToken, User
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
        rate_limits.LOG_IN.count(client_address(self.request))
        return super().clean()


class StaffLogInForm(AdminAuthenticationForm):
    """The admin's log-in, with the same rate limit."""

    request: HttpRequest

    def clean(self) -> dict[str, Any]:
        rate_limits.LOG_IN.count(client_address(self.request))
        return super().clean()


class SignUpForm(auth_forms.BaseUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "display_name")
        widgets = {
            # Password managers store this field as the user name.
            "email": forms.EmailInput(attrs={"autocomplete": "username"}),
            "display_name": forms.TextInput(attrs={"autocomplete": "nickname"}),
        }
        help_texts = {"display_name": _("How we call you. Others at an event may see it.")}


class PasswordResetForm(auth_forms.PasswordResetForm):
    email = forms.EmailField(label=_("E-mail"), max_length=254, widget=EMAIL)


class PasswordChangeForm(auth_forms.PasswordChangeForm):
    def clean_old_password(self) -> str:
        rate_limits.CONFIRM_PASSWORD.count(str(self.user.pk))
        return super().clean_old_password()


class ProfileForm(forms.ModelForm):
    """Changing the e-mail address needs the password: its owner can reset the password."""

    current_password = forms.CharField(
        label=_("Current password"),
        help_text=_("Only needed for a new e-mail address."),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    class Meta:
        model = User
        fields = ("display_name", "phone", "email")
        widgets = {
            "display_name": forms.TextInput(attrs={"autocomplete": "nickname"}),
            "phone": forms.TextInput(attrs={"autocomplete": "tel", "type": "tel"}),
            "email": EMAIL,
        }

    def clean(self) -> dict[str, Any]:
        super().clean()
        email = User.objects.normalize_email(self.cleaned_data.get("email"))
        if "email" in self.cleaned_data and email != self.initial["email"]:
            self._require_password()
        return self.cleaned_data

    def _require_password(self) -> None:
        rate_limits.CONFIRM_PASSWORD.count(str(self.instance.pk))
        if not self.instance.check_password(self.cleaned_data.get("current_password") or ""):
            wrong = _("Enter your current password to change the e-mail address.")
            self.add_error("current_password", ValidationError(wrong, code="wrong_password"))


class TokenForm(forms.ModelForm):
    class Meta:
        model = ApiToken
        fields = ("name",)
        help_texts = {"name": _("What will use it, for example “my script”.")}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "off"})}
