// How many packets wait in each output queue: those let in, less those sent on, less those that
// found it full.
//
// The output queues of the NetFPGA keep their own count where no other stage can read it, so it is
// counted here. Tail drops must be fed back: a packet that RED let in and the queue did not take
// would be counted for ever. A count stays within 0 and 4095. That it stops at 0 also heals it:
// packets that were never counted (bypassed, see red_hdr_parser) take it below the truth for a
// while, and an empty queue sets both to 0 again.
//
// A pulse shows in the count two clocks later: still before the next frame of 9 words is looked at.
`default_nettype none
module red_occupancy (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        keep_i,          // a packet was let in
  input  wire logic [2:0]  keep_qid_i,      // into this queue
  input  wire logic [7:0]  removed_i,       // pulses, one a packet: sent by queue k
  input  wire logic [7:0]  dropped_i,       // not taken by queue k
  output logic      [95:0] counts_o         // 12 bits for each queue, the first at the bottom
);
  for (genvar k = 0; k < 8; k++) begin : gen_queue
    logic        keep, odd_q, minus_q;
    logic [11:0] count_q;
    logic [12:0] sum;

    assign keep  = keep_i && keep_qid_i == 3'(k);
    // keep - removed - dropped is within -2 and 1: its lowest bit, and its sign
    always_ff @(posedge clk) begin
      odd_q   <= !rst && (keep ^ removed_i[k] ^ dropped_i[k]);
      minus_q <= !rst && (keep ? removed_i[k] && dropped_i[k] : removed_i[k] || dropped_i[k]);
    end
    assign sum = {1'b0, count_q} + {{12{minus_q}}, odd_q};

    // bit 12 of the sum: it went below 0, or beyond 4095 and then the count stays
    always_ff @(posedge clk) begin
      if (rst || (sum[12] && minus_q)) count_q <= '0;
      else if (!sum[12]) count_q <= sum[11:0];
    end

    assign counts_o[12*k+:12] = count_q;
  end
endmodule
`default_nettype wire
