"""Web pages, Word documents, e-mails and notebooks as free text."""
