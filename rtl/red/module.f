// The NetFPGA-1G module, in the order in which tools read it.
-F core.f
netfpga/red_pkt_fifo.sv
netfpga/red_verdicts.sv
netfpga/red_hdr_parser.sv
netfpga/red_occupancy.sv
netfpga/red_processor.sv
netfpga/red_idle_time.sv
netfpga/red_ticker.sv
netfpga/red_class_map.sv
netfpga/red_nf_path.sv
netfpga/red_counters.sv
netfpga/red_regs_decode.sv
netfpga/red_regs.sv
netfpga/red_nf1g.sv
