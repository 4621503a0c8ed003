// The interval of Adaptive RED: a pulse every `period_i` clocks (Floyd, Gummadi, Shenker 2001: 0.5
// s).
`default_nettype none
module red_ticker (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [31:0] period_i,        // clocks, at least 1
  input  wire logic        restart_i,       // the period was changed
  output logic             tick_o
);
  logic [31:0] clocks_q;
  always_ff @(posedge clk) begin
    tick_o <= !rst && clocks_q == 0;
    if (rst || restart_i || clocks_q == 0) clocks_q <= period_i - 32'd1;
    else clocks_q <= clocks_q - 32'd1;
  end
endmodule
`default_nettype wire
