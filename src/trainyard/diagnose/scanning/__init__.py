"""Which lines of logs signatures find: blocks of many lines first, and single lines only where something is."""
