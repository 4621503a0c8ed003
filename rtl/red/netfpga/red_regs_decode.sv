// Which register an address is. Made from registers.toml by `python -m dumbbell.rtl.registers`: edit that.
`default_nettype none
module red_regs_decode (
  input  wire logic [8:0] addr_i,
  output logic            avg_o,           // ro
  output logic            qlen_o,          // ro
  output logic            passed_o,        // ro
  output logic            early_o,         // ro
  output logic            forced_o,        // ro
  output logic            id_o,            // ro
  output logic            options_o,       // ro
  output logic            idle_period_o,   // rw
  output logic            adapt_period_o,  // rw
  output logic            class_o,         // rw
  output logic            core_o           // one of the core's, by table, class, queue
);
  assign avg_o = addr_i[8:3] == 6'h20;
  assign qlen_o = addr_i[8:3] == 6'h21;
  assign passed_o = addr_i[8:3] == 6'h24;
  assign early_o = addr_i[8:3] == 6'h25;
  assign forced_o = addr_i[8:3] == 6'h26;
  assign id_o = addr_i[8:0] == 9'h140;
  assign options_o = addr_i[8:0] == 9'h141;
  assign idle_period_o = addr_i[8:0] == 9'h142;
  assign adapt_period_o = addr_i[8:0] == 9'h143;
  assign class_o = addr_i[8:6] == 3'h6;
  assign core_o = addr_i[8:5] == 4'h0 ||
    addr_i[8:5] == 4'h1 ||
    addr_i[8:5] == 4'h2 ||
    addr_i[8:5] == 4'h3 ||
    addr_i[8:5] == 4'h4 ||
    addr_i[8:0] == 9'he0 ||
    addr_i[8:0] == 9'he1 ||
    addr_i[8:0] == 9'he2 ||
    addr_i[8:0] == 9'he3 ||
    addr_i[8:0] == 9'he4;
endmodule
`default_nettype wire
