"""Which role a step has, recognised by the shape of its formula."""
