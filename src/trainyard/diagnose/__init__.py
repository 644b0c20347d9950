"""Why something failed: from logs, wherever they lie, to root causes with the lines that prove them."""
