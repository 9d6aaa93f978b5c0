"""Exports, deleted accounts, purges, and names in the audit of tickets that may be erased."""

import django.db.models.deletion
import uuid

from django.conf import settings
from django.db import migrations, models

# A transaction that erases somebody's data says so. It may empty what was written about a name or
# an address, and nothing else; the row itself stays.
AUDIT = """
CREATE OR REPLACE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rehearsal text := coalesce(current_setting('ticketing.rehearsal_over', true), '');
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.by_id IS NULL
     AND to_jsonb(NEW) - 'by_id' = to_jsonb(OLD) - 'by_id' THEN
    RETURN NEW;
  END IF;
%s  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM ticketing_event
    WHERE id = (to_jsonb(OLD) ->> TG_ARGV[0])::bigint AND state = 'draft'
  ) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'DELETE' AND rehearsal <> '' AND EXISTS (
    SELECT FROM ticketing_event
    WHERE id = audited_event(TG_TABLE_NAME, to_jsonb(OLD))
    AND id::text = rehearsal AND rehearsal_of_id IS NOT NULL
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '%% is final', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
"""
ERASURE = """  IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'reservations_ticketchange'
     AND coalesce(current_setting('ticketing.erases_person', true), '') = 'on'
     AND to_jsonb(NEW) - '{before,after}'::text[] = to_jsonb(OLD) - '{before,after}'::text[]
     AND to_jsonb(NEW) ->> 'before' IN ('', to_jsonb(OLD) ->> 'before')
     AND to_jsonb(NEW) ->> 'after' IN ('', to_jsonb(OLD) ->> 'after') THEN
    RETURN NEW;
  END IF;
"""


class Migration(migrations.Migration):
    while_running = "The trigger lets through what it did before, and one update more."

    dependencies = [
        ('accounts', '0005_documents_and_consents'),
        ('rehearsal', '0002_the_audit_of_rehearsals'),
    ]

    operations = [
        migrations.CreateModel(
            name='PurgeRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('began_at', models.DateTimeField(verbose_name='began')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended')),
                ('counts', models.JSONField(default=dict, verbose_name='deleted')),
                ('error', models.CharField(blank=True, max_length=300, verbose_name='error')),
            ],
            options={
                'verbose_name': 'purge',
                'verbose_name_plural': 'purges',
                'ordering': ['-began_at'],
                'default_permissions': ('view',),
            },
        ),
        migrations.AddField(
            model_name='user',
            name='deleted_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted'),
        ),
        migrations.AlterField(
            model_name='securityevent',
            name='kind',
            field=models.CharField(choices=[('signed_up', 'signed up'), ('logged_in', 'logged in'), ('log_in_failed', 'failed to log in'), ('log_ins_slowed', 'log-ins slowed down'), ('password_changed', 'password changed'), ('email_confirmed', 'address confirmed'), ('email_change_asked', 'new address entered'), ('email_changed', 'address changed'), ('token_created', 'API token created'), ('token_revoked', 'API token revoked'), ('factor_added', 'second factor set up'), ('factor_removed', 'second factor removed'), ('session_ended', 'one session ended'), ('logged_out', 'logged out on all devices'), ('role_changed', 'role changed'), ('deactivated', 'account deactivated'), ('data_exported', 'personal data exported'), ('deleted', 'account deleted')], max_length=20, verbose_name='what'),
        ),
        migrations.CreateModel(
            name='DataExport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('language', models.CharField(blank=True, max_length=10)),
                ('asked_at', models.DateTimeField(verbose_name='asked for')),
                ('made_at', models.DateTimeField(null=True, verbose_name='made')),
                ('expires_at', models.DateTimeField(verbose_name='expires')),
                ('as_json', models.BinaryField(default=b'')),
                ('as_pdf', models.BinaryField(default=b'')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exports', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'export of personal data',
                'verbose_name_plural': 'exports of personal data',
                'ordering': ['-asked_at'],
                'default_permissions': (),
            },
        ),
        # plpgsql's own percent sign is doubled in the template above.
        migrations.RunSQL(AUDIT % ERASURE, AUDIT % ""),
    ]
