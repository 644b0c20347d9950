"""AWS, one file a service. Everything here takes an Account and knows nothing of specs."""
