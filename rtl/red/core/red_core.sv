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

  // The plain form: the whole decision in the clock of acceptance, then a delay. Right by reading; not fast.
  localparam int AccBits = PAPER ? 22 : 22 + W;
  localparam int SlopeBits = CONSTANT ? 21 : 18;

  logic [AccBits-1:0]   acc_q [0:7];
  logic [20:0]          credit_q [0:7];
  logic [21:0]          min_q [0:31];
  logic [21:0]          max_q [0:31];
  logic [SlopeBits-1:0] slope_q [0:31];
  logic [21:0]          lower_q [0:31];
  logic [21:0]          upper_q [0:31];
  logic [31:0]          due_q;
  logic [20:0]          draw_q;
  logic [17:0]          alpha_q, least_q, largest_q;
  logic                 enable_q, ready_q;
  assign ready_o = ready_q;

  function automatic logic [20:0] leap(input logic [20:0] s);
    leap = s;
    for (int i = 0; i < (PAPER ? 1 : 32); i++)
      leap = {leap[19:0], ^(leap & (PAPER ? 21'h140000 : 21'h125292))};
  endfunction

  function automatic logic [22:0] shift_right(input logic [22:0] x);
    logic signed [22:0] y;
    y = x;
    shift_right = y >>> W;
  endfunction

  logic                 take, hit, rise, fall, due;
  logic [4:0]           entry, cfg_entry;
  logic [AccBits-1:0]   acc, rested, acc_d;
  logic [22:0]          diff;
  logic [21:0]          avg;
  logic [1:0]           region;
  logic [17:0]          d;
  logic [SlopeBits-1:0] slope, slope_d;
  logic [38:0]          product;
  logic [20:0]          p, credit_d;
  logic                 idle_odd;
  logic [4:0]           idle_half;
  logic [5:0]           excess;
  logic [20:0]          product_p;

  assign take = valid_i && ready_q;
  assign {idle_half, idle_odd} = idle_i;
  assign entry = {CLASSES == 4 ? class_i : 2'd0, qid_i};
  assign cfg_entry = {CLASSES == 4 ? cfg_addr_i[4:3] : 2'd0, cfg_addr_i[2:0]};

  always_comb begin
    acc = acc_q[qid_i];
    rested = acc;
    if (IDLE && idle_i != 6'd0) begin
      rested = acc >> idle_half;
      if (idle_odd) rested = rested - (rested >> 2);
    end
    diff = {1'b0, qlen_i, 10'd0} - 23'(rested);
    if (PAPER) begin
      acc_d = rested + AccBits'(shift_right(diff));
      avg = 22'(acc_d);
    end else begin
      acc_d = rested + AccBits'({qlen_i, 10'd0}) - (rested >> W);
      avg = 22'(acc_d >> W);
    end
    region = 2'd2;
    if (avg < max_q[entry]) region = 2'd1;
    if (avg < min_q[entry]) region = 2'd0;
    if (!enable_q) region = 2'd0;
  end

  assign d = 18'(avg - min_q[entry]);
  assign slope = slope_q[entry];
  assign product = 39'(slope) * 39'(d);
  assign {excess, product_p} = product[38:12];

  always_comb begin
    if (CONSTANT) p = 21'(slope);
    else p = |excess ? 21'h1fffff : product_p;
    hit = (GAP ? credit_q[qid_i] : draw_q) < p;
    credit_d = (region != 2'd1 || hit) ? draw_q : credit_q[qid_i] - p;
    due = due_q[entry] || tick_i;
    rise = avg > upper_q[entry] && 21'(slope) < 21'(largest_q);
    fall = avg < lower_q[entry] && 21'(slope) > 21'(least_q);
    slope_d = slope;
    if (rise) slope_d = slope + SlopeBits'(alpha_q);
    else if (fall) slope_d = slope - (slope >> 3);
  end

  always_ff @(posedge clk) begin
    ready_q <= 1'b1;
    if (PAPER || take) draw_q <= leap(draw_q);
    if (ADAPT && tick_i) due_q <= '1;
    if (take) begin
      acc_q[qid_i] <= acc_d;
      credit_q[qid_i] <= credit_d;
      if (ADAPT && due) slope_q[entry] <= slope_d;
      if (ADAPT) due_q[entry] <= 1'b0;
    end
    if (cfg_we_i) begin
      case (cfg_addr_i[7:5])
        3'd0: min_q[cfg_entry] <= cfg_data_i[21:0];
        3'd1: max_q[cfg_entry] <= cfg_data_i[21:0];
        3'd2: slope_q[cfg_entry] <= cfg_data_i[SlopeBits-1:0];
        3'd3: lower_q[cfg_entry] <= cfg_data_i[21:0];
        3'd4: upper_q[cfg_entry] <= cfg_data_i[21:0];
        3'd7:
          case (cfg_addr_i[4:0])
            5'd0: enable_q <= cfg_data_i[0];
            5'd1: draw_q <= cfg_data_i[20:0] == 21'd0 ? 21'd1 : cfg_data_i[20:0];
            5'd2: alpha_q <= cfg_data_i[17:0];
            5'd3: least_q <= cfg_data_i[17:0];
            5'd4: largest_q <= cfg_data_i[17:0];
            default: ;
          endcase
        default: ;
      endcase
    end
    if (rst) begin
      ready_q <= 1'b0;
      enable_q <= 1'b1;
      draw_q <= SEED;
      due_q <= '0;
      alpha_q <= '0;
      least_q <= '0;
      largest_q <= '1;
      for (int i = 0; i < 8; i++) begin
        acc_q[i] <= '0;
        credit_q[i] <= '1;
      end
      for (int i = 0; i < 32; i++) begin
        min_q[i] <= DEF_MIN;
        max_q[i] <= DEF_MAX;
        slope_q[i] <= DEF_SLOPE[SlopeBits-1:0];
        lower_q[i] <= '0;
        upper_q[i] <= '0;
      end
    end
  end

  // ---- six clocks from acceptance to decision
  localparam int Out = 3 + 1 + 2 + 22 + 21;
  logic [5:0]     valid_q;
  logic [6*Out-1:0] out_q;
  always_ff @(posedge clk) begin
    valid_q <= rst ? '0 : {valid_q[4:0], take};
    out_q <= {out_q[5*Out-1:0], qid_i, region == 2'd2 || (region == 2'd1 && hit), region, avg, draw_q};
  end
  assign valid_o = valid_q[5];
  assign {qid_o, drop_o, region_o, avg_o, draw_o} = out_q[6*Out-1:5*Out];

  logic unused;
  assign unused = &{1'b0, NQ == 0, SPACED, class_i, idle_i, tick_i, cfg_data_i[31:22], DEF_SLOPE, diff, product};
endmodule
`default_nettype wire
