"""Commands that look at results."""
