// ECP5's multiplier as far as red_mult uses it: unsigned, and with a register at each input and at
// the output where REG_*_CLK names CLK0. For the simulation of netlists only.
`default_nettype none
module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE",
  parameter REG_INPUTB_CLK = "NONE",
  parameter REG_OUTPUT_CLK = "NONE"
) (
  input wire CLK0, CE0, RST0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input wire A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input wire B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  output wire P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19,
  output wire P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  reg [17:0] a_q, b_q;
  reg [35:0] product_q;
  wire [35:0] product = 36'(REG_INPUTA_CLK == "CLK0" ? a_q : a) *
                        36'(REG_INPUTB_CLK == "CLK0" ? b_q : b);

  always @(posedge CLK0) begin
    a_q <= a;
    b_q <= b;
    product_q <= product;
  end

  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
          P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} =
      REG_OUTPUT_CLK == "CLK0" ? product_q : product;
endmodule
`default_nettype wire
