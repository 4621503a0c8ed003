// Stops elaboration where a parameter breaks the module that has it.
//
// SAYS names the module, the parameter and its range. Verilator, Yosys and other tools report it as an
// elaboration error. Icarus Verilog 11 has no elaboration tasks, so a simulation ends at time 0 instead.
`default_nettype none
module red_require #(
  parameter bit OK = 1,
  // verilog_lint: waive explicit-parameter-storage-type (Icarus Verilog and Yosys have no string)
  parameter SAYS = "a parameter is out of range"
) ();
  if (!OK) begin : gen_stop
`ifdef __ICARUS__
    initial $fatal(1, "%0s", SAYS);
`elsif YOSYS
    $error(SAYS);                           // Yosys prints its first argument as it is
`else
    $error("%0s", SAYS);
`endif
  end
endmodule
`default_nettype wire
