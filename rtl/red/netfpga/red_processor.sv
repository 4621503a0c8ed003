// Reads packets out of the FIFO: one to keep goes on under the next stage's `out_rdy`, one to drop
// is read with `out_wr` low, at a word a clock whatever `out_rdy` says, so that the next stage
// never sees it.
//
// `out_wr` is a register: the next stage gets at most one word after it took its `out_rdy` away.
`default_nettype none
module red_processor (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        empty_i,         // of the packet FIFO
  input  wire logic [71:0] word_i,          // {ctrl, data}, its first word
  output logic             rd_o,
  input  wire logic        verdict_valid_i, // of the packet that begins with that word
  input  wire logic        verdict_drop_i,
  output logic             verdict_rd_o,
  output logic [63:0]      out_data,
  output logic [7:0]       out_ctrl,
  output logic             out_wr,
  input  wire logic        out_rdy
);
  logic inside_q, in_data_q, drop_q;        // a packet was begun; its data was; it is being dropped
  logic drop, zero;

  assign drop         = inside_q ? drop_q : verdict_drop_i;
  assign zero         = word_i[71:64] == 8'h00;
  assign rd_o         = !empty_i && (inside_q || verdict_valid_i) && (drop || out_rdy);
  assign verdict_rd_o = rd_o && !inside_q;

  always_ff @(posedge clk) begin
    {out_ctrl, out_data} <= word_i;
    out_wr               <= rd_o && !drop && !rst;
    if (rst) begin
      inside_q  <= 1'b0;
      in_data_q <= 1'b0;
    end else if (rd_o) begin
      inside_q  <= zero || !in_data_q;
      in_data_q <= zero;                    // the word after data that is not, ends the packet
      drop_q    <= drop;
    end
  end
`ifdef FORMAL
`include "red_processor_props.svh"
`endif
endmodule
`default_nettype wire
