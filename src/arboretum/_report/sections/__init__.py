"""The sections of a report: each takes evidence and returns HTML, or says why it cannot be shown."""
