"""Reading of scanned papers."""

HIGH_CONFIDENCE = 0.985  # from here on a reading may be confirmed in a group
