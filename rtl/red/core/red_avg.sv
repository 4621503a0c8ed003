// The average of each queue (SPEC.md, "Average"): acc += (q << 10) - (acc >> W), or in paper mode
// acc += ((q << 10) - acc) >>> W, for one packet per clock, whatever its queue.
//
// Two clocks, s1 and s2. Both modes are one three-operand sum,
//
//   acc' = acc + ~(acc >> W) + (q << Base) + one
//
// with Base = 10 and one = 1 in sound mode. In paper mode (q << 10) is a multiple of 2^W, so that the shift leaves q << 10-W and
// rounds -acc down: Base = 10 - W, and one = 1 only if the W lower bits of acc are 0. W is at most 10 there.
//
// s1 reads acc and turns three operands into two (sum and carry of each bit), s2 adds them and writes the result. If the packet
// before is of the same queue, its result is still in the adder: the s1 logic of each bit takes the adder's output where `fwd_i`
// says so. That path, adder to s1's register, is the longest of the core, so all else about a bit goes into `*_else`,
// which is ready early, and one gate of four inputs remains behind the adder. With SPACED it does not exist.
//
//   s1:  valid_i or clear_i (write 0 instead), qid_i, qlen_i, fwd_i; rest_i takes rest_acc_i for what is in the memory
//   s2:  acc_we_o, acc_qid_o, acc_o: what is written (red_idle keeps a copy)
//   s3:  avg_o
`default_nettype none
module red_avg #(
  parameter int W = 9,
  parameter bit PAPER = 0,
  parameter bit IDLE = 0,
  parameter bit SPACED = 0,
  parameter int Queue = 3,
  parameter int Acc = PAPER ? 22 : 22 + W
) (
  input  wire logic             clk,
  input  wire logic             valid_i,
  input  wire logic             clear_i,
  input  wire logic [Queue-1:0] qid_i,
  input  wire logic [11:0]      qlen_i,
  input  wire logic             fwd_i,
  input  wire logic             rest_i,
  input  wire logic [Acc-1:0]   rest_acc_i,
  output logic                  acc_we_o,
  output logic [Queue-1:0]      acc_qid_o,
  output logic [Acc-1:0]        acc_o,
  output logic [21:0]           avg_o
);
  red_require #(
    .OK(W >= 1 && W <= (PAPER ? 10 : 16)),
    .SAYS("red_avg: W must be 1 to 16, with PAPER 1 to 10")
  ) u_require_w ();
  localparam int Base = PAPER ? 10 - W : 10;
  localparam int Top = Base + 12;  // above it only the sign of -(acc >> W) and its carry

  logic           we_q, one, fwd;
  logic [Queue-1:0] qid_q;
  logic [Acc-1:0] stored, present, sum_q, carry_q, sum_d, carry_d, acc;
  logic [21:0]    avg_q;

  assign fwd = fwd_i && !SPACED;

  red_table #(
    .Bits(Acc),
    .Address(Queue)
  ) u_acc (
    .clk,
    .clear_i(1'b0),
    .we_i(we_q),
    .waddr_i(qid_q),
    .wdata_i(acc),
    .raddr_i(qid_i),
    .rdata_o(stored)
  );

  assign present = IDLE && rest_i ? rest_acc_i : stored;

  // ---- s1: each bit by its place
  logic top_carry;
  for (genvar i = 0; i < Acc; i++) begin : g_bit
    if (i < Base) begin : g_low
      // acc and ~(acc >> W): no third operand.
      assign sum_d[i] = fwd ? acc[i] : present[i];
      assign carry_d[i] = ~(fwd ? acc[i+W] : present[i+W]);
    end else if (i < Top) begin : g_three
      logic q, sum_else, carry_else, carry;
      assign q = qlen_i[i-Base];
      assign sum_else = fwd ? q : ~(present[i] ^ present[i+W] ^ q);
      assign carry_else =
          fwd ? q : (present[i] & ~present[i+W]) | (q & (present[i] | ~present[i+W]));
      assign sum_d[i] = sum_else ^ (fwd & ~(acc[i] ^ acc[i+W]));
      assign carry =
          fwd ? (acc[i] & ~acc[i+W]) | (carry_else & (acc[i] | ~acc[i+W])) : carry_else;
      if (i == Base) begin : g_first
        assign carry_d[i] = 1'b0;
      end
      if (i < Top - 1) begin : g_next
        assign carry_d[i+1] = carry;
      end else begin : g_last
        assign top_carry = carry;
      end
    end else begin : g_high
      // ~(acc >> W) is all ones here, -1 at Top: with the carry into Top it is 0.
      assign sum_d[i] = fwd ? acc[i] : present[i];
      assign carry_d[i] = ~top_carry;
    end
  end

  // ---- s2: the adder; the added place below takes `one`
  logic unused;
  assign {acc, unused} = {sum_q, 1'b1} + {carry_q, one};

  always_ff @(posedge clk) begin
    we_q <= valid_i || clear_i;
    qid_q <= qid_i;
    sum_q <= clear_i ? '0 : sum_d;
    carry_q <= clear_i ? '1 : carry_d;  // 0 - 1 + 1
    avg_q <= acc[Acc-1-:22];
  end

  if (PAPER) begin : g_paper
    logic [W-1:0] low;
    logic one_q;
    assign low = fwd ? acc[W-1:0] : present[W-1:0];
    assign one = one_q;
    always_ff @(posedge clk) one_q <= clear_i || low == '0;
  end else begin : g_sound
    assign one = 1'b1;
  end

  assign acc_we_o = we_q;
  assign acc_qid_o = qid_q;
  assign acc_o = acc;
  assign avg_o = avg_q;

  logic unused_rest;
  assign unused_rest = &{1'b0, rest_i, rest_acc_i, fwd_i};
`ifdef FORMAL
`include "red_avg_props.svh"
`endif
endmodule
`default_nettype wire
