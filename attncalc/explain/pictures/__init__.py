"""Pictures as data: arcs, bars, flow of shapes, search trees."""
