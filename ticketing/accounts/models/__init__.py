"""Users, sessions, API tokens, verified identities, the security log, documents, consents."""

from ticketing.accounts.models.documents import Consent, LegalDocument
from ticketing.accounts.models.identities import Identity, IdentityChange
from ticketing.accounts.models.passkeys import Passkey
from ticketing.accounts.models.personal_data import DataExport, PurgeRun
from ticketing.accounts.models.security_log import SecurityEvent
from ticketing.accounts.models.tokens import TOKEN_LASTS, ApiToken, Scope
from ticketing.accounts.models.users import Session, User, UserManager
