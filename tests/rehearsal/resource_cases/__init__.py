"""What makes each resource type, and the attributes that a template can ask for; by name of the type."""
