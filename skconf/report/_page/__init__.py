"""Write pages: self-contained HTML, made of parts that are text and Markdown, too."""
