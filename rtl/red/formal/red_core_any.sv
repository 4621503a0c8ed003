// Any decision core: six clocks after each packet that it accepted comes a verdict, and nobody knows which.
// In its place whatever is proved of the module around holds for every core with these ports and six clocks.
`default_nettype none
module red_core #(
  parameter int NQ = 8,
  parameter int W = 9,
  parameter bit PAPER = 0,
  parameter bit CONSTANT = 0,
  parameter bit GAP = 0,
  parameter bit IDLE = 0,
  parameter int CLASSES = 1,
  parameter bit ADAPT = 0,
  parameter bit SPACED = 0,
  parameter logic [20:0] SEED = 21'd1,
  parameter logic [21:0] DEF_MIN = 22'd0,
  parameter logic [21:0] DEF_MAX = 22'd0,
  parameter logic [20:0] DEF_SLOPE = 21'd0
) (
  input  wire logic        clk,
  input  wire logic        rst,
  output logic             ready_o,
  input  wire logic        valid_i,
  input  wire logic [2:0]  qid_i,
  input  wire logic [11:0] qlen_i,
  input  wire logic [1:0]  class_i,
  input  wire logic [5:0]  idle_i,
  input  wire logic        tick_i,
  output logic             valid_o,
  output logic [2:0]       qid_o,
  output logic             drop_o,
  output logic [1:0]       region_o,
  output logic [21:0]      avg_o,
  output logic [20:0]      draw_o,
  input  wire logic        cfg_we_i,
  input  wire logic [7:0]  cfg_addr_i,
  input  wire logic [31:0] cfg_data_i
);
  (* anyseq *) wire        any_ready;
  (* anyseq *) wire        any_drop;
  (* anyseq *) wire [1:0]  any_region;
  (* anyseq *) wire [21:0] any_avg;
  (* anyseq *) wire [20:0] any_draw;

  logic [5:0]  valid_q;
  logic [17:0] qid_q;
  always_ff @(posedge clk) begin
    ready_o <= !rst && (ready_o || any_ready);      // once it is ready it stays so
    valid_q <= rst ? 6'd0 : {valid_q[4:0], valid_i && ready_o};
    qid_q   <= {qid_q[14:0], qid_i};
  end
  assign valid_o  = valid_q[5];
  assign qid_o    = qid_q[17:15];
  assign drop_o   = any_drop;
  assign region_o = any_region;
  assign avg_o    = any_avg;
  assign draw_o   = any_draw;
endmodule
`default_nettype wire
