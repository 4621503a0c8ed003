// A FIFO that shows its first word before it is asked for (`fallthrough` in NetFPGA's words).
//
// Words wait here while the core decides. `nearly_full_o` falls due SLACK words before the end,
// because a sender on a push bus may still write after it was told to stop. Whoever writes into a
// full FIFO loses words: nothing here guards against it, the slack does.
//
//   DEPTH  words, a power of two
//   SLACK  words that may still come
`default_nettype none
module red_pkt_fifo #(
  parameter int WIDTH = 72,
  parameter int DEPTH = 16,
  parameter int SLACK = 3
) (
  input  wire logic             clk,
  input  wire logic             rst,
  input  wire logic             wr_i,
  input  wire logic [WIDTH-1:0] data_i,
  input  wire logic             rd_i,       // take the word that is shown; not while empty_o
  output logic      [WIDTH-1:0] data_o,
  output logic                  empty_o,
  output logic                  nearly_full_o
);
  red_require #(
    .OK(DEPTH >= 4 && (DEPTH & (DEPTH - 1)) == 0),
    .SAYS("red_pkt_fifo: DEPTH must be a power of two, at least 4")
  ) u_require_depth ();
  red_require #(
    .OK(SLACK >= 0 && SLACK < DEPTH),
    .SAYS("red_pkt_fifo: SLACK must be 0 to DEPTH - 1")
  ) u_require_slack ();
  red_require #(
    .OK(WIDTH >= 1),
    .SAYS("red_pkt_fifo: WIDTH must be at least 1")
  ) u_require_width ();
  localparam int AW = $clog2(DEPTH);
  localparam logic [AW:0] Near = (AW + 1)'(DEPTH - SLACK);

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [DEPTH];
  logic [AW-1:0]    head_q, tail_q, head;
  logic [AW:0]      count_q;

  // asynchronous read: the memory is distributed RAM for any usual depth
  // The lowest bit is kept inverted: of a plain register yosys would make the address of a memory
  // with synchronous read, which this is not, and build it a second time in logic.
  assign head          = {head_q[AW-1:1], !head_q[0]};
  assign data_o        = mem[head];
  assign empty_o       = count_q == 0;
  assign nearly_full_o = count_q >= Near;

  always_ff @(posedge clk) if (wr_i) mem[tail_q] <= data_i;

  always_ff @(posedge clk) begin
    if (rst) begin
      head_q  <= AW'(1);
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (wr_i) tail_q <= tail_q + 1'b1;
      if (rd_i) head_q <= (head + 1'b1) ^ AW'(1);
      if (wr_i != rd_i) count_q <= rd_i ? count_q - 1'b1 : count_q + 1'b1;
    end
  end
`ifdef FORMAL
`include "red_pkt_fifo_props.svh"
`endif
endmodule
`default_nettype wire
