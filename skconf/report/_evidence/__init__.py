"""What a report rests on: numbers from predictions, no words."""
