"""Recognition of the roles of steps by the shapes of their formulas."""
