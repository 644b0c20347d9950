"""Stand-ins for eksctl, kubectl and the API server between them: what they are told is recorded, and answered."""
