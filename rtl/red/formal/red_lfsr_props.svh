// What is proved of the draw: no seed, no write and no number of steps makes it 0, where it would stay.
// Only where this module is looked at by itself: its assumptions are of its surroundings.
`ifdef FV_RED_LFSR
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);
always @(posedge clk) if (f_past) begin
  draw_never_zero: assert (draw_o != 21'd0);
  // wherever a packet is asked about: its step is due, so there was neither a reset nor a write in the clock before
  greatest_is_known: assert (!step_q[Delay-1] || greatest_o == (draw_o == 21'h1fffff));
  cover_draw_steps: cover (step_q[Delay-1] && draw_o == SEED);
  cover_draw_greatest: cover (step_q[Delay-1] && greatest_o);
  cover_draw_written: cover (draw_o == 21'd2);
end
`endif
