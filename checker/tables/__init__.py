"""A machine as numbers and tables: what the fast explorer, the reductions and the walks share."""
