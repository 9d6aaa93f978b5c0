"""How tickets are shown: signed QR codes, PDF, calendar files, labels."""
