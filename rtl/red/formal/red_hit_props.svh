// What is proved of the comparison: it is SPEC.md's, "Drop", with p limited first, though it limits nothing.
// Only where this module is looked at by itself: its assumptions are of its surroundings.
`ifdef FV_RED_HIT
logic [20:0] f_p;
assign f_p = p_i > 24'h1fffff ? 21'h1fffff : p_i[20:0];
always_comb begin
  assume (region_i != 2'd3);
  assume (greatest_i == (draw_i == 21'h1fffff));     // proved of red_lfsr, which says it
  drop_as_written: assert (drop_o == (region_i == 2'd2 || (region_i == 2'd1 && draw_i < f_p)));
  cover_limited: cover (drop_o && region_i == 2'd1 && p_i > 24'h1fffff);
end
`endif
