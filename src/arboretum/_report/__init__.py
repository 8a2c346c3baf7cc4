"""The report: one HTML file about a fitted model that a manager can read and an auditor can check.

subject      what a report is about: the model, a table, its truths
evidence     what is worked out about it, each piece once; all of it is computed by other packages
sections     one file for each section: evidence becomes sentences, tables and charts
charts       small charts as SVG, in the colours of the page
blocks, page the HTML of a paragraph, a table, a figure; the file around all of it
"""
