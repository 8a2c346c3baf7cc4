"""How the documentation site is made from the pages of the repository; nothing of this is shipped."""
