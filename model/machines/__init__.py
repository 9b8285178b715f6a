"""The machines, one file each: state, actions with guard and effect, faults."""
