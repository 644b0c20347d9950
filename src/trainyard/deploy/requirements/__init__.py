"""What a spec wants of the account: ids, places and counts with where they stand in it. Pure; asks AWS nothing."""
