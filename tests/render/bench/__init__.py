"""Tests of the jobs that measure bandwidth."""
