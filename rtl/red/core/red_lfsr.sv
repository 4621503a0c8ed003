// The draw of a packet (SPEC.md, "Draw").
//
// Sound mode: 32 steps of the dense polynomial per accepted packet. Paper mode: one step of the trinomial per clock.
// The register stands `Delay` clocks after acceptance, where the draw is compared, and so need not be carried there: what
// makes it go on comes along the pipeline instead. `draw_o` is the draw of the packet that was accepted `Delay` clocks ago.
//
//   step_i  a packet is accepted in this clock (paper mode: ignored, every clock counts)
//   load_i  one clock after a write: `data_i` is the draw of what is accepted in this clock and later
//
// After a reset or a load, what was accepted before no longer moves the register.
`default_nettype none
module red_lfsr #(
  parameter bit PAPER = 0,
  parameter int Delay = 5,
  parameter logic [20:0] SEED = 21'd1
) (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        step_i,
  input  wire logic        load_i,
  input  wire logic [20:0] data_i,
  output logic [20:0]      draw_o
);
  // Bits 20, 18 (paper) or 20, 17, 14, 12, 9, 7, 4, 1: taps of the steps from the register's present state.
  localparam logic [20:0] Taps = PAPER ? 21'h140000 : 21'h125292;
  localparam int Steps = PAPER ? 1 : 32;

  logic [20:0] draw_q, leap;
  logic [Delay-1:0] step_q;

  // Each bit after the steps is the parity of some bits before: the loop is unrolled, and synthesis keeps the parities.
  always_comb begin
    leap = draw_q;
    for (int i = 0; i < Steps; i++) leap = {leap[19:0], ^(leap & Taps)};
  end

  always_ff @(posedge clk) begin
    step_q[0] <= !rst && (PAPER || step_i);
    step_q[Delay-1:1] <= rst || load_i ? '0 : step_q[Delay-2:0];
    if (rst) draw_q <= SEED;
    else if (load_i) draw_q <= {data_i[20:1], data_i[0] || data_i == 21'd0};
    else if (step_q[Delay-1]) draw_q <= leap;
  end

  assign draw_o = draw_q;

  logic unused;
  assign unused = &{1'b0, step_i && PAPER};
endmodule
`default_nettype wire
