// RED on an AXI4-Stream, as the streams of NetFPGA-PLUS are: `tuser` has a packet's length, source
// and destination ports, the last one-hot at DST_POS, and is valid in the packet's first beat.
//
// The same core, occupancy, FIFO and verdicts as on the NetFPGA-1G bus, without a detour by that
// bus. A packet with one destination is decided; any other passes without a decision and counts in
// each of its destinations. A packet to drop is read at a beat a clock while `m_axis_tvalid` is low. A beat of 512 bits can be a whole packet, so a decision may be wanted in
// every clock: SPACED is only for streams whose packets of a queue are never one beat after
// another. From a packet's first beat to its verdict there are 9 clocks; packets that arrive within
// them are judged without counting each other. Classes, idle times and Adaptive RED are for
// red_nf1g.
//
// For each packet that the module sends on, the output queues give one pulse back for each queue that
// it goes to: `pkt_removed` when it leaves the queue, or `pkt_dropped` if the queue has no room for it.
// That includes packets that pass without a decision (SPEC.md, "Queue lengths").
//
//   DATA_WIDTH  bits of tdata, a multiple of 8
//   DEPTH       beats of the packet FIFO, a power of two, at least 8. With 8 it holds fewer beats than
//               a verdict takes clocks, and packets of one beat do not flow without a pause
`default_nettype none
module red_axis #(
  parameter int DATA_WIDTH = 512,
  parameter int USER_WIDTH = 128,
  parameter int DST_POS = 24,
  parameter int DEPTH = 16,
  parameter int W = 9,                      // this and all below: the core's, see SPEC.md
  parameter bit PAPER = 0,
  parameter bit CONSTANT = 0,
  parameter bit GAP = 0,
  parameter bit SPACED = 0,
  parameter logic [20:0] SEED = 21'd1,
  parameter logic [21:0] DEF_MIN = 22'd6144,
  parameter logic [21:0] DEF_MAX = 22'd12288,
  parameter logic [20:0] DEF_SLOPE = CONSTANT ? 21'd41943 : 21'd27962
) (
  input  wire logic                    clk,
  input  wire logic                    rst, // synchronous, active high
  input  wire logic [DATA_WIDTH-1:0]   s_axis_tdata,
  input  wire logic [DATA_WIDTH/8-1:0] s_axis_tkeep,
  input  wire logic [USER_WIDTH-1:0]   s_axis_tuser,
  input  wire logic                    s_axis_tvalid,
  output logic                         s_axis_tready,
  input  wire logic                    s_axis_tlast,
  output logic      [DATA_WIDTH-1:0]   m_axis_tdata,
  output logic      [DATA_WIDTH/8-1:0] m_axis_tkeep,
  output logic      [USER_WIDTH-1:0]   m_axis_tuser,
  output logic                         m_axis_tvalid,
  input  wire logic                    m_axis_tready,
  output logic                         m_axis_tlast,
  input  wire logic [7:0]              pkt_removed, // bit k: one clock for each packet that leaves queue k
  input  wire logic [7:0]              pkt_dropped, // bit k: one clock for each that it has no room for
  input  wire logic                    cfg_we_i,    // the core's registers, see SPEC.md
  input  wire logic [7:0]              cfg_addr_i,
  input  wire logic [31:0]             cfg_data_i,
  output logic                         valid_o,     // the core decided; for counters
  output logic      [2:0]              qid_o,
  output logic                         drop_o,
  output logic      [1:0]              region_o,
  output logic      [21:0]             avg_o,
  output logic      [95:0]             counts_o     // packets in each queue, 12 bits each
);
  red_require #(
    .OK(DATA_WIDTH >= 8 && DATA_WIDTH % 8 == 0),
    .SAYS("red_axis: DATA_WIDTH must be a multiple of 8")
  ) u_require_data ();
  red_require #(
    .OK(DST_POS >= 0 && DST_POS + 8 <= USER_WIDTH),
    .SAYS("red_axis: DST_POS + 8 must be at most USER_WIDTH")
  ) u_require_user ();
  red_require #(
    .OK(DEPTH >= 8 && (DEPTH & (DEPTH - 1)) == 0),
    .SAYS("red_axis: DEPTH must be a power of two, at least 8")
  ) u_require_depth ();
  localparam int CoreLatency = 6;           // clocks from valid_i to valid_o of the core
  localparam int Width = DATA_WIDTH + DATA_WIDTH / 8 + USER_WIDTH + 1;

  // ---- store
  logic             beat, fifo_empty, fifo_near, fifo_rd, core_ready;
  logic [Width-1:0] fifo_word;
  assign beat = s_axis_tvalid && s_axis_tready;
  red_pkt_fifo #(.WIDTH(Width), .DEPTH(DEPTH), .SLACK(3)) u_fifo (
    .clk, .rst, .wr_i(beat), .data_i({s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata}),
    .rd_i(fifo_rd), .data_o(fifo_word), .empty_o(fifo_empty), .nearly_full_o(fifo_near));
  // a register: two beats may still come after the FIFO is nearly full
  always_ff @(posedge clk) s_axis_tready <= !rst && !fifo_near && core_ready;

  // ---- look: the port of a packet's first beat; one only, or bypass
  logic       first, single, inside_q, take_q, bypass_q;
  logic [2:0] qid_q;
  logic [7:0] port, passed_q;               // queues of a packet that passes without a decision
  assign port   = s_axis_tuser[DST_POS+:8];
  assign first  = !rst && beat && !inside_q;
  assign single = port != 8'd0 && (port & (port - 8'd1)) == 8'd0;
  always_ff @(posedge clk) begin
    take_q   <= first && single;
    bypass_q <= first && !single;
    passed_q <= first && !single ? port : 8'd0;
    qid_q    <= {port[7] | port[6] | port[5] | port[4], port[7] | port[6] | port[3] | port[2],
                 port[7] | port[5] | port[3] | port[1]};
    if (rst) inside_q <= 1'b0;
    else if (beat) inside_q <= !s_axis_tlast;
  end
  red_occupancy u_occupancy (
    .clk, .rst, .keep_i(valid_o && !drop_o), .keep_qid_i(qid_o), .passed_i(passed_q),
    .removed_i(pkt_removed), .dropped_i(pkt_dropped), .counts_o);

  // ---- decide
  logic        valid_q;
  logic [2:0]  core_qid_q;
  logic [11:0] qlen_q;
  logic [20:0] draw;
  always_ff @(posedge clk) begin
    valid_q    <= take_q && !rst;
    core_qid_q <= qid_q;
    qlen_q     <= counts_o[12*qid_q+:12];
  end
  red_core #(
    .NQ(8), .W(W), .PAPER(PAPER), .CONSTANT(CONSTANT), .GAP(GAP), .SPACED(SPACED), .SEED(SEED),
    .DEF_MIN(DEF_MIN), .DEF_MAX(DEF_MAX), .DEF_SLOPE(DEF_SLOPE)
  ) u_core (
    .clk, .rst, .ready_o(core_ready), .valid_i(valid_q), .qid_i(core_qid_q), .qlen_i(qlen_q),
    .class_i(2'd0), .idle_i(6'd0), .tick_i(1'b0), .valid_o, .qid_o, .drop_o, .region_o, .avg_o,
    .draw_o(draw), .cfg_we_i, .cfg_addr_i, .cfg_data_i);

  // a bypassed packet waits as long as the core takes, so that verdicts keep the order of packets
  logic [CoreLatency:0] late_q;
  always_ff @(posedge clk) late_q <= rst ? '0 : {late_q[CoreLatency-1:0], bypass_q};

  logic verdict_valid, verdict_drop, verdict_rd;
  red_verdicts #(.DEPTH(DEPTH)) u_verdicts (
    .clk, .rst, .wr_i(valid_o || late_q[CoreLatency]), .drop_i(valid_o && drop_o),
    .rd_i(verdict_rd), .valid_o(verdict_valid), .drop_o(verdict_drop));

  // ---- act: the output register takes a beat when it is free, or will be
  logic within_q, drop_q, drop;
  assign drop       = within_q ? drop_q : verdict_drop;
  assign fifo_rd    = !fifo_empty && (within_q || verdict_valid) &&
                      (drop || !m_axis_tvalid || m_axis_tready);
  assign verdict_rd = fifo_rd && !within_q;
  always_ff @(posedge clk) begin
    if (!m_axis_tvalid || m_axis_tready)
      {m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata} <= fifo_word;
    if (rst) begin
      m_axis_tvalid <= 1'b0;
      within_q      <= 1'b0;
    end else begin
      if (!m_axis_tvalid || m_axis_tready) m_axis_tvalid <= fifo_rd && !drop;
      if (fifo_rd) begin
        within_q <= !fifo_word[Width-1];
        drop_q   <= drop;
      end
    end
  end

  logic unused;
  assign unused = ^draw;
`ifdef FORMAL
`include "red_axis_props.svh"
`endif
endmodule
`default_nettype wire
