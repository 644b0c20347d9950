"""API actions and services that moto lacks, one service a file, found by being here."""
