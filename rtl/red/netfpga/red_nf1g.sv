// RED in the pipeline of a NetFPGA-1G router, between output_port_lookup and output_queues.
//
// Names of the buses are the platform's (64 data and 8 control bits; the register ring); `clk` 125
// MHz there, `reset` synchronous, active high. What a packet goes through is in red_nf_path, what
// happens to malformed ones in red_hdr_parser.
//
// For each packet that the module sends on, the output queues give one pulse back for each queue that
// it goes to: `pkt_removed` when it leaves the queue, or `pkt_dropped` if the queue has no room for it.
// That includes packets that pass without a decision (SPEC.md, "Queue lengths").
//
//   MULTICAST 1: the output queues put a packet in each queue whose bit is set in its header. 0: they
//             put every packet that has not exactly one port in queue 0 (sram_rr_output_queues)
//   REGS      1: the registers are on the ring. 0: the ring passes by, and `cfg_*` write the core's,
//             by the same offsets
//   COUNTERS  1: packets are counted by queue and verdict, to be read on the ring
//   TAG       the upper address bits of the module's block on the ring
//   DEPTH     words of the packet FIFO, a power of two, at least 16. It never has to hold a whole
//             packet: the verdict is there while the tenth word arrives
`default_nettype none
module red_nf1g #(
  parameter bit REGS = 0,
  parameter bit COUNTERS = 1,
  parameter int ADDRESS_BITS = 23,
  parameter logic [ADDRESS_BITS-10:0] TAG = '0,
  parameter int DEPTH = 16,
  parameter bit MULTICAST = 1,
  parameter int W = 9,                      // this and all below: the core's, see SPEC.md
  parameter bit PAPER = 0,
  parameter bit CONSTANT = 0,
  parameter bit GAP = 0,
  parameter bit IDLE = 0,
  parameter int CLASSES = 1,
  parameter bit ADAPT = 0,
  parameter logic [20:0] SEED = 21'd1,
  parameter logic [21:0] DEF_MIN = 22'd6144,
  parameter logic [21:0] DEF_MAX = 22'd12288,
  parameter logic [20:0] DEF_SLOPE = CONSTANT ? 21'd41943 : 21'd27962,
  parameter logic [31:0] DEF_IDLE_PERIOD = 32'd272912,    // clocks, see red_idle_time
  parameter logic [31:0] DEF_ADAPT_PERIOD = 32'd62500000  // clocks: 0.5 s
) (
  input  wire logic        clk,
  input  wire logic        reset,
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
  input  wire logic        reg_req_in,
  input  wire logic        reg_ack_in,
  input  wire logic        reg_rd_wr_L_in,
  input  wire logic [ADDRESS_BITS-1:0] reg_addr_in,
  input  wire logic [31:0] reg_data_in,
  input  wire logic [1:0]  reg_src_in,
  output logic             reg_req_out,
  output logic             reg_ack_out,
  output logic             reg_rd_wr_L_out,
  output logic      [ADDRESS_BITS-1:0] reg_addr_out,
  output logic      [31:0] reg_data_out,
  output logic      [1:0]  reg_src_out,
  input  wire logic        cfg_we_i,        // with REGS = 0
  input  wire logic [8:0]  cfg_addr_i,
  input  wire logic [31:0] cfg_data_i
);
  red_require #(
    .OK(ADDRESS_BITS >= 10),
    .SAYS("red_nf1g: ADDRESS_BITS must be at least 10")
  ) u_require_address ();
  red_require #(
    .OK(DEF_IDLE_PERIOD != 0 && DEF_ADAPT_PERIOD != 0),
    .SAYS("red_nf1g: DEF_IDLE_PERIOD and DEF_ADAPT_PERIOD must not be 0")
  ) u_require_periods ();
  logic        cfg_we, hold, valid, drop, restart;
  logic [8:0]  cfg_addr;
  logic [31:0] cfg_data, idle_period, adapt_period;
  logic [2:0]  qid;
  logic [1:0]  region;
  logic [21:0] avg;
  logic [95:0] counts;

  red_nf_path #(
    .DEPTH(DEPTH), .MULTICAST(MULTICAST), .W(W), .PAPER(PAPER), .CONSTANT(CONSTANT), .GAP(GAP), .IDLE(IDLE),
    .CLASSES(CLASSES), .ADAPT(ADAPT), .SEED(SEED), .DEF_MIN(DEF_MIN), .DEF_MAX(DEF_MAX),
    .DEF_SLOPE(DEF_SLOPE)
  ) u_path (
    .clk, .rst(reset), .in_data, .in_ctrl, .in_wr, .in_rdy, .out_data, .out_ctrl, .out_wr, .out_rdy,
    .pkt_removed, .pkt_dropped, .hold_i(hold), .cfg_we_i(cfg_we), .cfg_addr_i(cfg_addr),
    .cfg_data_i(cfg_data), .idle_period_i(idle_period), .adapt_period_i(adapt_period),
    .restart_i(restart), .valid_o(valid), .qid_o(qid), .drop_o(drop), .region_o(region),
    .avg_o(avg), .counts_o(counts));

  if (REGS) begin : gen_regs
    // a sum, because Icarus Verilog 11 forgets the width of a parameter in a concatenation
    localparam int Options = (W << 8) + (COUNTERS ? 64 : 0) + (CLASSES > 1 ? 32 : 0) +
      (ADAPT ? 16 : 0) + (IDLE ? 8 : 0) + (GAP ? 4 : 0) + (CONSTANT ? 2 : 0) + (PAPER ? 1 : 0);
    logic ready;
    assign hold = !ready;
    red_regs #(
      .ADDRESS_BITS(ADDRESS_BITS), .TAG(TAG), .COUNTERS(COUNTERS), .CLASSES(CLASSES),
      .OPTIONS(13'(Options)),
      .SEED(SEED), .DEF_MIN(DEF_MIN), .DEF_MAX(DEF_MAX), .DEF_SLOPE(DEF_SLOPE),
      .DEF_IDLE_PERIOD(DEF_IDLE_PERIOD), .DEF_ADAPT_PERIOD(DEF_ADAPT_PERIOD)
    ) u_regs (
      .clk, .rst(reset), .ready_o(ready), .reg_req_in, .reg_ack_in, .reg_rd_wr_L_in, .reg_addr_in,
      .reg_data_in, .reg_src_in, .reg_req_out, .reg_ack_out, .reg_rd_wr_L_out, .reg_addr_out,
      .reg_data_out, .reg_src_out, .cfg_we_o(cfg_we), .cfg_addr_o(cfg_addr), .cfg_data_o(cfg_data),
      .idle_period_o(idle_period), .adapt_period_o(adapt_period), .restart_o(restart),
      .counts_i(counts), .valid_i(valid), .qid_i(qid), .drop_i(drop), .region_i(region),
      .avg_i(avg));
    logic unused;
    assign unused = ^{cfg_we_i, cfg_addr_i, cfg_data_i};
  end else begin : gen_no_regs
    assign hold            = 1'b0;
    assign restart         = 1'b0;
    assign cfg_we          = cfg_we_i;
    assign cfg_addr        = cfg_addr_i;
    assign cfg_data        = cfg_data_i;
    assign idle_period     = DEF_IDLE_PERIOD;
    assign adapt_period    = DEF_ADAPT_PERIOD;
    assign reg_req_out     = reg_req_in;
    assign reg_ack_out     = reg_ack_in;
    assign reg_rd_wr_L_out = reg_rd_wr_L_in;
    assign reg_addr_out    = reg_addr_in;
    assign reg_data_out    = reg_data_in;
    assign reg_src_out     = reg_src_in;
    logic unused;
    assign unused = ^{valid, qid, drop, region, avg, counts};
  end
endmodule
`default_nettype wire
