// For how long each queue has been empty, in half half-lives of its average: Floyd and Jacobson's
// m, coarsely.
//
// The average of an idle queue halves every ln 2 x 2^W packet times. `period_i` is half of that in
// clocks; the default of the modules, 272912, is for W = 9 and packets of 1500 bytes at 1 Gbit/s
// (1538 bytes on the wire, 8 ns each) at 125 MHz. One clock divider serves all queues, so a time is
// known to a period.
//
// A queue's time is used up by the packet that is decided with it. Within three clocks of another
// decision none is handed out, as the core asks; it is kept for the next packet then.
`default_nettype none
module red_idle_time (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [31:0] period_i,        // clocks, at least 1
  input  wire logic        restart_i,       // the period was changed
  input  wire logic [95:0] counts_i,        // of red_occupancy
  input  wire logic        take_i,          // a packet is decided
  input  wire logic [2:0]  qid_i,           // of this queue
  output logic      [5:0]  idle_o           // after so many periods without a packet
);
  logic [31:0] clocks_q;
  logic        tick_q;
  always_ff @(posedge clk) begin
    tick_q <= !rst && clocks_q == 0;
    if (rst || restart_i || clocks_q == 0) clocks_q <= period_i - 32'd1;
    else clocks_q <= clocks_q - 32'd1;
  end

  logic [2:0] recent_q;
  logic       hand_out;
  always_ff @(posedge clk) recent_q <= rst ? 3'b000 : {recent_q[1:0], take_i};
  assign hand_out = take_i && recent_q == 3'b000;

  logic [47:0] times;
  for (genvar k = 0; k < 8; k++) begin : gen_queue
    logic [5:0] time_q;
    always_ff @(posedge clk) begin
      if (rst || counts_i[12*k+:12] != 0 || (hand_out && qid_i == 3'(k))) time_q <= '0;
      else if (tick_q && time_q != 6'd63) time_q <= time_q + 6'd1;
    end
    assign times[6*k+:6] = time_q;
  end
  // hand_out does not matter to what is read while nothing is taken
  assign idle_o = recent_q == 3'b000 ? times[6*qid_i+:6] : 6'd0;
endmodule
`default_nettype wire
