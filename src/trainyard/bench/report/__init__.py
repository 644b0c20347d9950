"""The report of bandwidth tests: one page with plots, the same as text, and the plots as files."""
