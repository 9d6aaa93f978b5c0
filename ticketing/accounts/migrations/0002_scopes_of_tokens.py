from datetime import timedelta

from django.db import migrations, models
from django.db.models import F

LASTS = timedelta(days=90)
# Processes of the release before create tokens without an end while the site is updated.
DEFAULT_EXPIRY = """
CREATE FUNCTION default_token_expiry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.expires_at := coalesce(NEW.expires_at, NEW.created_at + interval '90 days');
    RETURN NEW;
END $$;
CREATE TRIGGER default_token_expiry BEFORE INSERT OR UPDATE ON accounts_apitoken
FOR EACH ROW EXECUTE FUNCTION default_token_expiry();
"""


def end_in_time(apps, schema_editor):
    """Tokens from before could do everything for ever; now they end with their 90 days."""
    tokens = apps.get_model("accounts", "ApiToken").objects
    tokens.filter(expires_at=None).update(expires_at=F("created_at") + LASTS)
    tokens.filter(user__is_staff=True).update(scopes="read buy door operate")


class Migration(migrations.Migration):
    while_running = "A trigger gives API tokens without an end the 90 days that they last by default."

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='scopes',
            field=models.CharField(db_default='read buy', help_text='Separated by spaces.', max_length=40, verbose_name='may'),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='has_second_factor',
            field=models.BooleanField(db_default=False, default=False, editable=False, verbose_name='created with a second factor'),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='created_from',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=45, verbose_name='created from'),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='last_used_from',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=45, verbose_name='last used from'),
        ),
        migrations.RunSQL(DEFAULT_EXPIRY, "DROP FUNCTION default_token_expiry CASCADE"),
        migrations.RunPython(end_in_time, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='apitoken',
            name='expires_at',
            field=models.DateTimeField(verbose_name='expires'),
        ),
    ]
