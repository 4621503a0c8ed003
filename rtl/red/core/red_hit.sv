// Chance by the draw (SPEC.md, "Drop", without GAP): hit if draw < min(p, 2^21 - 1), within s5.
//
// The limit needs no clamp: where p is greater, only the draw that is all ones is not below the limit, and where p is
// not, that draw is not below p either.
`default_nettype none
module red_hit (
  input  wire logic [20:0] draw_i,
  input  wire logic [23:0] p_i,
  output logic             hit_o
);
  assign hit_o = {3'b000, draw_i} < p_i && draw_i != 21'h1fffff;
endmodule
`default_nettype wire
