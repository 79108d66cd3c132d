"""A stand-in for MaxText: a layer of experts that calls the same functions in the same way.

It is written for these tests. It has the calls of MaxText 0.2.5 (shapes, dtypes, layouts, casts to
axes of a mesh, offsets, the derivative around them), and nothing else of it.
"""
