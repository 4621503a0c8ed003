// How many packets wait in each output queue: those sent to it, less those that left it, less those
// that it had no room for.
//
// The NetFPGA's output queues keep their own count where no other stage can read it, so it is counted
// here. A decided packet counts in its queue once it is kept. A packet that passes without a decision
// counts at once, in each queue that it goes to. For each copy the output queues give one pulse back,
// `removed_i` or `dropped_i` (SPEC.md, "Queue lengths"): they need not know how a packet got through.
//
// A pulse shows in the count two clocks later: still before the next frame of 9 words is looked at.
// A count never goes below 0, and a step that would take it beyond 4095 is not counted.
`default_nettype none
module red_occupancy (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        keep_i,          // a decided packet is kept
  input  wire logic [2:0]  keep_qid_i,      // and goes to this queue
  input  wire logic [7:0]  passed_i,        // a packet without a decision goes to these queues
  input  wire logic [7:0]  removed_i,       // bit k: one clock for each packet that leaves queue k
  input  wire logic [7:0]  dropped_i,       // bit k: one clock for each that it has no room for
  output logic      [95:0] counts_o         // 12 bits for each queue, the first at the bottom
);
  for (genvar k = 0; k < 8; k++) begin : gen_queue
    logic        keep, some_in, both_in, some_out, both_out, minus, odd_q, two_q, minus_q;
    logic [11:0] count_q;
    logic [12:0] sum;

    // in - out, from -2 to 2, as three bits of two's complement: each is one LUT of four inputs
    assign keep     = keep_i && keep_qid_i == 3'(k);
    assign some_in  = keep || passed_i[k];
    assign both_in  = keep && passed_i[k];
    assign some_out = removed_i[k] || dropped_i[k];
    assign both_out = removed_i[k] && dropped_i[k];
    assign minus    = some_in ? both_out && !both_in : some_out;
    always_ff @(posedge clk) begin
      odd_q   <= keep ^ passed_i[k] ^ removed_i[k] ^ dropped_i[k];
      two_q   <= minus || (both_in && !some_out);
      minus_q <= minus;
      if (rst) {odd_q, two_q, minus_q} <= 3'b000;
    end
    assign sum = {1'b0, count_q} + {{11{minus_q}}, two_q, odd_q};

    // bit 12 of the sum: it went below 0, or beyond 4095
    always_ff @(posedge clk) begin
      if (rst || (sum[12] && minus_q)) count_q <= '0;
      else if (!sum[12]) count_q <= sum[11:0];
    end

    assign counts_o[12*k+:12] = count_q;
  end
`ifdef FORMAL
`include "red_occupancy_props.svh"
`endif
endmodule
`default_nettype wire
