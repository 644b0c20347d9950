"""Files of other tools, which `check` reads as they are: whose they are, and what the rules about them say."""
