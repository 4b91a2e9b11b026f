"""The text of a report: a section for each question of a reader, and all wording."""
