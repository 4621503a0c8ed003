// 18 x 18 bits, unsigned, registers at the inputs and at the output: two clocks.
//
// Yosys and nextpnr do not put registers into ECP5's multiplier, which caps the whole core at 137 MHz (speed 6). Where ECP5_DSP
// is defined the primitive is named, with its own registers; elsewhere tools infer it from the lines below, which say the same.
`default_nettype none
module red_mult (
  input  wire logic        clk,
  input  wire logic [17:0] a_i,
  input  wire logic [17:0] b_i,
  output logic [35:0]      product_o
);
`ifdef ECP5_DSP
  MULT18X18D #(
    .REG_INPUTA_CLK("CLK0"),
    .REG_INPUTB_CLK("CLK0"),
    .REG_OUTPUT_CLK("CLK0")
  ) u_mult (
    .CLK0(clk), .CE0(1'b1), .RST0(1'b0),
    .SIGNEDA(1'b0), .SIGNEDB(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0),
    .A17(a_i[17]), .A16(a_i[16]), .A15(a_i[15]), .A14(a_i[14]), .A13(a_i[13]), .A12(a_i[12]),
    .A11(a_i[11]), .A10(a_i[10]), .A9(a_i[9]), .A8(a_i[8]), .A7(a_i[7]), .A6(a_i[6]),
    .A5(a_i[5]), .A4(a_i[4]), .A3(a_i[3]), .A2(a_i[2]), .A1(a_i[1]), .A0(a_i[0]),
    .B17(b_i[17]), .B16(b_i[16]), .B15(b_i[15]), .B14(b_i[14]), .B13(b_i[13]), .B12(b_i[12]),
    .B11(b_i[11]), .B10(b_i[10]), .B9(b_i[9]), .B8(b_i[8]), .B7(b_i[7]), .B6(b_i[6]),
    .B5(b_i[5]), .B4(b_i[4]), .B3(b_i[3]), .B2(b_i[2]), .B1(b_i[1]), .B0(b_i[0]),
    .P35(product_o[35]), .P34(product_o[34]), .P33(product_o[33]), .P32(product_o[32]),
    .P31(product_o[31]), .P30(product_o[30]), .P29(product_o[29]), .P28(product_o[28]),
    .P27(product_o[27]), .P26(product_o[26]), .P25(product_o[25]), .P24(product_o[24]),
    .P23(product_o[23]), .P22(product_o[22]), .P21(product_o[21]), .P20(product_o[20]),
    .P19(product_o[19]), .P18(product_o[18]), .P17(product_o[17]), .P16(product_o[16]),
    .P15(product_o[15]), .P14(product_o[14]), .P13(product_o[13]), .P12(product_o[12]),
    .P11(product_o[11]), .P10(product_o[10]), .P9(product_o[9]), .P8(product_o[8]),
    .P7(product_o[7]), .P6(product_o[6]), .P5(product_o[5]), .P4(product_o[4]),
    .P3(product_o[3]), .P2(product_o[2]), .P1(product_o[1]), .P0(product_o[0])
  );
`else
  logic [17:0] a_q, b_q;
  logic [35:0] product_q;

  always_ff @(posedge clk) begin
    a_q <= a_i;
    b_q <= b_i;
    product_q <= 36'(a_q) * 36'(b_q);
  end

  assign product_o = product_q;
`endif
endmodule
`default_nettype wire
