// The reference pipeline, in the order in which tools read it.
-F module.f
pipeline/red_lookup_stub.sv
pipeline/red_output_queues.sv
pipeline/udp_red.sv
