// Uniform gaps (SPEC.md, "Drop", with GAP): each queue has a credit, that p is paid from until it does not suffice.
//
// Two clocks: s4 reads the credit (or takes it from s5, if the packet there is of the same queue), s5 subtracts, and says
// whether that was a hit. A limited p (2^21 - 1) is only payable by a credit of all ones, and leaves 0.
//
//   s4:  qid_i
//   s5:  valid_i, region_i, draw_i, p_i  ->  drop_o;  clear_i, clear_qid_i write all ones
`default_nettype none
module red_gap #(
  parameter bit SPACED = 0,
  parameter int Queue = 3
) (
  input  wire logic             clk,
  input  wire logic             clear_i,
  input  wire logic [Queue-1:0] clear_qid_i,
  input  wire logic [Queue-1:0] qid_i,
  input  wire logic             valid_i,
  input  wire logic [1:0]       region_i,
  input  wire logic [20:0]      draw_i,
  input  wire logic [23:0]      p_i,
  output logic                  drop_o
);
  logic [20:0] stored, credit_q, credit_d, left;
  logic [Queue-1:0] qid_q;
  logic same, short, limited, hit, random, keep;

  red_table #(
    .Bits(21),
    .Address(Queue),
    .DEFAULT(21'h1fffff)
  ) u_credit (
    .clk,
    .clear_i,
    .we_i(valid_i),
    .waddr_i(clear_i ? clear_qid_i : qid_q),
    .wdata_i(credit_d),
    .raddr_i(qid_i),
    .rdata_o(stored)
  );

  assign same = !SPACED && valid_i && qid_i == qid_q;
  assign {short, left} = {1'b0, credit_q} - {1'b0, p_i[20:0]};
  assign limited = p_i[23:21] != 3'd0;
  assign hit = limited ? credit_q != 21'h1fffff : short;

  assign random = region_i[0];
  assign keep = random && !hit;

  always_comb begin
    credit_d = draw_i;
    if (keep) credit_d = limited ? '0 : left;
  end

  always_ff @(posedge clk) begin
    qid_q <= qid_i;
    credit_q <= same ? credit_d : stored;
  end

  assign drop_o = region_i[1] || (random && hit);
`ifdef FORMAL
`include "red_gap_props.svh"
`endif
endmodule
`default_nettype wire
