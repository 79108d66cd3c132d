"""Timings of the plan's candidates, and the fit of the plan's models to them."""
