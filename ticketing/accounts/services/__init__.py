"""What can be done with accounts, sessions, passwords, second factors and API tokens."""

from ticketing.accounts.locks import user_for_update
from ticketing.accounts.second_factor import (
    has_factor,
    has_passkey,
    has_phone,
    lacks_own_factor,
    needs_second_factor,
)
from ticketing.accounts.services.addresses import (
    ask_for_address,
    confirm_address,
    confirm_by_reset,
    mail_confirmation,
    mail_sign_up,
    read_sign_up,
)
from ticketing.accounts.services.consents import (
    choose_consents,
    give_consents,
    withdraw_consents,
)
from ticketing.accounts.services.deletions import (
    NOBODY,
    anonymous_account,
    pseudonymise_account,
)
from ticketing.accounts.services.documents import (
    add_default_documents,
    add_document,
    default_texts,
    next_version,
)
from ticketing.accounts.services.identities import (
    record_identity,
    release_identity,
    verify_rehearsal_people,
)
from ticketing.accounts.services.known_devices import (
    COOKIE,
    COOKIE_LASTS,
    count_failure,
    require_known_device,
    user_of_device_link,
    with_known_device,
)
from ticketing.accounts.services.log_ins import (
    delete_expired_sessions,
    end_session,
    end_sessions,
    log_out_everywhere,
    open_sessions,
)
from ticketing.accounts.services.notices import mail_notices
from ticketing.accounts.services.passkeys import (
    authentication_options,
    register_passkey,
    registration_options,
    remove_passkey,
    site,
    verify_passkey,
)
from ticketing.accounts.services.passwords import mail_password_reset, mail_reset_link
from ticketing.accounts.services.people import change_profile, create_users, deactivate, sign_up
from ticketing.accounts.services.second_factor import (
    check_code,
    check_second_factor,
    confirm_phone,
    pending_phone,
    remove_phone,
)
from ticketing.accounts.services.sign_up_challenges import sign_up_challenge, sign_up_level
from ticketing.accounts.services.staff import (
    mark_fresh,
    mark_seen,
    require_factor_owner,
    require_fresh,
    require_staff,
)
from ticketing.accounts.services.tokens import (
    DEFAULT_SCOPES,
    authenticate_token,
    create_token,
    issue_temporary_token,
    revoke_token,
)
