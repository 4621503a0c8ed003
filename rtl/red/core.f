// The decision core, in the order in which tools read it. `verilator -F core.f`: paths are relative to this file.
core/red_core.sv
