"""What a rehearsal has to say: a page for people, a summary for terminals, and what it could and could not prove."""
