"""Rules about files of other tools that no rule about specs has a twin of. One file a rule."""
