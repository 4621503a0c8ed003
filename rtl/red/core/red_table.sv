// A table of registers in distributed RAM: one write and one asynchronous read per clock.
//
// While `clear_i` the entry `waddr_i` gets DEFAULT; `wdata_i` must be 0 then (one gate for each bit that is 1 in DEFAULT,
// none for the others). Latency: a write is read from the next clock on.
`default_nettype none
module red_table #(
  parameter int Bits = 22,
  parameter int Address = 3,
  parameter logic [Bits-1:0] DEFAULT = '0
) (
  input  wire logic               clk,
  input  wire logic               clear_i,
  input  wire logic               we_i,
  input  wire logic [Address-1:0] waddr_i,
  input  wire logic [Bits-1:0]    wdata_i,
  input  wire logic [Address-1:0] raddr_i,
  output logic [Bits-1:0]         rdata_o
);
  red_require #(
    .OK(Bits >= 1 && Address >= 1),
    .SAYS("red_table: Bits and Address must be at least 1")
  ) u_require_size ();
  logic [Bits-1:0] table_q[2**Address];

  always_ff @(posedge clk) begin
    if (we_i || clear_i) table_q[waddr_i] <= wdata_i | (clear_i ? DEFAULT : '0);
  end

  assign rdata_o = table_q[raddr_i];
`ifdef FORMAL
`include "red_table_props.svh"
`endif
endmodule
`default_nettype wire
