// Eight small output queues: what the NetFPGA keeps in SRAM, enough to run RED before it.
//
// A packet goes to the queue of its one-hot port; its I/O queue header has to be its first word (it
// is, in the platform: the first stage writes it). A queue takes LIMIT packets and WORDS words; a
// packet that finds no room is dropped whole (`pkt_dropped`), also if it runs out of it on the way.
// Never is `in_rdy` low. Queues that have a packet and whose `out_rdy` is high are served in turn,
// a packet at a time, over one data bus with eight `out_wr`; a packet's last word gives a pulse of
// `pkt_removed`. Packets that have not exactly one port go to queue 0, as in sram_rr_output_queues.
`default_nettype none
module red_output_queues #(
  parameter int WORDS = 512,                // of each queue, a power of two
  parameter int LIMIT = 36                  // packets of each queue, at most 255
) (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [63:0] in_data,
  input  wire logic [7:0]  in_ctrl,
  input  wire logic        in_wr,
  output logic             in_rdy,
  output logic      [63:0] out_data,
  output logic      [7:0]  out_ctrl,
  output logic      [7:0]  out_wr,
  input  wire logic [7:0]  out_rdy,
  output logic      [7:0]  pkt_removed,     // bit k: one clock for each packet that leaves queue k
  output logic      [7:0]  pkt_dropped      // bit k: one clock for each that it has no room for
);
  red_require #(
    .OK(WORDS >= 4 && (WORDS & (WORDS - 1)) == 0),
    .SAYS("red_output_queues: WORDS must be a power of two, at least 4")
  ) u_require_words ();
  red_require #(
    .OK(LIMIT >= 1 && LIMIT <= 255),
    .SAYS("red_output_queues: LIMIT must be 1 to 255")
  ) u_require_limit ();
  localparam int AW = $clog2(WORDS);
  assign in_rdy = !rst;

  logic [71:0] mem [8*WORDS];
  logic [AW-1:0] heads [8];                 // the next word to send
  logic [AW-1:0] tails [8];                 // behind the last whole packet
  logic [7:0]    packets [8];

  // ---- the ports of a header: whether it names one queue
  function automatic logic single(input logic [15:0] ports);
    single = ports[15:8] == 8'd0 && ports[7:0] != 8'd0 && (ports & (ports - 16'd1)) == 16'd0;
  endfunction

  // ---- in
  logic          into_q, into_data_q, full_q;
  logic [2:0]    to_q, to;
  logic [AW-1:0] at_q, at;
  logic [15:0]   ports;
  logic          one, room, last, full;
  assign ports   = in_data[63:48];
  assign one     = in_ctrl == 8'hff && single(ports);
  assign to      = into_q ? to_q : !one ? 3'd0 :
                   {|ports[7:4], |{ports[7:6], ports[3:2]}, |(ports[7:0] & 8'haa)};
  assign at      = into_q ? at_q : tails[to];
  assign room    = at + 1'b1 != heads[to];  // one word stays free, or full would look like empty
  assign full    = into_q ? full_q || !room : !room || packets[to] >= 8'(LIMIT);
  assign last    = in_wr && into_data_q && in_ctrl != 8'd0;

  always_ff @(posedge clk) if (in_wr && !full) mem[{to, at}] <= {in_ctrl, in_data};
  always_ff @(posedge clk) begin
    pkt_dropped <= '0;
    if (rst) begin
      into_q      <= 1'b0;
      into_data_q <= 1'b0;
    end else if (in_wr) begin
      into_q      <= !last;
      into_data_q <= in_ctrl == 8'd0;
      to_q        <= to;
      at_q        <= at + 1'b1;
      full_q      <= full;
      if (last && full) pkt_dropped[to] <= 1'b1;
    end
  end

  // ---- out: the memory's read register is the output register
  logic       busy_q, wr_q, out_data_q;
  logic [2:0] from_q, next;
  logic       any, ends, issue;
  logic [7:0] ready;
  always_comb begin
    for (int k = 0; k < 8; k++) ready[k] = packets[k] != 8'd0 && out_rdy[k];
    any  = |ready;
    next = from_q;
    for (int k = 7; k >= 0; k--) if (ready[3'(from_q + 3'd1 + 3'(k))]) next = from_q + 3'd1 + 3'(k);
  end
  assign ends   = wr_q && out_data_q && out_ctrl != 8'd0;
  assign issue  = busy_q && out_rdy[from_q] && !ends;
  assign out_wr = wr_q ? 8'd1 << from_q : 8'd0;

  always_ff @(posedge clk) if (issue) {out_ctrl, out_data} <= mem[{from_q, heads[from_q]}];
  always_ff @(posedge clk) begin
    pkt_removed <= '0;
    if (rst) begin
      busy_q     <= 1'b0;
      wr_q       <= 1'b0;
      out_data_q <= 1'b0;
      from_q     <= '0;
    end else begin
      wr_q <= issue;
      if (wr_q) begin
        out_data_q <= out_ctrl == 8'd0;
        if (ends) pkt_removed[from_q] <= 1'b1;
      end
      if (ends) busy_q <= 1'b0;
      else if (!busy_q && any) begin
        busy_q <= 1'b1;
        from_q <= next;
      end
    end
  end

  for (genvar k = 0; k < 8; k++) begin : gen_queue
    logic stored, sent;
    assign stored = last && !full && to == 3'(k);
    assign sent   = ends && from_q == 3'(k);
    always_ff @(posedge clk) begin
      if (rst) begin
        heads[k]   <= '0;
        tails[k]   <= '0;
        packets[k] <= '0;
      end else begin
        if (stored) tails[k] <= at + 1'b1;
        if (issue && from_q == 3'(k)) heads[k] <= heads[k] + 1'b1;
        if (stored != sent) packets[k] <= sent ? packets[k] - 8'd1 : packets[k] + 8'd1;
      end
    end
  end
endmodule
`default_nettype wire
