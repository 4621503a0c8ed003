// A delay in distributed RAM: what stands at the input in a clock stands at the output `Clocks` later, 1 to 3.
//
// For words that only pass by: a 22-bit word, two clocks, takes six RAM cells and two flip-flops instead of 44. What was
// there before the first `Clocks` clocks is not known; who uses it keeps a `valid` beside it.
`default_nettype none
module red_delay #(
  parameter int Bits = 22,
  parameter int Clocks = 2
) (
  input  wire logic            clk,
  input  wire logic            rst,
  input  wire logic [Bits-1:0] data_i,
  output logic [Bits-1:0]      data_o
);
  red_require #(
    .OK(Clocks >= 1 && Clocks <= 3),
    .SAYS("red_delay: Clocks must be 1 to 3")
  ) u_require_clocks ();
  logic [1:0] now_q;

  always_ff @(posedge clk) now_q <= rst ? 2'd0 : now_q + 2'd1;

  red_table #(
    .Bits(Bits),
    .Address(2)
  ) u_words (
    .clk,
    .clear_i(1'b0),
    .we_i(1'b1),
    .waddr_i(now_q),
    .wdata_i(data_i),
    .raddr_i(now_q - 2'(Clocks)),
    .rdata_o(data_o)
  );
endmodule
`default_nettype wire
