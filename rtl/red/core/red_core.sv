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
  parameter logic [21:0] DEF_MIN = 22'd6144,
  parameter logic [21:0] DEF_MAX = 22'd12288,
  parameter logic [20:0] DEF_SLOPE = CONSTANT ? 21'd41943 : 21'd27962
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
endmodule
`default_nettype wire
