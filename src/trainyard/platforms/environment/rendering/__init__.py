"""The files of an environment, which are those of the stacks that clusters share."""
