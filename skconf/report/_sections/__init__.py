"""What a report says: a section for each question of a reader, and all wording."""
