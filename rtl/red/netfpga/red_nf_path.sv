// The way of packets through RED on the NetFPGA-1G bus: everything but the registers.
//
//   in -+-> packet FIFO ------------------------> processor -> out
//       +-> parser -> occupancy -> core -> verdicts --^
//
// A packet's words are stored while its I/O queue header is read, the length of its queue looked
// up, and the core decides. From the clock that has the header to the clock that shows its verdict
// there are 9. With classes there are 2 more, because the DSCP comes two words later, and with idle
// times 2 more in the core. Frames on this bus have at least 9 words, so the length that a packet is
// judged by counts every earlier packet but, with idle times, one that came right before it; of
// shorter ones, which Ethernet has not, those on their way are not counted.
//
// At the line rate the FIFO is as many words deep in use, and in_rdy stays high: with 16 words and
// one of the options, or with 32 and both. in_rdy falls with 3 words left: a register, and a sender
// that may write one word after it fell, use up two.
`default_nettype none
module red_nf_path #(
  parameter int DEPTH = 16,                 // words of the packet FIFO, a power of two, at least 16
  parameter bit MULTICAST = 1,              // see red_hdr_parser
  parameter int W = 9,                      // these are the core's, see SPEC.md
  parameter bit PAPER = 0,
  parameter bit CONSTANT = 0,
  parameter bit GAP = 0,
  parameter bit IDLE = 0,
  parameter int CLASSES = 1,
  parameter bit ADAPT = 0,
  parameter logic [20:0] SEED = 21'd1,
  parameter logic [21:0] DEF_MIN = 22'd6144,
  parameter logic [21:0] DEF_MAX = 22'd12288,
  parameter logic [20:0] DEF_SLOPE = CONSTANT ? 21'd41943 : 21'd27962
) (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [63:0] in_data,
  input  wire logic [7:0]  in_ctrl,
  input  wire logic        in_wr,
  output logic             in_rdy,
  output logic      [63:0] out_data,
  output logic      [7:0]  out_ctrl,
  output logic             out_wr,
  input  wire logic        out_rdy,
  input  wire logic [7:0]  pkt_removed,     // bit k: one clock for each packet that leaves queue k
  input  wire logic [7:0]  pkt_dropped,     // bit k: one clock for each that it has no room for
  input  wire logic        hold_i,          // keep in_rdy low: registers are being reset
  input  wire logic        cfg_we_i,        // a register of the core's, or a DSCP's class
  input  wire logic [8:0]  cfg_addr_i,      // its offset in REGISTERS.md
  input  wire logic [31:0] cfg_data_i,
  input  wire logic [31:0] idle_period_i,   // clocks, see red_idle_time
  input  wire logic [31:0] adapt_period_i,  // clocks, see red_ticker
  input  wire logic        restart_i,       // a period was changed
  output logic             valid_o,         // the core decided
  output logic      [2:0]  qid_o,
  output logic             drop_o,
  output logic      [1:0]  region_o,
  output logic      [21:0] avg_o,
  output logic      [95:0] counts_o         // packets in each queue, 12 bits each
);
  red_require #(
    .OK(DEPTH >= 16 && (DEPTH & (DEPTH - 1)) == 0),
    .SAYS("red_nf_path: DEPTH must be a power of two, at least 16")
  ) u_require_depth ();
  localparam int CoreLatency = IDLE ? 8 : 6;  // clocks from valid_i to valid_o of the core

  // ---- store
  logic        fifo_empty, fifo_near, fifo_rd;
  logic [71:0] fifo_word;
  logic        core_ready, map_ready;
  red_pkt_fifo #(.WIDTH(72), .DEPTH(DEPTH), .SLACK(3)) u_fifo (
    .clk, .rst, .wr_i(in_wr), .data_i({in_ctrl, in_data}), .rd_i(fifo_rd), .data_o(fifo_word),
    .empty_o(fifo_empty), .nearly_full_o(fifo_near));
  always_ff @(posedge clk) in_rdy <= !rst && !fifo_near && core_ready && map_ready && !hold_i;

  // ---- look
  logic       take, bypass, dscp_valid;
  logic [2:0] qid;
  logic [5:0] dscp;
  logic [7:0] passed;
  red_hdr_parser #(.MULTICAST(MULTICAST), .CLASSES(CLASSES)) u_parser (
    .clk, .rst, .wr_i(in_wr), .ctrl_i(in_ctrl), .data_i(in_data), .take_o(take), .bypass_o(bypass),
    .passed_o(passed), .qid_o(qid), .dscp_valid_o(dscp_valid), .dscp_o(dscp));

  red_occupancy u_occupancy (
    .clk, .rst, .keep_i(valid_o && !drop_o), .keep_qid_i(qid_o), .passed_i(passed),
    .removed_i(pkt_removed), .dropped_i(pkt_dropped), .counts_o);

  // ---- decide
  logic        take_q, tick;
  logic [2:0]  qid_q;
  logic [11:0] qlen_q;
  logic [1:0]  class_q;
  logic [5:0]  idle_q;
  logic [20:0] draw;
  always_ff @(posedge clk) begin
    take_q <= take && !rst;
    qid_q  <= qid;
    qlen_q <= counts_o[12*qid+:12];
  end
  red_core #(
    .NQ(8), .W(W), .PAPER(PAPER), .CONSTANT(CONSTANT), .GAP(GAP), .IDLE(IDLE), .CLASSES(CLASSES),
    .ADAPT(ADAPT), .SPACED(1), .SEED(SEED), .DEF_MIN(DEF_MIN), .DEF_MAX(DEF_MAX),
    .DEF_SLOPE(DEF_SLOPE)
  ) u_core (
    .clk, .rst, .ready_o(core_ready), .valid_i(take_q), .qid_i(qid_q), .qlen_i(qlen_q),
    .class_i(class_q), .idle_i(idle_q), .tick_i(tick), .valid_o, .qid_o, .drop_o, .region_o,
    .avg_o, .draw_o(draw),
    .cfg_we_i(cfg_we_i && !cfg_addr_i[8]), .cfg_addr_i(cfg_addr_i[7:0]), .cfg_data_i);

  // a bypassed packet waits as long as the core takes, so that verdicts keep the order of packets
  logic [CoreLatency:0] bypass_q;
  always_ff @(posedge clk) bypass_q <= rst ? '0 : {bypass_q[CoreLatency-1:0], bypass};

  logic verdict_valid, verdict_drop, verdict_rd;
  red_verdicts #(.DEPTH(DEPTH > 32 ? DEPTH / 2 : 16)) u_verdicts (
    .clk, .rst, .wr_i(valid_o || bypass_q[CoreLatency]), .drop_i(valid_o && drop_o),
    .rd_i(verdict_rd), .valid_o(verdict_valid), .drop_o(verdict_drop));

  // ---- act
  red_processor u_processor (
    .clk, .rst, .empty_i(fifo_empty), .word_i(fifo_word), .rd_o(fifo_rd),
    .verdict_valid_i(verdict_valid), .verdict_drop_i(verdict_drop), .verdict_rd_o(verdict_rd),
    .out_data, .out_ctrl, .out_wr, .out_rdy);

  // ---- what the core's options need
  if (IDLE) begin : gen_idle
    logic [5:0] idle;
    red_idle_time u_idle (
      .clk, .rst, .period_i(idle_period_i), .restart_i, .counts_i(counts_o), .take_i(take),
      .qid_i(qid), .idle_o(idle));
    always_ff @(posedge clk) idle_q <= idle;
  end else begin : gen_no_idle
    assign idle_q = 6'd0;
  end
  if (ADAPT) begin : gen_adapt
    red_ticker u_ticker (.clk, .rst, .period_i(adapt_period_i), .restart_i, .tick_o(tick));
  end else begin : gen_no_adapt
    assign tick = 1'b0;
  end
  if (CLASSES > 1) begin : gen_classes
    logic [1:0] cls;
    logic       map_we;
    assign map_we = cfg_we_i && cfg_addr_i[8:6] == 3'b110;
    red_class_map u_map (.clk, .rst, .ready_o(map_ready), .we_i(map_we), .addr_i(cfg_addr_i[5:0]),
                         .data_i(cfg_data_i[1:0]), .valid_i(dscp_valid), .dscp_i(dscp),
                         .class_o(cls));
    always_ff @(posedge clk) class_q <= cls;
  end else begin : gen_no_classes
    assign map_ready = 1'b1;
    assign class_q   = 2'd0;
  end

  logic unused;
  assign unused = ^{draw, dscp_valid, dscp, idle_period_i, adapt_period_i, restart_i};
`ifdef FORMAL
`include "red_nf_path_props.svh"
`endif
endmodule
`default_nettype wire
