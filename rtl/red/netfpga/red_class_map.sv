// DSCP to class of WRED: 64 entries of 2 bits, which can be written.
//
// After reset the drop precedence 1 to 3 of the assured forwarding groups (RFC 2597: DSCP aaadd0,
// aaa 1 to 4, dd not 0) is the class, and everything else, expedited forwarding too, is of class 0.
// The reset of the table takes 64 clocks; `ready_o` is low for so long.
`default_nettype none
module red_class_map (
  input  wire logic       clk,
  input  wire logic       rst,
  output logic            ready_o,
  input  wire logic       we_i,
  input  wire logic [5:0] addr_i,
  input  wire logic [1:0] data_i,
  input  wire logic       valid_i,          // the packet has a DSCP; class 0 if not
  input  wire logic [5:0] dscp_i,
  output logic      [1:0] class_o
);
  (* ram_style = "distributed" *) logic [1:0] mem [64];
  logic [6:0] sweep_q;                      // the entry that is reset; the top bit: done
  logic       assured;
  assign ready_o = sweep_q[6];
  assign assured = sweep_q[5:3] >= 3'd1 && sweep_q[5:3] <= 3'd4 && !sweep_q[0];

  always_ff @(posedge clk) begin
    if (rst) sweep_q <= '0;
    else if (!ready_o) sweep_q <= sweep_q + 7'd1;
  end
  always_ff @(posedge clk) begin
    if (!ready_o) mem[sweep_q[5:0]] <= assured ? sweep_q[2:1] : 2'd0;
    else if (we_i) mem[addr_i] <= data_i;
  end
  assign class_o = valid_i ? mem[dscp_i] : 2'd0;
endmodule
`default_nettype wire
