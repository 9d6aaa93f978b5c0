"""/accounts/…"""

from django.urls import path

from ticketing.accounts import views

app_name = "accounts"

urlpatterns = [
    path("", views.Profile.as_view(), name="profile"),
    path("sign-up/", views.SignUp.as_view(), name="sign_up"),
    path("log-in/", views.LogIn.as_view(), name="log_in"),
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
    path("tokens/", views.TokenCreate.as_view(), name="token_create"),
    path("tokens/<int:pk>/revoke/", views.TokenRevoke.as_view(), name="token_revoke"),
]
