"""Reading of scanned papers."""

HIGH_CONFIDENCE = 0.99  # from here on a reading may be confirmed in a group
