"""The numbers of a report, computed from predictions; the wording is elsewhere."""
