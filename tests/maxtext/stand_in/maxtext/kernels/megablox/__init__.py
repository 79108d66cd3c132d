"""See `maxtext`."""
