// Adaptive RED (SPEC.md, "Adaptive"): the slope of an entry is stepped once after each tick.
//
// The flags "due" are asked in s1, in the order of acceptance. s3 compares the average with the targets, s4 steps the slope;
// a packet of the same entry in s3 takes the stepped slope from there (`fwd_o`, `slope_o`).
//
//   s1:  tick_i, valid_i, entry_i
//   s3:  avg_i, lower_i, upper_i, slope_i (what this packet uses)
//   s4:  fwd_o and we_o: slope_o is the new slope of entry_s4_o, and the packet in s3 is of that entry
`default_nettype none
module red_adapt #(
  parameter int Address = 3,
  parameter int Slope = 18
) (
  input  wire logic               clk,
  input  wire logic               rst,
  input  wire logic               tick_i,
  input  wire logic               valid_i,
  input  wire logic [Address-1:0] entry_i,
  input  wire logic [21:0]        avg_i,
  input  wire logic [21:0]        lower_i,
  input  wire logic [21:0]        upper_i,
  input  wire logic [Slope-1:0]   slope_i,
  input  wire logic [17:0]        alpha_i,
  input  wire logic [17:0]        least_i,
  input  wire logic [17:0]        largest_i,
  output logic                    fwd_o,
  output logic                    we_o,
  output logic [Address-1:0]      entry_s4_o,
  output logic [Slope-1:0]        slope_o
);
  logic [2**Address-1:0] due_q, due, mine;
  logic due_s2_q, due_s3_q, same_s3_q, above_s4_q, below_s4_q, raise, lower;
  logic [Address-1:0] entry_s2_q, entry_s3_q, entry_s4_q;
  logic [Slope-1:0] slope_s4_q, raised, lowered;

  // ---- s1
  assign due = due_q | {2 ** Address{tick_i}};
  always_comb begin
    mine = '0;
    mine[entry_i] = valid_i;
  end

  // ---- s4
  assign raise = above_s4_q && 21'(slope_s4_q) < 21'(largest_i);
  assign lower = below_s4_q && 21'(slope_s4_q) > 21'(least_i);
  assign raised = slope_s4_q + Slope'(alpha_i);
  assign lowered = slope_s4_q - (slope_s4_q >> 3);

  always_ff @(posedge clk) begin
    due_q <= rst ? '0 : due & ~mine;
    due_s2_q <= valid_i && due[entry_i];
    due_s3_q <= due_s2_q;
    entry_s2_q <= entry_i;
    entry_s3_q <= entry_s2_q;
    entry_s4_q <= entry_s3_q;
    same_s3_q <= entry_s2_q == entry_s3_q;
    above_s4_q <= !rst && due_s3_q && avg_i > upper_i;
    below_s4_q <= !rst && due_s3_q && avg_i < lower_i;
    slope_s4_q <= slope_i;
    if (rst) begin
      due_s2_q <= 1'b0;
      due_s3_q <= 1'b0;
    end
  end

  assign we_o = raise || lower;
  assign fwd_o = same_s3_q;
  assign entry_s4_o = entry_s4_q;
  assign slope_o = raise ? raised : lowered;
endmodule
`default_nettype wire
