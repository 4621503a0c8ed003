// Region and probability (SPEC.md, "Region", "Probability").
//
// Three clocks. s3 compares the average with both thresholds and takes d = avg - min, s4 multiplies, in s5
// the product is there. `p_o` is not yet limited to 21 bits: who compares with it does that without a further gate in the way.
//
//   s3:  avg_i, min_i, max_i, slope_i, enable_i
//   s5:  region_o, p_o = (slope * d) >> 12, 24 bits; with CONSTANT p_o = slope
`default_nettype none
module red_prob #(
  parameter bit CONSTANT = 0,
  parameter int Slope = CONSTANT ? 21 : 18
) (
  input  wire logic             clk,
  input  wire logic [21:0]      avg_i,
  input  wire logic [21:0]      min_i,
  input  wire logic [21:0]      max_i,
  input  wire logic [Slope-1:0] slope_i,
  input  wire logic             enable_i,
  output logic [1:0]            region_o,
  output logic [23:0]           p_o
);
  logic [22:0] above_min, above_max;  // the upper bit: it is below
  logic [1:0] region_s4_q, region_s5_q;

  assign above_min = {1'b0, avg_i} - {1'b0, min_i};
  assign above_max = {1'b0, avg_i} - {1'b0, max_i};

  always_ff @(posedge clk) begin
    region_s4_q[0] <= enable_i && !above_min[22] && above_max[22];
    region_s4_q[1] <= enable_i && !above_min[22] && !above_max[22];
    region_s5_q <= region_s4_q;
  end

  if (CONSTANT) begin : g_constant
    logic [Slope-1:0] slope_s4_q, slope_s5_q;
    always_ff @(posedge clk) begin
      slope_s4_q <= slope_i;
      slope_s5_q <= slope_s4_q;
    end
    assign p_o = 24'(slope_s5_q);
  end else begin : g_linear
    logic [35:0] product;
    logic unused_fraction;
    red_mult u_mult (
      .clk,
      .a_i(slope_i[17:0]),
      .b_i(above_min[17:0]),
      .product_o(product)
    );
    assign p_o = product[35:12];
    assign unused_fraction = &{1'b0, product[11:0]};
  end

  assign region_o = region_s5_q;

  logic unused;
  assign unused = &{1'b0, above_min[21:0], above_max[21:0]};
endmodule
`default_nettype wire
