"""Rules about shell scripts, batch scripts of Slurm and Dockerfiles, which are read as lists of lines.

Most are data: line_rules.yaml says which statements are wrong, and why. `rules` has every one as a DocumentRule.
"""
