"""The admin of accounts, and the form with which staff log in to the admin."""

from django.contrib import admin

from ticketing.accounts.admin import identities, legal_documents, security_log, tokens, users
from ticketing.accounts.forms import StaffLogInForm

admin.site.login_form = StaffLogInForm
