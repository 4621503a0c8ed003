// Any multiplier: what is proved with it in place of the real one holds whatever the probability is.
`default_nettype none
module red_mult (
  input  wire logic        clk,
  input  wire logic [17:0] a_i,
  input  wire logic [17:0] b_i,
  output logic      [35:0] product_o
);
  (* anyseq *) wire [35:0] any_product;
  assign product_o = any_product;
endmodule
`default_nettype wire
