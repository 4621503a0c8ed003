// Eight small output queues: what the NetFPGA keeps in SRAM, enough to run RED before it.
//
// A packet goes to the queue of its one-hot port; its I/O queue header has to be its first word (it
// is, in the platform: the first stage writes it). A queue takes LIMIT packets and WORDS words; a
// packet that finds no room is dropped whole (`pkt_dropped`), also if it runs out of it on the way.
// Never is `in_rdy` low. Queues that have a packet and whose `out_rdy` is high are served in turn,
// a packet at a time, over one data bus with eight `out_wr`; a packet's last word gives a pulse of
// `pkt_removed`. Packets without one port go to queue 0, as sram_rr_output_queues has it; they give
// no pulses, because RED did not count them.
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
  output logic      [7:0]  pkt_removed,
  output logic      [7:0]  pkt_dropped
);
  localparam int AW = $clog2(WORDS);
  assign in_rdy = !rst;

  logic [71:0] mem [8*WORDS];
  logic [AW-1:0] heads [8];                 // the next word to send
  logic [AW-1:0] tails [8];                 // behind the last whole packet
  logic [7:0]    packets [8];

  // ---- the ports of a header: its queue, and whether RED counted it
  function automatic logic single(input logic [15:0] ports);
    single = ports[15:8] == 8'd0 && ports[7:0] != 8'd0 && (ports & (ports - 16'd1)) == 16'd0;
  endfunction

  // ---- in
  logic          into_q, into_data_q, full_q, counted_q;
  logic [2:0]    to_q, to;
  logic [AW-1:0] at_q, at;
  logic [15:0]   ports;
  logic          one, room, last, full, counted;
  assign ports   = in_data[63:48];
  assign one     = in_ctrl == 8'hff && single(ports);
  assign to      = into_q ? to_q : !one ? 3'd0 :
                   {|ports[7:4], |{ports[7:6], ports[3:2]}, |(ports[7:0] & 8'haa)};
  assign counted = into_q ? counted_q : one;
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
      counted_q   <= counted;
      if (last && full && counted) pkt_dropped[to] <= 1'b1;
    end
  end

  // ---- out: the memory's read register is the output register
  logic       busy_q, wr_q, out_data_q, known_q, begun_q;
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
      begun_q    <= 1'b0;
      from_q     <= '0;
    end else begin
      wr_q <= issue;
      if (wr_q) begin
        out_data_q <= out_ctrl == 8'd0;
        begun_q    <= !ends;
        if (!begun_q) known_q <= out_ctrl == 8'hff && single(out_data[63:48]);
        if (ends && known_q) pkt_removed[from_q] <= 1'b1;
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
