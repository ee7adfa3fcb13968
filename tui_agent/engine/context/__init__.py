"""What the model is told besides the messages: memory files, attachments, reminders, trimming."""
