"""The pages of accounts."""

from ticketing.accounts.views.consents import Consents
from ticketing.accounts.views.log_ins import (
    Identity,
    KnownDevice,
    LogIn,
    LogOut,
    LogOutEverywhere,
    SessionEnd,
    lockout_response,
    login_email,
)
from ticketing.accounts.views.passkeys import (
    PasskeyOptions,
    PasskeyRemove,
    Passkeys,
    PasskeyUse,
    PasskeyUseOptions,
)
from ticketing.accounts.views.passwords import (
    PasswordChange,
    PasswordReset,
    PasswordResetComplete,
    PasswordResetConfirm,
    PasswordResetDone,
)
from ticketing.accounts.views.profile import Address, Confirm, ConfirmSend, Profile
from ticketing.accounts.views.sign_ups import SignUp, SignUpFinish, SignUpSent
from ticketing.accounts.views.tokens import Developers, TokenCreate, TokenRevoke
