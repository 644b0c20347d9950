"""The spec: what a user writes, exactly as it was written. Whether it makes sense is for the rules to say."""
