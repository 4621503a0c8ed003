// A small user data path: lookup, RED, eight output queues, joined as in a NetFPGA-1G router.
//
// It shows how the module is threaded in (both buses, the register ring, the feedback from the
// queues), and is what whole-system tests run. Ports of the MACs and of the CPU are beyond it: one
// bus in, and one data bus out with an `out_wr` and an `out_rdy` for each queue.
`default_nettype none
module udp_red #(
  parameter logic [23:0] ROUTES = 24'o67452301,
  parameter int WORDS = 512,                // of each output queue
  parameter int LIMIT = 36,                 // packets of each output queue
  parameter logic [13:0] TAG = '0,
  parameter bit PAPER = 0,
  parameter bit CONSTANT = 0
) (
  input  wire logic        clk,
  input  wire logic        reset,
  input  wire logic [63:0] in_data,
  input  wire logic [7:0]  in_ctrl,
  input  wire logic        in_wr,
  output logic             in_rdy,
  output logic      [63:0] out_data,
  output logic      [7:0]  out_ctrl,
  output logic      [7:0]  out_wr,
  input  wire logic [7:0]  out_rdy,
  input  wire logic        reg_req_in,
  input  wire logic        reg_ack_in,
  input  wire logic        reg_rd_wr_L_in,
  input  wire logic [22:0] reg_addr_in,
  input  wire logic [31:0] reg_data_in,
  input  wire logic [1:0]  reg_src_in,
  output logic             reg_req_out,
  output logic             reg_ack_out,
  output logic             reg_rd_wr_L_out,
  output logic      [22:0] reg_addr_out,
  output logic      [31:0] reg_data_out,
  output logic      [1:0]  reg_src_out
);
  logic [63:0] red_data, oq_data;
  logic [7:0]  red_ctrl, oq_ctrl;
  logic        red_wr, red_rdy, oq_wr, oq_rdy;
  logic [7:0]  removed, dropped;

  red_lookup_stub #(.ROUTES(ROUTES)) u_lookup (
    .clk, .rst(reset), .in_data, .in_ctrl, .in_wr, .in_rdy,
    .out_data(red_data), .out_ctrl(red_ctrl), .out_wr(red_wr), .out_rdy(red_rdy));

  red_nf1g #(.REGS(1'b1), .MULTICAST(1'b0), .TAG(TAG), .PAPER(PAPER), .CONSTANT(CONSTANT)) u_red (
    .clk, .reset, .in_data(red_data), .in_ctrl(red_ctrl), .in_wr(red_wr), .in_rdy(red_rdy),
    .out_data(oq_data), .out_ctrl(oq_ctrl), .out_wr(oq_wr), .out_rdy(oq_rdy),
    .pkt_removed(removed), .pkt_dropped(dropped),
    .reg_req_in, .reg_ack_in, .reg_rd_wr_L_in, .reg_addr_in, .reg_data_in, .reg_src_in,
    .reg_req_out, .reg_ack_out, .reg_rd_wr_L_out, .reg_addr_out, .reg_data_out, .reg_src_out,
    .cfg_we_i(1'b0), .cfg_addr_i(9'd0), .cfg_data_i(32'd0));

  red_output_queues #(.WORDS(WORDS), .LIMIT(LIMIT)) u_queues (
    .clk, .rst(reset), .in_data(oq_data), .in_ctrl(oq_ctrl), .in_wr(oq_wr), .in_rdy(oq_rdy),
    .out_data, .out_ctrl, .out_wr, .out_rdy, .pkt_removed(removed), .pkt_dropped(dropped));
endmodule
`default_nettype wire
