// The decision core: queue and its length in, pass or drop out (SPEC.md, whole). One decision per clock, six clocks, any order
// of queues; with IDLE eight clocks. What stands where:
//
//   f1 f2  IDLE only: the average decays (red_idle)
//   s1 s2  the average (red_avg): read and prepared, added and written
//   s3     thresholds are read: region, d = avg - min; with ADAPT also the targets (red_adapt)
//   s4     slope * d (red_mult)
//   s5     the draw (red_lfsr) against the probability (red_hit, red_gap)
//   s6     the decision, at the ports
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
  red_require #(
    .OK(NQ >= 1 && NQ <= 8),
    .SAYS("red_core: NQ must be 1 to 8")
  ) u_require_nq ();
  red_require #(
    .OK(W >= 1 && W <= (PAPER ? 10 : 16)),
    .SAYS("red_core: W must be 1 to 16, with PAPER 1 to 10")
  ) u_require_w ();
  red_require #(
    .OK(CLASSES == 1 || CLASSES == 4),
    .SAYS("red_core: CLASSES must be 1 or 4")
  ) u_require_classes ();
  red_require #(
    .OK(SEED != 21'd0),
    .SAYS("red_core: SEED must not be 0")
  ) u_require_seed ();
  red_require #(
    .OK(DEF_MAX > DEF_MIN && DEF_MAX - DEF_MIN < 22'h40000),
    .SAYS("red_core: DEF_MAX must be above DEF_MIN by less than 2^18")
  ) u_require_thresholds ();
  red_require #(
    .OK(CONSTANT || DEF_SLOPE < 21'h40000),
    .SAYS("red_core: DEF_SLOPE must have 18 bits, with CONSTANT 21")
  ) u_require_slope ();

  localparam int Queue = NQ <= 1 ? 1 : $clog2(NQ);
  localparam int Class = CLASSES == 4 ? 2 : 0;
  localparam int Entry = Queue + Class;
  localparam int Slope = CONSTANT ? 21 : 18;
  localparam int Acc = PAPER ? 22 : 22 + W;
  localparam int Front = IDLE ? 2 : 0;

  // ---- registers
  logic ready, clear, load, enable;
  logic [Entry-1:0] clearing, cfg_entry;
  logic [4:0] cfg_we;
  logic [21:0] cfg_data;
  logic [17:0] alpha, least, largest;

  red_cfg #(
    .Queue(Queue),
    .Class(Class),
    .IDLE(IDLE)
  ) u_cfg (
    .clk,
    .rst,
    .we_i(cfg_we_i),
    .addr_i(cfg_addr_i),
    .data_i(cfg_data_i),
    .ready_o(ready),
    .clear_o(clear),
    .clearing_o(clearing),
    .we_o(cfg_we),
    .entry_o(cfg_entry),
    .data_o(cfg_data),
    .load_o(load),
    .enable_o(enable),
    .alpha_o(alpha),
    .least_o(least),
    .largest_o(largest)
  );

  assign ready_o = ready;

  // ---- in front: what arrives, or, while tables are cleared, a queue whose average is to be 0
  localparam int Arrival = 3 + Entry + 12;
  logic take;
  logic [Entry-1:0] entry;
  logic [Arrival-1:0] arrival, arrival_s0;

  assign take = valid_i && ready;
  if (Class == 0) begin : g_class_one
    assign entry = qid_i[Queue-1:0];
  end else begin : g_classes
    assign entry = {class_i, qid_i[Queue-1:0]};
  end
  assign arrival = {take, !ready, ADAPT && tick_i, ready ? entry : clearing, qlen_i};

  logic valid_s0, clear_s0, tick_s0, rest_s1;
  logic [Entry-1:0] entry_s0;
  logic [11:0] qlen_s0;
  logic acc_we;
  logic [Queue-1:0] acc_qid;
  logic [Acc-1:0] acc, rested_s1;

  if (IDLE) begin : g_idle
    logic [Arrival-1:0] arrival_f1_q, arrival_f2_q;
    logic [5:0] idle_f1_q;
    always_ff @(posedge clk) begin
      arrival_f1_q <= arrival;
      arrival_f2_q <= arrival_f1_q;
      idle_f1_q <= idle_i;
      if (rst) begin
        {arrival_f1_q[Arrival-1], arrival_f1_q[Arrival-3]} <= 2'b00;
        {arrival_f2_q[Arrival-1], arrival_f2_q[Arrival-3]} <= 2'b00;
      end
    end
    assign arrival_s0 = arrival_f2_q;

    red_idle #(
      .Acc(Acc),
      .Queue(Queue)
    ) u_idle (
      .clk,
      .qid_i(arrival_f1_q[12+:Queue]),
      .idle_i(idle_f1_q),
      .acc_we_i(acc_we),
      .acc_qid_i(acc_qid),
      .acc_i(acc),
      .rest_o(rest_s1),
      .acc_o(rested_s1)
    );
  end else begin : g_no_idle
    assign arrival_s0 = arrival;
    assign rest_s1 = 1'b0;
    assign rested_s1 = '0;
    logic unused_idle;
    assign unused_idle = &{1'b0, idle_i, acc_we, acc_qid, acc};
  end
  assign {valid_s0, clear_s0, tick_s0, entry_s0, qlen_s0} = arrival_s0;

  // ---- the way of a packet through the stages
  logic valid_s1_q, valid_s2_q, valid_s3_q, valid_s4_q, valid_s5_q, valid_s6_q;
  logic clear_s1_q, tick_s1_q, same_s1_q;
  logic [Entry-1:0] entry_s1_q, entry_s2_q, entry_s3_q;
  logic [Queue-1:0] qid_s4_q, qid_s5_q, qid_s6_q;
  logic [11:0] qlen_s1_q;
  logic [21:0] avg_s3, avg_s5, avg_s6_q;
  logic [20:0] draw_s5, draw_s6_q;
  logic [1:0] region_s5, region_s6_q;
  logic greatest_s5, drop_s5, drop_s6_q;

  always_ff @(posedge clk) begin
    {valid_s6_q, valid_s5_q, valid_s4_q, valid_s3_q, valid_s2_q, valid_s1_q} <=
        rst ? 6'd0 : {valid_s5_q, valid_s4_q, valid_s3_q, valid_s2_q, valid_s1_q, valid_s0};
    clear_s1_q <= clear_s0;
    tick_s1_q <= !rst && tick_s0;
    entry_s1_q <= entry_s0;
    qlen_s1_q <= qlen_s0;
    same_s1_q <= valid_s1_q && entry_s0[Queue-1:0] == entry_s1_q[Queue-1:0];
    entry_s2_q <= entry_s1_q;
    entry_s3_q <= entry_s2_q;
    qid_s4_q <= entry_s3_q[Queue-1:0];
    qid_s5_q <= qid_s4_q;
    qid_s6_q <= qid_s5_q;
    avg_s6_q <= avg_s5;
    draw_s6_q <= draw_s5;
    region_s6_q <= region_s5;
    drop_s6_q <= drop_s5;
  end

  assign valid_o = valid_s6_q;
  assign qid_o = 3'(qid_s6_q);
  assign drop_o = drop_s6_q;
  assign region_o = region_s6_q;
  assign avg_o = avg_s6_q;
  assign draw_o = draw_s6_q;

  // ---- s1, s2
  red_avg #(
    .W(W),
    .PAPER(PAPER),
    .IDLE(IDLE),
    .SPACED(SPACED),
    .Queue(Queue)
  ) u_avg (
    .clk,
    .valid_i(valid_s1_q),
    .clear_i(clear_s1_q),
    .qid_i(entry_s1_q[Queue-1:0]),
    .qlen_i(qlen_s1_q),
    .fwd_i(same_s1_q),
    .rest_i(rest_s1),
    .rest_acc_i(rested_s1),
    .acc_we_o(acc_we),
    .acc_qid_o(acc_qid),
    .acc_o(acc),
    .avg_o(avg_s3)
  );

  red_delay #(
    .Bits(22),
    .Clocks(2)
  ) u_avg_s5 (
    .clk,
    .rst,
    .data_i(avg_s3),
    .data_o(avg_s5)
  );

  // ---- s2, s3: the thresholds
  logic [21:0] min_s2, min_s3_q, max_s2, max_s3_q;
  logic [Slope-1:0] slope_read, slope_s3, slope_data;
  logic [Entry-1:0] slope_entry;

  // A clock before they are needed: behind them are subtractors, and the long way to the multiplier.
  always_ff @(posedge clk) begin
    min_s3_q <= min_s2;
    max_s3_q <= max_s2;
  end
  logic slope_we;

  red_table #(
    .Bits(22),
    .Address(Entry),
    .DEFAULT(DEF_MIN)
  ) u_min (
    .clk,
    .clear_i(clear),
    .we_i(cfg_we[0]),
    .waddr_i(cfg_entry),
    .wdata_i(cfg_data),
    .raddr_i(entry_s2_q),
    .rdata_o(min_s2)
  );

  red_table #(
    .Bits(22),
    .Address(Entry),
    .DEFAULT(DEF_MAX)
  ) u_max (
    .clk,
    .clear_i(clear),
    .we_i(cfg_we[1]),
    .waddr_i(cfg_entry),
    .wdata_i(cfg_data),
    .raddr_i(entry_s2_q),
    .rdata_o(max_s2)
  );

  red_table #(
    .Bits(Slope),
    .Address(Entry),
    .DEFAULT(DEF_SLOPE[Slope-1:0])
  ) u_slope (
    .clk,
    .clear_i(clear),
    .we_i(slope_we),
    .waddr_i(slope_entry),
    .wdata_i(slope_data),
    .raddr_i(entry_s3_q),
    .rdata_o(slope_read)
  );

  // ---- s3 to s5
  logic [23:0] p_s5;

  red_prob #(
    .CONSTANT(CONSTANT)
  ) u_prob (
    .clk,
    .avg_i(avg_s3),
    .min_i(min_s3_q),
    .max_i(max_s3_q),
    .slope_i(slope_s3),
    .enable_i(enable),
    .region_o(region_s5),
    .p_o(p_s5)
  );

  // ---- s5
  red_lfsr #(
    .PAPER(PAPER),
    .Delay(5 + Front),
    .SEED(SEED)
  ) u_lfsr (
    .clk,
    .rst,
    .step_i(take),
    .load_i(load),
    .data_i(cfg_data[20:0]),
    .draw_o(draw_s5),
    .greatest_o(greatest_s5)
  );

  if (GAP) begin : g_gap
    red_gap #(
      .SPACED(SPACED),
      .Queue(Queue)
    ) u_gap (
      .clk,
      .clear_i(clear),
      .clear_qid_i(cfg_entry[Queue-1:0]),
      .qid_i(qid_s4_q),
      .valid_i(valid_s5_q),
      .region_i(region_s5),
      .draw_i(draw_s5),
      .p_i(p_s5),
      .drop_o(drop_s5)
    );
    logic unused_gap;
    assign unused_gap = greatest_s5;
  end else begin : g_no_gap
    red_hit u_hit (
      .region_i(region_s5),
      .draw_i(draw_s5),
      .greatest_i(greatest_s5),
      .p_i(p_s5),
      .drop_o(drop_s5)
    );
  end

  // ---- s1 to s4
  if (ADAPT) begin : g_adapt
    logic [21:0] lower_s3, upper_s3;
    logic step_fwd, step_we;
    logic [Entry-1:0] step_entry;
    logic [Slope-1:0] step_slope;

    red_table #(
      .Bits(22),
      .Address(Entry)
    ) u_lower (
      .clk,
      .clear_i(clear),
      .we_i(cfg_we[3]),
      .waddr_i(cfg_entry),
      .wdata_i(cfg_data),
      .raddr_i(entry_s3_q),
      .rdata_o(lower_s3)
    );

    red_table #(
      .Bits(22),
      .Address(Entry)
    ) u_upper (
      .clk,
      .clear_i(clear),
      .we_i(cfg_we[4]),
      .waddr_i(cfg_entry),
      .wdata_i(cfg_data),
      .raddr_i(entry_s3_q),
      .rdata_o(upper_s3)
    );

    red_adapt #(
      .Address(Entry),
      .Slope(Slope)
    ) u_adapt (
      .clk,
      .rst,
      .tick_i(tick_s1_q),
      .valid_i(valid_s1_q),
      .entry_i(entry_s1_q),
      .avg_i(avg_s3),
      .lower_i(lower_s3),
      .upper_i(upper_s3),
      .slope_i(slope_s3),
      .alpha_i(alpha),
      .least_i(least),
      .largest_i(largest),
      .fwd_o(step_fwd),
      .we_o(step_we),
      .entry_s4_o(step_entry),
      .slope_o(step_slope)
    );

    assign slope_s3 = !SPACED && step_fwd && step_we ? step_slope : slope_read;
    // A register that is written goes before a step of a decision on its way.
    assign slope_we = cfg_we[2] || step_we;
    assign slope_entry = step_we && !cfg_we[2] ? step_entry : cfg_entry;
    assign slope_data = step_we && !cfg_we[2] ? step_slope : cfg_data[Slope-1:0];
  end else begin : g_no_adapt
    assign slope_s3 = slope_read;
    assign slope_we = cfg_we[2];
    assign slope_entry = cfg_entry;
    assign slope_data = cfg_data[Slope-1:0];
    logic unused_adapt;
    assign unused_adapt = &{1'b0, cfg_we[4:3], alpha, least, largest, tick_s1_q};
  end

  logic unused;
  assign unused = &{1'b0, qid_i, class_i, tick_i, DEF_SLOPE};
`ifdef FORMAL
`include "red_core_props.svh"
`endif
endmodule
`default_nettype wire
