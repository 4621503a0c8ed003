// Where output_port_lookup stands in a router: here a table from source port to destination port.
//
// It writes the one-hot destination into each I/O queue header (ctrl 8'hff among the headers), and
// nothing else. By default packets from a MAC go to its CPU queue and the other way round, as a
// network interface card does it. One register; `in_rdy` is the next stage's.
`default_nettype none
module red_lookup_stub #(
  parameter logic [23:0] ROUTES = 24'o67452301  // 3 bits a source port, port 0 at the bottom
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
  input  wire logic        out_rdy
);
  logic       in_data_q;                    // the headers are over
  logic [2:0] source, target;
  logic       known;
  assign in_rdy = out_rdy;
  assign source = in_data[18:16];
  assign known  = in_data[31:19] == 13'd0;
  assign target = ROUTES[3*source+:3];

  always_ff @(posedge clk) begin
    out_ctrl <= in_ctrl;
    out_data <= in_data;
    if (in_ctrl == 8'hff && !in_data_q)
      out_data[63:48] <= known ? 16'd1 << target : 16'd0;
    out_wr   <= in_wr && !rst;
    if (rst) in_data_q <= 1'b0;
    else if (in_wr) in_data_q <= in_ctrl == 8'd0;
  end
endmodule
`default_nettype wire
