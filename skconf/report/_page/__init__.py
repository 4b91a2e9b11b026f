"""Write pages: self-contained HTML, made of parts that can also be written as text and Markdown.

- `document` writes a page of `parts`. Two parts have a file of their own: `tables`, with `text_tables` for a terminal,
  and the `slider`.
- `chart` draws `marks` in a `frame` with `axes`.
- `elements` writes HTML and SVG.
"""
