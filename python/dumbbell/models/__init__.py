"""Closed models of the field: E-model, Ethernet FCS, fairness, synchrony, DSCP, assured rates."""
