
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('queue', '0011_lanes'),
        ('ticketing', '0009_returned_seats_go_to_the_standby_list'),
    ]

    operations = [
        migrations.CreateModel(
            name='PlaceSignals',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('person', models.BigIntegerField(verbose_name='person')),
                ('at', models.DateTimeField(verbose_name='when')),
                ('address_range', models.CharField(blank=True, max_length=49, verbose_name='address range')),
                ('signals', models.JSONField(default=dict, verbose_name='signals')),
                ('entry', models.CharField(editable=False, max_length=40)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ticketing.event', verbose_name='event')),
            ],
            options={
                'verbose_name': 'signals of a place',
                'verbose_name_plural': 'signals of places',
                'ordering': ['id'],
                'indexes': [models.Index(fields=['event', 'person', 'id'], name='signals_of_a_person'), models.Index(fields=['event', 'address_range'], name='signals_of_a_range')],
                'constraints': [models.UniqueConstraint(fields=('entry',), name='signals_are_kept_once')],
            },
        ),
    ]
