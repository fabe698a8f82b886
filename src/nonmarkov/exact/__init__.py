"""Numbers only: the tables of a process and what follows from them exactly."""
