"""The steps that make a cluster and remove it again: each can be asked, done and undone, and again without harm."""
