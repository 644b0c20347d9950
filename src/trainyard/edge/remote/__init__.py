"""Commands on another machine: what is asked and answered travels as base64, so that no shell reads a user's words."""
