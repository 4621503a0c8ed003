// The average of a queue that was empty (SPEC.md, "Idle"): acc >> (i >> 1), and three quarters of that if i is odd.
//
// Two clocks before red_avg's s1, from a copy of its memory: the port's contract (no packet of this queue in the three
// clocks before) sees to it that the copy is up to date.
//
//   in front:  qid_i, idle_i          two clocks later:  rest_o (idle_i was not 0), acc_o
`default_nettype none
module red_idle #(
  parameter int Acc = 31,
  parameter int Queue = 3
) (
  input  wire logic             clk,
  input  wire logic [Queue-1:0] qid_i,
  input  wire logic [5:0]       idle_i,
  input  wire logic             acc_we_i,
  input  wire logic [Queue-1:0] acc_qid_i,
  input  wire logic [Acc-1:0]   acc_i,
  output logic                  rest_o,
  output logic [Acc-1:0]        acc_o
);
  logic [Acc-1:0] stored, shifted_q, acc_q;
  logic some_q, odd_q, rest_q;

  red_table #(
    .Bits(Acc),
    .Address(Queue)
  ) u_copy (
    .clk,
    .clear_i(1'b0),
    .we_i(acc_we_i),
    .waddr_i(acc_qid_i),
    .wdata_i(acc_i),
    .raddr_i(qid_i),
    .rdata_o(stored)
  );

  always_ff @(posedge clk) begin
    shifted_q <= stored >> idle_i[5:1];
    odd_q <= idle_i[0];
    some_q <= idle_i != 6'd0;
    acc_q <= shifted_q - (odd_q ? shifted_q >> 2 : '0);
    rest_q <= some_q;
  end

  assign rest_o = rest_q;
  assign acc_o = acc_q;
endmodule
`default_nettype wire
