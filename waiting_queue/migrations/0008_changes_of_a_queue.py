from django.db import migrations, models


class Migration(migrations.Migration):
    while_running = "Only operators change queues, so the table is small."
    dependencies = [("queue", "0007_waiting_pages")]

    operations = [
        migrations.AddIndex(
            model_name="queuechange",
            index=models.Index(fields=["queue", "what"], name="changes_of_a_queue"),
        )
    ]
