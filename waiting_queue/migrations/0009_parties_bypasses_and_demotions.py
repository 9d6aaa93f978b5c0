import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('queue', '0008_changes_of_a_queue'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='blockappeal',
            options={'ordering': ['-id'], 'verbose_name': 'appeal', 'verbose_name_plural': 'appeals'},
        ),
        migrations.AddField(
            model_name='queuejournal',
            name='leader',
            field=models.BigIntegerField(null=True, verbose_name='leader of the party'),
        ),
        migrations.AddField(
            model_name='salequeue',
            name='companions',
            field=models.PositiveSmallIntegerField(db_default=3, default=3, help_text='So many people may join somebody in line, as a party with one limit; 0: none.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(20)], verbose_name='companions'),
        ),
        migrations.AlterField(
            model_name='blockappeal',
            name='state',
            field=models.CharField(choices=[('open', 'waits for an answer'), ('lifted', 'granted'), ('refused', 'refused')], default='open', max_length=7, verbose_name='state'),
        ),
        migrations.AlterField(
            model_name='queuejournal',
            name='kind',
            field=models.CharField(choices=[('lobby', 'came to the lobby'), ('join', 'got a number'), ('ready', 'was called'), ('admit', 'came in'), ('completed', 'finished'), ('left', 'left'), ('expired', 'was away or too late'), ('blocked', 'was moved out'), ('closed', 'the queue closed'), ('demoted', 'was moved to the end of the line'), ('restored', 'got the old place back'), ('bypass', 'may enter without waiting'), ('companion', 'waits with the leader of a party'), ('lead', 'leads the party from now on')], max_length=9, verbose_name='what'),
        ),
        migrations.CreateModel(
            name='QueueBypass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=200, verbose_name='reason')),
                ('at', models.DateTimeField(verbose_name='since')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='added by')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('queue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bypasses', to='queue.salequeue', verbose_name='queue')),
            ],
            options={
                'verbose_name': 'person who need not wait',
                'verbose_name_plural': 'people who need not wait',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('queue', 'person'), name='one_bypass_of_a_person_at_a_time')],
            },
        ),
    ]
