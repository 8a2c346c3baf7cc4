"""Documents of headings, paragraphs, tables and questions, written as Markdown, LaTeX or HTML."""
