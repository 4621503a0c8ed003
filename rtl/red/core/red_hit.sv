// The verdict by the draw (SPEC.md, "Drop", without GAP), within s5: drop if the region says so, or if it leaves it to chance
// and draw < min(p, 2^21 - 1).
//
// All of it is one comparison, whose last carry is the verdict: no gate behind the carry chain. Above p and draw stands
// a bit each, `force` above p and `never` above the draw: if one is set, the rest does not count.
// The limit needs no clamp either: where p is greater, only the greatest draw (all ones) is not below the limit, and where p is
// not, that draw is not below p.
`default_nettype none
module red_hit (
  input  wire logic [1:0]  region_i,
  input  wire logic [20:0] draw_i,
  input  wire logic        greatest_i,  // draw_i is all ones
  input  wire logic [23:0] p_i,
  output logic             drop_o
);
  logic force_drop, never;
  logic [24:0] unused;

  assign force_drop = region_i[1];
  assign never = !force_drop && (!region_i[0] || greatest_i);
  assign {drop_o, unused} = {1'b0, never, 3'b000, draw_i} - {1'b0, force_drop, p_i};
`ifdef FORMAL
`include "red_hit_props.svh"
`endif
endmodule
`default_nettype wire
