// Shows a core the lines of stimulus.hex and compares its decisions with expected.hex. For any simulator of SystemVerilog:
//   iverilog -g2012 -o tb red_vectors_tb.sv FILES... && ./tb
`timescale 1ns / 1ps
`default_nettype none
module red_vectors_tb;
  localparam int Lines = @LINES@;
  localparam int Packets = @PACKETS@;
  localparam int Patience = 4096;

  logic [83:0] stimulus[0:Lines-1];
  logic [59:0] expected[0:Packets-1];

  logic clk = 1'b0;
  logic rst, valid_i, tick_i, cfg_we_i;
  logic [2:0] qid_i;
  logic [11:0] qlen_i;
  logic [1:0] class_i;
  logic [5:0] idle_i;
  logic [7:0] cfg_addr_i;
  logic [31:0] cfg_data_i;
  logic ready_o, valid_o, drop_o;
  logic [2:0] qid_o;
  logic [1:0] region_o;
  logic [21:0] avg_o;
  logic [20:0] draw_o;

  red_core #(@PARAMETERS@) core (
    .clk(clk), .rst(rst), .ready_o(ready_o),
    .valid_i(valid_i), .qid_i(qid_i), .qlen_i(qlen_i), .class_i(class_i), .idle_i(idle_i), .tick_i(tick_i),
    .valid_o(valid_o), .qid_o(qid_o), .drop_o(drop_o), .region_o(region_o), .avg_o(avg_o), .draw_o(draw_o),
    .cfg_we_i(cfg_we_i), .cfg_addr_i(cfg_addr_i), .cfg_data_i(cfg_data_i)
  );

  int line, decided, waited;
  logic [83:0] now;
  logic [59:0] said;

  task automatic show(input logic [83:0] w);
    rst = w[80];
    valid_i = w[76];
    qid_i = w[74:72];
    qlen_i = w[71:60];
    class_i = w[57:56];
    idle_i = w[53:48];
    tick_i = w[44];
    cfg_we_i = w[40];
    cfg_addr_i = w[39:32];
    cfg_data_i = w[31:0];
  endtask

  // What a decision looks like as a line of expected.hex.
  assign said = {1'b0, qid_o, 3'd0, drop_o, 2'd0, region_o, 2'd0, avg_o, 3'd0, draw_o};

  initial begin
    $readmemh("stimulus.hex", stimulus);
    $readmemh("expected.hex", expected);
    line = 0;
    decided = 0;
    waited = 0;
    show(84'd0);
    while (decided < Packets) begin
      now = line < Lines ? stimulus[line] : 84'd0;
      show(now);
      #1;
      if (valid_o === 1'b1 && !rst) begin
        if (said !== expected[decided]) begin
          $display("FAIL: decision %0d is %h, expected %h", decided, said, expected[decided]);
          $finish;
        end
        decided = decided + 1;
      end
      waited = (valid_i && ready_o !== 1'b1) || line >= Lines ? waited + 1 : 0;
      // A packet is held until it is accepted; an interval ends once.
      if (valid_i && ready_o !== 1'b1 && line < Lines) stimulus[line][44] = 1'b0;
      else line = line + 1;
      if (waited > Patience) begin
        $display("FAIL: the core hangs after decision %0d", decided);
        $finish;
      end
      clk = 1'b1;
      #1;
      clk = 1'b0;
    end
    $display("PASS: %0d decisions", decided);
    $finish;
  end
endmodule
`default_nettype wire
