// Verdicts that wait until their packets get to the head of the packet FIFO: one bit each, in
// order.
//
// There can never be more than there are packets in the packet FIFO, and a packet has at least two
// words: with DEPTH at least half of the packet FIFO's this cannot overflow, so it needs no flag
// for it.
`default_nettype none
module red_verdicts #(
  parameter int DEPTH = 16
) (
  input  wire logic clk,
  input  wire logic rst,
  input  wire logic wr_i,
  input  wire logic drop_i,
  input  wire logic rd_i,
  output logic      valid_o,
  output logic      drop_o
);
  red_require #(
    .OK(DEPTH >= 4 && (DEPTH & (DEPTH - 1)) == 0),
    .SAYS("red_verdicts: DEPTH must be a power of two, at least 4")
  ) u_require_depth ();
  localparam int AW = $clog2(DEPTH);

  (* ram_style = "distributed" *) logic mem [DEPTH];
  logic [AW-1:0] head_q, tail_q, head;

  // The lowest bit is kept inverted: of a plain register yosys would make the address of a memory
  // with synchronous read, which this is not, and build it a second time in logic.
  assign head    = {head_q[AW-1:1], !head_q[0]};
  assign drop_o  = mem[head];
  assign valid_o = head != tail_q;

  always_ff @(posedge clk) if (wr_i) mem[tail_q] <= drop_i;

  always_ff @(posedge clk) begin
    if (rst) begin
      head_q <= AW'(1);
      tail_q <= '0;
    end else begin
      if (wr_i) tail_q <= tail_q + 1'b1;
      if (rd_i) head_q <= (head + 1'b1) ^ AW'(1);
    end
  end
`ifdef FORMAL
`include "red_verdicts_props.svh"
`endif
endmodule
`default_nettype wire
