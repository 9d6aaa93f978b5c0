"""/accounts/…"""

from django.urls import path

from ticketing.accounts import views

app_name = "accounts"

urlpatterns = [
    path("", views.Profile.as_view(), name="profile"),
    path("sign-up/", views.SignUp.as_view(), name="sign_up"),
    path("sign-up/sent/", views.SignUpSent.as_view(), name="sign_up_sent"),
    path("sign-up/<str:secret>/", views.SignUpFinish.as_view(), name="sign_up_finish"),
    path("address/", views.Address.as_view(), name="address"),
    path("consents/", views.Consents.as_view(), name="consents"),
    path("confirm/", views.ConfirmSend.as_view(), name="confirm_send"),
    path("confirm/<str:secret>/", views.Confirm.as_view(), name="confirm"),
    path("identity/", views.Identity.as_view(), name="identity"),
    path("sessions/<slug:public_id>/end/", views.SessionEnd.as_view(), name="session_end"),
    path("log-in/", views.LogIn.as_view(), name="log_in"),
    path("log-in/device/<str:secret>/", views.KnownDevice.as_view(), name="device"),
    path("log-out/", views.LogOut.as_view(), name="log_out"),
    path("log-out-everywhere/", views.LogOutEverywhere.as_view(), name="log_out_everywhere"),
    path("password/", views.PasswordChange.as_view(), name="password_change"),
    path("password/reset/", views.PasswordReset.as_view(), name="password_reset"),
    path("password/reset/sent/", views.PasswordResetDone.as_view(), name="password_reset_done"),
    path(
        "password/reset/<uidb64>/<token>/",
        views.PasswordResetConfirm.as_view(),
        name="password_reset_confirm",
    ),
    path(
        "password/reset/complete/",
        views.PasswordResetComplete.as_view(),
        name="password_reset_complete",
    ),
    path("passkeys/", views.Passkeys.as_view(), name="passkeys"),
    path("passkeys/options/", views.PasskeyOptions.as_view(), name="passkey_options"),
    path("passkeys/<int:pk>/remove/", views.PasskeyRemove.as_view(), name="passkey_remove"),
    path("log-in/passkey/", views.PasskeyUse.as_view(), name="passkey_use"),
    path("log-in/passkey/options/", views.PasskeyUseOptions.as_view(), name="passkey_use_options"),
    path("developers/", views.Developers.as_view(), name="developers"),
    path("tokens/", views.TokenCreate.as_view(), name="token_create"),
    path("tokens/<int:pk>/revoke/", views.TokenRevoke.as_view(), name="token_revoke"),
]
