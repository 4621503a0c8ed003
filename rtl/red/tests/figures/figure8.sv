// Figure 8 of the paper: one packet dropped, the next forwarded, at avg_pkts = 11266.
//
// Nothing is forced. Packets fill output queue 2 to 36, which takes the average up to 11; then 24
// leave, and at a length of 12 the average creeps up by 2/1024 or 1/1024 of a packet each time, so
// that it comes to 11266 (11.002 packets) in paper mode whatever the way. Before that packet the
// bench waits until a draw below the probability is due, and only then the recording begins.
//
//   +vcd=FILE  where the waveform goes
`timescale 1ns/1ns
`default_nettype none
module figure8;
  localparam int Queue = 2;
  localparam int Words = 9;                 // a header, and 60 bytes of a frame
  localparam int Shown = 11266;
  localparam int Ahead = 3;                 // clocks until the core draws for a packet that is sent now
  localparam int Guard = 400000;

  logic        clk = 0;
  logic        reset = 1;
  logic [63:0] in_data = 0;
  logic [7:0]  in_ctrl = 0;
  logic        in_wr = 0;
  wire         in_rdy, out_wr;
  wire [63:0]  out_data;
  wire [7:0]   out_ctrl;
  logic [7:0]  pkt_removed = 0;
  always #4 clk = !clk;                     // 125 MHz

  red_nf1g #(.PAPER(1)) dut (
    .clk(clk), .reset(reset), .in_data(in_data), .in_ctrl(in_ctrl), .in_wr(in_wr), .in_rdy(in_rdy),
    .out_data(out_data), .out_ctrl(out_ctrl), .out_wr(out_wr), .out_rdy(1'b1),
    .pkt_removed(pkt_removed), .pkt_dropped(8'd0),
    .reg_req_in(1'b0), .reg_ack_in(1'b0), .reg_rd_wr_L_in(1'b0), .reg_addr_in(23'd0),
    .reg_data_in(32'd0), .reg_src_in(2'd0), .reg_req_out(), .reg_ack_out(), .reg_rd_wr_L_out(),
    .reg_addr_out(), .reg_data_out(), .reg_src_out(),
    .cfg_we_i(1'b0), .cfg_addr_i(9'd0), .cfg_data_i(32'd0));

  // What the core says of each packet, held until the next.
  wire         valid = dut.valid;
  logic [21:0] avg_pkts = 0;
  logic [20:0] draw = 0;
  logic [1:0]  region = 0;
  logic        drop = 0;
  wire [11:0]  queue = dut.counts[12*Queue+:12];
  always @(posedge clk) if (valid) begin
    avg_pkts <= dut.avg;
    draw     <= dut.u_path.draw;
    region   <= dut.region;
    drop     <= dut.drop;
  end

  // The draw's register runs freely in paper mode: the same steps here tell what it will be.
  logic [20:0] register = 1;
  always @(posedge clk) register <= reset ? 21'd1 : stepped(register, 1);
  function automatic logic [20:0] stepped(input logic [20:0] s, input int n);
    stepped = s;
    for (int i = 0; i < n; i++) stepped = {stepped[19:0], stepped[20] ^ stepped[18]};
  endfunction

  // p of a packet at this average, 6 and 12 packets, 0.02: the register's 27962.
  function automatic logic [20:0] probability(input int avg);
    probability = 21'((64'd27962 * 64'(avg - 6144)) >> 12);
  endfunction

  // One packet, its data words numbered from `first` on; returns with its last word on the bus.
  task automatic send(input logic [63:0] first);
    for (int word = 0; word < Words; word++) begin
      @(negedge clk);
      in_wr   = 1;
      in_ctrl = word == 0 ? 8'hff : word == Words - 1 ? 8'h10 : 8'h00;
      in_data = word == 0 ? {16'(1 << Queue), 16'd8, 16'd0, 16'd60} : first + 64'(word - 1);
    end
  endtask

  task automatic rest(input int clocks);
    for (int i = 0; i < clocks; i++) begin
      @(negedge clk);
      in_wr   = 0;
      in_ctrl = 0;
      in_data = 0;
    end
  endtask

  task automatic leave;
    @(negedge clk);
    pkt_removed = 8'(1 << Queue);
    @(negedge clk);
    pkt_removed = 0;
  endtask

  // A packet of the way there: what is above `length` leaves again.
  task automatic load(input int length);
    send(64'd0);
    rest(16);
    for (int above = int'(queue) - length; above > 0; above--) leave();
    rest(8);
  endtask

  int forwarded, seen;
  always @(posedge clk) if (out_wr) forwarded = forwarded + 1;
  always @(posedge clk) if (valid) seen = seen + 1;

  reg [8*512-1:0] file;
  initial begin
    repeat (4) @(negedge clk);
    reset = 0;
    while (!in_rdy) @(negedge clk);
    while (avg_pkts < 22'(Shown - 160)) load(36);
    while (avg_pkts < 22'(Shown - 2)) load(12);
    while (stepped(register, Ahead) >= probability(Shown)) @(negedge clk);

    if ($value$plusargs("vcd=%s", file)) begin
      $dumpfile(file);
      $dumpvars(1, clk, in_wr, in_ctrl, in_data, in_rdy, queue, avg_pkts, draw, region, drop, valid,
                out_wr, out_ctrl, out_data);
    end
    seen = 0;
    forwarded = 0;
    send(64'ha1);
    send(64'hb1);
    rest(14);
    if (seen != 2 || forwarded != Words) begin
      $display("FAIL: %0d decisions, %0d words forwarded", seen, forwarded);
      $fatal;
    end
    $display("PASS: dropped, then forwarded");
    $finish;
  end

  // The first of the two shown has avg_pkts = 11266, is in the random region, and is dropped; the
  // second is not.
  always @(posedge clk) if (valid && forwarded == 0 && seen == 0 && in_data[7:0] >= 8'ha1) begin
    if (dut.avg != 22'(Shown) || dut.region != 2'd1 || !dut.drop) begin
      $display("FAIL: avg_pkts %0d, region %0d, drop %0d", dut.avg, dut.region, dut.drop);
      $fatal;
    end
  end
  initial begin
    repeat (Guard) @(negedge clk);
    $display("FAIL: the average did not come to %0d", Shown);
    $fatal;
  end
endmodule
`default_nettype wire
