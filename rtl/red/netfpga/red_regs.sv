// The module's registers on the NetFPGA's register ring (REGISTERS.md has the map).
//
// The ring is one register stage here. A request whose upper address bits are TAG is answered in
// passing (`ack`); all else goes through as it came, and so does a request that another stage has
// answered. An address of the block that is no register reads 0xdeadbeef. The core's registers
// cannot be read from the core: what was written is kept here, too. After reset tables are set to
// their defaults, one word a clock (`ready_o` is low for so long, and requests are not answered):
// 32 clocks, with Adaptive RED twice, with WRED four times as many.
`default_nettype none
module red_regs #(
  parameter int ADDRESS_BITS = 23,          // UDP_REG_ADDR_WIDTH
  parameter logic [ADDRESS_BITS-10:0] TAG = '0,
  parameter logic [31:0] MAGIC = 32'h52454401,
  parameter bit COUNTERS = 1,
  parameter int CLASSES = 1,
  parameter logic [12:0] OPTIONS = '0,      // as the register `options` has them
  parameter logic [20:0] SEED = 21'd1,
  parameter logic [21:0] DEF_MIN = 22'd6144,
  parameter logic [21:0] DEF_MAX = 22'd12288,
  parameter logic [20:0] DEF_SLOPE = 21'd27962,
  parameter logic [31:0] DEF_IDLE_PERIOD = 32'd272912,
  parameter logic [31:0] DEF_ADAPT_PERIOD = 32'd62500000
) (
  input  wire logic        clk,
  input  wire logic        rst,
  output logic             ready_o,
  // the ring
  input  wire logic        reg_req_in,
  input  wire logic        reg_ack_in,
  input  wire logic        reg_rd_wr_L_in,  // 1: read, 0: write
  input  wire logic [ADDRESS_BITS-1:0] reg_addr_in,
  input  wire logic [31:0] reg_data_in,
  input  wire logic [1:0]  reg_src_in,
  output logic             reg_req_out,
  output logic             reg_ack_out,
  output logic             reg_rd_wr_L_out,
  output logic      [ADDRESS_BITS-1:0] reg_addr_out,
  output logic      [31:0] reg_data_out,
  output logic      [1:0]  reg_src_out,
  // to the module
  output logic             cfg_we_o,
  output logic      [8:0]  cfg_addr_o,
  output logic      [31:0] cfg_data_o,
  output logic      [31:0] idle_period_o,
  output logic      [31:0] adapt_period_o,
  output logic             restart_o,       // one of them is new
  // from the module
  input  wire logic [95:0] counts_i,
  input  wire logic        valid_i,
  input  wire logic [2:0]  qid_i,
  input  wire logic        drop_i,
  input  wire logic [1:0]  region_i,
  input  wire logic [21:0] avg_i
);
  red_require #(
    .OK(ADDRESS_BITS >= 10),
    .SAYS("red_regs: ADDRESS_BITS must be at least 10")
  ) u_require_address ();
  red_require #(
    .OK(CLASSES == 1 || CLASSES == 4),
    .SAYS("red_regs: CLASSES must be 1 or 4")
  ) u_require_classes ();
  red_require #(
    .OK(DEF_IDLE_PERIOD != 0 && DEF_ADAPT_PERIOD != 0),
    .SAYS("red_regs: DEF_IDLE_PERIOD and DEF_ADAPT_PERIOD must not be 0")
  ) u_require_periods ();
  localparam logic [31:0] Nothing = 32'hdeadbeef;
  localparam bit Constant = OPTIONS[1];
  localparam bit Adapt = OPTIONS[4];

  // ---- whose request, and which register
  logic [8:0] addr;
  logic [2:0] of_table, of_queue;
  logic       mine, write;
  logic is_core, is_avg, is_qlen, is_passed, is_early, is_forced, is_id, is_options;
  logic is_idle, is_adapt, is_class, here;
  assign addr  = reg_addr_in[8:0];
  assign of_table = addr[7:5];
  assign of_queue = addr[2:0];
  assign mine  = reg_req_in && !reg_ack_in && ready_o && reg_addr_in[ADDRESS_BITS-1:9] == TAG;
  assign write = mine && !reg_rd_wr_L_in;
  red_regs_decode u_decode (
    .addr_i(addr), .avg_o(is_avg), .qlen_o(is_qlen), .passed_o(is_passed), .early_o(is_early),
    .forced_o(is_forced), .id_o(is_id), .options_o(is_options), .idle_period_o(is_idle),
    .adapt_period_o(is_adapt), .class_o(is_class), .core_o(is_core));
  // a register of a class is there only with classes; of the table of globals each word is its own
  // its targets are there only with Adaptive RED
  assign here = is_core && (CLASSES > 1 || addr[4:3] == 2'd0) &&
                (Adapt || (of_table != 3'd3 && of_table != 3'd4));

  // ---- after reset: one word a clock
  // tables 0, 1, 2 and 7: without Adaptive RED two bits of the number are enough
  localparam int TableBits = Adapt ? 3 : 2;
  localparam int IndexBits = CLASSES > 1 ? 5 : 3;
  localparam int AW = TableBits + IndexBits;
  logic [AW:0]   sweep_q;
  logic [2:0]    sweep_table;
  logic [TableBits-1:0] sweep_bits;
  logic [IndexBits-1:0] sweep_index;
  logic [21:0]   fresh;
  assign {sweep_bits, sweep_index} = sweep_q[AW-1:0];
  assign sweep_table = Adapt ? 3'(sweep_bits) : {&sweep_bits, 2'(sweep_bits)};
  assign ready_o = sweep_q[AW];
  always_ff @(posedge clk) begin
    if (rst) sweep_q <= '0;
    else if (!ready_o) sweep_q <= sweep_q + 1'b1;
  end
  always_comb begin
    case (sweep_table)
      3'd0: fresh = DEF_MIN;
      3'd1: fresh = DEF_MAX;
      3'd2: fresh = {1'b0, DEF_SLOPE};
      3'd7: begin
        case (sweep_index)
          IndexBits'(0): fresh = 22'd1;
          IndexBits'(1): fresh = {1'b0, SEED};
          IndexBits'(4): fresh = 22'h3ffff;
          default: fresh = '0;
        endcase
      end
      default: fresh = '0;
    endcase
  end

  // ---- what was written to the core; how wide its registers are
  (* ram_style = "distributed" *) logic [21:0] kept [2**AW];
  logic [AW-1:0] at;
  logic [21:0]   mask, kept_d;
  assign at = {addr[5+:TableBits], addr[IndexBits-1:0]};
  logic          draw, control;
  assign control  = of_queue == 3'd0;
  assign draw     = of_queue == 3'd1;
  always_comb begin
    case (of_table)
      3'd2: mask = Constant ? 22'h1fffff : 22'h03ffff;
      3'd7: mask = control ? 22'h000001 : draw ? 22'h1fffff : 22'h03ffff;
      default: mask = 22'h3fffff;
    endcase
  end
  assign kept_d = reg_data_in[21:0] & mask;
  always_ff @(posedge clk) begin
    if (!ready_o) kept[sweep_q[AW-1:0]] <= fresh;
    else if (write && here) kept[at] <= kept_d;
  end
  always_ff @(posedge clk) begin
    cfg_we_o   <= write && (here || (is_class && CLASSES > 1)) && !rst;
    restart_o  <= write && (is_idle || is_adapt);
    cfg_addr_o <= addr;
    cfg_data_o <= reg_data_in;
    if (rst) begin
      idle_period_o  <= DEF_IDLE_PERIOD;
      adapt_period_o <= DEF_ADAPT_PERIOD;
    end else if (write) begin
      if (is_idle) idle_period_o <= reg_data_in;
      if (is_adapt) adapt_period_o <= reg_data_in;
    end
  end

  // ---- what the packets left
  (* ram_style = "distributed" *) logic [21:0] avg [8];
  always_ff @(posedge clk) begin
    if (!ready_o) avg[sweep_q[2:0]] <= '0;
    else if (valid_i) avg[qid_i] <= avg_i;
  end
  logic [31:0] count;
  if (COUNTERS) begin : gen_counters
    red_counters u_counters (
      .clk, .rst, .clear_i(!ready_o), .clear_addr_i(sweep_q[4:0]), .valid_i, .qid_i, .drop_i,
      .region_i, .addr_i(addr[4:0]), .count_o(count));  // the map has them in this order
  end else begin : gen_no_counters
    assign count = '0;
    logic unused;
    assign unused = ^{drop_i, region_i};
  end
  // the class of a DSCP is kept here as the core's registers are
  logic [1:0] cls;
  if (CLASSES > 1) begin : gen_classes
    logic map_ready;
    red_class_map u_kept (
      .clk, .rst, .ready_o(map_ready), .we_i(write && is_class), .addr_i(addr[5:0]),
      .data_i(reg_data_in[1:0]), .valid_i(1'b1), .dscp_i(addr[5:0]), .class_o(cls));
    logic unused;
    assign unused = map_ready;              // it is long before ready_o
  end else begin : gen_no_classes
    assign cls = '0;
  end

  // ---- the answer
  logic [31:0] answer;
  logic [21:0] kept_now, avg_now;
  logic [11:0] qlen_now;
  assign kept_now = kept[at];
  assign avg_now  = avg[of_queue];
  assign qlen_now = counts_i[12*of_queue+:12];
  // selects exclude each other, so this is a sum and not a chain
  logic none;
  assign none = !(here || is_avg || is_qlen || is_passed || is_early || is_forced || is_id ||
                  is_options || is_idle || is_adapt || (is_class && CLASSES > 1));
  assign answer =
    {10'd0, here ? kept_now : 22'd0} |
    {10'd0, is_avg ? avg_now : 22'd0} |
    {20'd0, is_qlen ? qlen_now : 12'd0} |
    (is_passed || is_early || is_forced ? count : 32'd0) |
    (is_id ? MAGIC : 32'd0) |
    {19'd0, is_options ? OPTIONS : 13'd0} |
    (is_idle ? idle_period_o : 32'd0) |
    (is_adapt ? adapt_period_o : 32'd0) |
    {30'd0, is_class ? cls : 2'd0} |
    (none ? Nothing : 32'd0);

  always_ff @(posedge clk) begin
    reg_req_out     <= reg_req_in && !rst;
    reg_ack_out     <= (reg_ack_in || mine) && !rst;
    reg_rd_wr_L_out <= reg_rd_wr_L_in;
    reg_addr_out    <= reg_addr_in;
    reg_src_out     <= reg_src_in;
    reg_data_out    <= mine && reg_rd_wr_L_in ? answer : reg_data_in;
  end
endmodule
`default_nettype wire
