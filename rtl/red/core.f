// The decision core, in the order in which tools read it. `verilator -F core.f`: paths are relative to this file.
core/red_require.sv
core/red_leap.sv
core/red_lfsr.sv
core/red_table.sv
core/red_delay.sv
core/red_avg.sv
core/red_idle.sv
core/red_mult.sv
core/red_prob.sv
core/red_hit.sv
core/red_gap.sv
core/red_adapt.sv
core/red_cfg.sv
core/red_core.sv
