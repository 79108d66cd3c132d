"""Timings of the plan's candidates, and the fit of the plan's model for Hopper to them."""
