"""`python -m codejury.cli`, for where the command is not on the PATH."""

from codejury.cli import main

main()
