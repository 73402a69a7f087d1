"""Certified arithmetic with balls: midpoint and radius."""
