"""The subcommands of ``claimlab``, a file each: its options, and what it runs and prints."""
