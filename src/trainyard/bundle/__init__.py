"""The bundle: everything that a spec renders to, in one folder that explains itself and is never half written."""
