"""YAML in and out: text to values that know where they stand, and values to text. Pure; reads and writes no files."""
