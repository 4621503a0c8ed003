"""Results of ours beside ns-2's: scenarios, quantities with intervals on both sides, and a flow
followed packet by packet."""
