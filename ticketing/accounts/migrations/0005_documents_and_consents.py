"""Legal documents in versions, and consents to them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_passkeys'),
    ]

    operations = [
        migrations.CreateModel(
            name='LegalDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('terms', 'terms of use'), ('privacy', 'privacy policy'), ('third_party', 'provision to the organiser'), ('marketing', 'news by e-mail'), ('seller', 'seller’s details'), ('help', 'help')], max_length=11, verbose_name='document')),
                ('version', models.PositiveIntegerField(editable=False, verbose_name='version')),
                ('title_ko', models.CharField(max_length=120, verbose_name='title in Korean')),
                ('title_en', models.CharField(max_length=120, verbose_name='title in English')),
                ('body_ko', models.TextField(help_text='“# ” begins a heading, “- ” a point of a list; an empty line ends both.', verbose_name='text in Korean')),
                ('body_en', models.TextField(verbose_name='text in English')),
                ('published_at', models.DateTimeField(help_text='From then on this version is valid and can’t be changed.', verbose_name='published from')),
            ],
            options={
                'verbose_name': 'legal document',
                'verbose_name_plural': 'legal documents',
                'ordering': ['kind', '-version'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'version'), name='one_document_per_version')],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.CharField(blank=True, default='', max_length=12, verbose_name='order')),
                ('given_at', models.DateTimeField(verbose_name='given')),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consents', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='accounts.legaldocument', verbose_name='document')),
            ],
            options={
                'verbose_name': 'consent',
                'verbose_name_plural': 'consents',
                'ordering': ['-given_at', '-id'],
                'default_permissions': ('view',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('user', 'document', 'about'), name='a_consent_is_given_once')],
            },
        ),
    ]
