"""Whole bootstraps, by the real launcher and the real steps, as root in a clean Debian 12."""
