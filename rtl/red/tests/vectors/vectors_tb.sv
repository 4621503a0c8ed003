// Replays the vectors of draw.py on a core and compares every decision, its place and its clock.
// Says "PASS n decisions", or "FAIL" and stops at the first difference.
`timescale 1ns / 1ps
`default_nettype none
module vectors_tb;
  parameter int NQ = 8;
  parameter int W = 9;
  parameter int PAPER = 0;
  parameter int CONSTANT = 0;
  parameter int GAP = 0;
  parameter int IDLE = 0;
  parameter int CLASSES = 1;
  parameter int ADAPT = 0;
  parameter int SPACED = 0;
  parameter int Latency = 6;
  parameter int Clocks = 1000;
  parameter int Decisions = 1000;

  logic clk = 1'b0;
  always #5 clk = !clk;

  logic [66:0] in[Clocks];
  logic [48:0] want[Decisions];
  reg [8*256-1:0] stem;

  logic rst, valid, tick, we;
  logic [2:0] qid;
  logic [11:0] qlen;
  logic [1:0] cls;
  logic [5:0] idle;
  logic [7:0] addr;
  logic [31:0] data;
  logic ready, valid_o, drop_o;
  logic [2:0] qid_o;
  logic [1:0] region_o;
  logic [21:0] avg_o;
  logic [20:0] draw_o;

  red_core
`ifndef NETLIST  // what synthesis made has no parameters left
  #(
    .NQ(NQ),
    .W(W),
    .PAPER(PAPER != 0),
    .CONSTANT(CONSTANT != 0),
    .GAP(GAP != 0),
    .IDLE(IDLE != 0),
    .CLASSES(CLASSES),
    .ADAPT(ADAPT != 0),
    .SPACED(SPACED != 0)
  )
`endif
  dut (
    .clk,
    .rst,
    .ready_o(ready),
    .valid_i(valid),
    .qid_i(qid),
    .qlen_i(qlen),
    .class_i(cls),
    .idle_i(idle),
    .tick_i(tick),
    .valid_o,
    .qid_o,
    .drop_o,
    .region_o,
    .avg_o,
    .draw_o,
    .cfg_we_i(we),
    .cfg_addr_i(addr),
    .cfg_data_i(data)
  );

  integer now = 0;
  integer seen = 0;
  integer failed = 0;
  logic [31:0] way = 32'd0;  // the packets on their way: bit n was accepted n + 1 clocks ago
  logic [48:0] got;

  initial begin
    if (!$value$plusargs("stem=%s", stem)) $finish;
    $readmemh({stem, ".in"}, in);
    $readmemh({stem, ".out"}, want);
    {rst, valid, qid, qlen, cls, idle, tick, we, addr, data} = in[0];
  end

  task automatic fail(input string why);
    failed = 1;
    $display("FAIL clock %0d decision %0d: %0s", now, seen, why);
    $display("     queue drop region average draw");
    $display("got  %0d %0d %0d %0d %0d", qid_o, drop_o, region_o, avg_o, draw_o);
    $display("want %0d %0d %0d %0d %0d", want[seen][48:46], want[seen][45], want[seen][44:43],
             want[seen][42:21], want[seen][20:0]);
  endtask

  always @(posedge clk) begin
    got = {qid_o, drop_o, region_o, avg_o, draw_o};
    if (now > 2 && valid_o !== way[Latency-1]) fail("a decision comes at another clock");
    else if (now > 2 && valid_o && got !== want[seen]) fail("another decision");
    if (valid && ready !== 1'b1) fail("not ready");
    if (valid_o === 1'b1 && now > 2) seen = seen + 1;
    // A reset takes what is on its way: those decisions never come.
    if (rst) for (int i = 0; i < Latency - 1; i++) if (way[i]) seen = seen + 1;
    way = rst ? 32'd0 : {way[30:0], valid};
    now = now + 1;
    if (failed != 0 || now == Clocks) begin
      if (failed == 0) $display("PASS %0d decisions", seen);
      $finish;
    end
    {rst, valid, qid, qlen, cls, idle, tick, we, addr, data} <= in[now];
  end
endmodule
`default_nettype wire
