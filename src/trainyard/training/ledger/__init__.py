"""Where the time of training runs went: every second of every allocated GPU is of one kind, and they add up."""
