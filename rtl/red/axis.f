// The AXI4-Stream module, in the order in which tools read it.
-F core.f
netfpga/red_pkt_fifo.sv
netfpga/red_verdicts.sv
netfpga/red_occupancy.sv
axis/red_axis.sv
