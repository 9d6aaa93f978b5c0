"""Where nobody has a mail server: mails are kept in a folder, and read on a page."""
