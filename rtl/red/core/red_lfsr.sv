// The draw of a packet (SPEC.md, "Draw").
//
// Sound mode: 32 steps of the dense polynomial per accepted packet. Paper mode: one step of the trinomial per clock.
// The register stands `Delay` clocks after acceptance, where the draw is compared, and so need not be carried there: what
// makes it go on comes along the pipeline instead. `draw_o` is the draw of the packet that was accepted `Delay` clocks ago.
//
//   step_i  a packet is accepted in this clock (paper mode: ignored, every clock counts)
//   load_i  one clock after a write: `data_i` is the draw of what is accepted in this clock and later
//
// After a reset or a load, what was accepted before no longer moves the register. That leaves `Delay` clocks before the first
// draw is asked for, so that `greatest_o` (all bits of the draw are 1) is a register, too: it looks for the state before.
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
  output logic [20:0]      draw_o,
  output logic             greatest_o
);
  red_require #(
    .OK(Delay >= 2),
    .SAYS("red_lfsr: Delay must be at least 2")
  ) u_require_delay ();
  red_require #(
    .OK(SEED != 21'd0),
    .SAYS("red_lfsr: SEED must not be 0")
  ) u_require_seed ();
  localparam logic [20:0] Greatest = 21'h1fffff;
  localparam logic [20:0] BeforeGreatest = PAPER ? 21'h0fffff : 21'h0318ba;

  logic [20:0] draw_q, next;
  logic [Delay-1:0] step_q;
  logic greatest_q;

  if (PAPER) begin : g_paper
    // x^21 + x^19 + 1
    assign next = {draw_q[19:0], draw_q[20] ^ draw_q[18]};
  end else begin : g_sound
    red_leap u_leap (
      .draw_i(draw_q),
      .draw_o(next)
    );
  end

  always_ff @(posedge clk) begin
    step_q[0] <= !rst && (PAPER || step_i);
    step_q[Delay-1:1] <= rst || load_i ? '0 : step_q[Delay-2:0];
    if (rst) draw_q <= SEED;
    else if (load_i) draw_q <= {data_i[20:1], data_i[0] || data_i == 21'd0};
    else if (step_q[Delay-1]) draw_q <= next;
    greatest_q <= draw_q == (step_q[Delay-1] ? BeforeGreatest : Greatest);
  end

  assign draw_o = draw_q;
  assign greatest_o = greatest_q;

  logic unused;
  assign unused = &{1'b0, step_i && PAPER};
`ifdef FORMAL
`include "red_lfsr_props.svh"
`endif
endmodule
`default_nettype wire
