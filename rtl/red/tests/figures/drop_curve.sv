// How often the core drops, over the average: counted, eight averages at a time, one in each queue.
//
// An average is held by a queue whose length stays the same: it comes to rest at that length
// exactly (sound mode). Which place of the curve it is at is then for the thresholds to say.
// Prints one line for each place: average above the minimum threshold, 1/1024 packets; decisions;
// drops.
`timescale 1ns/1ns
`default_nettype none
module drop_curve #(
  parameter bit CONSTANT = 0,
  parameter bit GAP = 0,
  parameter int Decisions = 20000           // for each place
);
  localparam int Places = 24;
  localparam int Step = 307;                // 1/1024 packets: the last ones are past the maximum
  localparam int Width = 6144;              // from the minimum to the maximum
  localparam int Length = 20;               // packets in each queue
  localparam int Settle = 8000;             // packets until every average is at rest

  logic        clk = 0;
  logic        rst = 1;
  logic        valid = 0;
  logic [2:0]  qid = 0;
  logic        we = 0;
  logic [7:0]  addr = 0;
  logic [31:0] data = 0;
  wire         ready, decided, drop;
  wire [2:0]   of;
  wire [1:0]   region;
  wire [21:0]  avg;
  wire [20:0]  draw;
  always #1 clk = !clk;

  red_core #(.CONSTANT(CONSTANT), .GAP(GAP)) dut (
    .clk(clk), .rst(rst), .ready_o(ready), .valid_i(valid), .qid_i(qid), .qlen_i(12'(Length)),
    .class_i(2'd0), .idle_i(6'd0), .tick_i(1'b0), .valid_o(decided), .qid_o(of), .drop_o(drop),
    .region_o(region), .avg_o(avg), .draw_o(draw),
    .cfg_we_i(we), .cfg_addr_i(addr), .cfg_data_i(data));

  int made [0:7];
  int drops [0:7];
  always @(posedge clk) if (decided) begin
    made[of]  <= made[of] + 1;
    drops[of] <= drops[of] + int'(drop);
    if (made[of] > Settle && avg != 22'(1024 * Length)) begin
      $display("FAIL: average %0d in queue %0d", avg, of);
      $fatal;
    end
  end

  task automatic write(input logic [7:0] to, input int value);
    @(negedge clk);
    we   = 1;
    addr = to;
    data = 32'(value);
    @(negedge clk);
    we   = 0;
  endtask

  task automatic decide(input int each);
    for (int i = 0; i < 8 * each; i++) begin
      @(negedge clk);
      valid = 1;
      qid   = 3'(i);
    end
    @(negedge clk);
    valid = 0;
    repeat (12) @(negedge clk);
  endtask

  int lost [0:7];
  int were [0:7];
  int x;
  initial begin
    for (int k = 0; k < 8; k++) begin
      made[k]  = 0;
      drops[k] = 0;
    end
    repeat (4) @(negedge clk);
    rst = 0;
    while (!ready) @(negedge clk);
    decide(Settle);
    for (int first = 0; first < Places; first += 8) begin
      for (int k = 0; k < 8; k++) begin
        x = (first + k - 1) * Step;
        write({3'd0, 2'd0, 3'(k)}, 1024 * Length - x);
        write({3'd1, 2'd0, 3'(k)}, 1024 * Length - x + Width);
      end
      for (int k = 0; k < 8; k++) begin
        were[k]   = made[k];
        lost[k] = drops[k];
      end
      decide(Decisions);
      for (int k = 0; k < 8; k++)
        $display("%0d %0d %0d", (first + k - 1) * Step, made[k] - were[k], drops[k] - lost[k]);
    end
    $finish;
  end
endmodule
`default_nettype wire
