"""Write pages: self-contained HTML, made of parts that can also be written as text and Markdown."""
