// Finds out where a packet on the NetFPGA-1G bus goes, from the module header of the I/O queues.
//
// A packet is module headers (ctrl not 0, one from each stage, in any order), data words (ctrl 0),
// and a last data word whose ctrl marks its last byte. Nothing but the order tells a header from a
// last word. The I/O queues' header has ctrl 8'hff and the destination port, one-hot, in its upper
// 16 bits; there are 8 queues.
//
// A packet is RED's business (`take_o`) if exactly one of the lower eight bits is set and none of
// the upper ones. All others are bypassed (`bypass_o`: let through without decision): no or several
// ports, no such header before the first data word, or none in the first HEADERS words, which is how
// far the FIFO can look ahead. Of two such headers the first one counts.
//
// `passed_o` names the queues that a bypassed packet goes to. With MULTICAST = 1 these are its ports
// among the lower eight, none without a header. With MULTICAST = 0 it is queue 0, where
// sram_rr_output_queues puts every packet that has not exactly one port.
//
// With CLASSES > 1 the packet is taken at its second data word, which has the DSCP of IPv4 and IPv6
// (bytes 14 and 15 of an untagged Ethernet frame): two clocks later. `dscp_valid_o` is low for all
// else.
//
// All pulses come in the clock after the word's.
`default_nettype none
module red_hdr_parser #(
  parameter bit MULTICAST = 1,
  parameter int CLASSES = 1
) (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        wr_i,
  input  wire logic [7:0]  ctrl_i,
  input  wire logic [63:0] data_i,
  output logic             take_o,
  output logic             bypass_o,
  output logic [7:0]       passed_o,        // with bypass_o, else 0
  output logic [2:0]       qid_o,           // with take_o
  output logic             dscp_valid_o,    // with take_o, CLASSES > 1
  output logic [5:0]       dscp_o
);
  red_require #(
    .OK(CLASSES == 1 || CLASSES == 4),
    .SAYS("red_hdr_parser: CLASSES must be 1 or 4")
  ) u_require_classes ();
  localparam logic [7:0] IoQueue = 8'hff;   // IO_QUEUE_STAGE_NUM
  localparam logic [3:0] Headers = 4'd8;    // must be a power of two: its bit says "decided"

  // What is to be known of the word, one clock later. Of the ports: the queue if there is one only,
  // and whether it is.
  logic       io_q, zero_q, last_q;
  logic [2:0] qid_q;
  logic       one_lo_q, one_hi_q, none_lo_q, none_hi_q, none_up_q;
  logic [3:0] hi, lo;
  assign {hi, lo} = data_i[55:48];

  always_ff @(posedge clk) begin
    io_q      <= !rst && wr_i && ctrl_i == IoQueue;
    zero_q    <= !rst && wr_i && ctrl_i == 8'h00;
    last_q    <= !rst && wr_i && ctrl_i != 8'h00;
    one_lo_q  <= lo == 4'd1 || lo == 4'd2 || lo == 4'd4 || lo == 4'd8;
    one_hi_q  <= hi == 4'd1 || hi == 4'd2 || hi == 4'd4 || hi == 4'd8;
    none_lo_q <= lo == 4'd0;
    none_hi_q <= hi == 4'd0;
    none_up_q <= data_i[63:56] == 8'd0;
    // right where exactly one bit is set, and used only there
    qid_q     <= {|hi, hi[3] | hi[2] | lo[3] | lo[2], hi[3] | hi[1] | lo[3] | lo[1]};
  end

  // In headers or in data; whether it was settled what becomes of this packet (the top bit), and
  // else how many
  // headers there were
  logic       in_data_q;
  logic [3:0] seen_q;
  logic       settled, found, missing, one;
  assign settled = seen_q[3];
  assign found   = io_q && !in_data_q && !settled;
  assign missing = !in_data_q && !settled && !io_q &&
                   (zero_q || (last_q && seen_q == Headers - 4'd1));
  assign one     = none_up_q && ((one_lo_q && none_hi_q) || (none_lo_q && one_hi_q));

  always_ff @(posedge clk) begin
    if (rst) begin
      in_data_q <= 1'b0;
      seen_q    <= '0;
    end else if (!in_data_q) begin
      if (zero_q) in_data_q <= 1'b1;
      if (found) seen_q <= Headers;
      else if (last_q && !settled) seen_q <= seen_q + 4'd1;
    end else if (last_q) begin
      in_data_q <= 1'b0;
      seen_q    <= '0;
    end
  end

  assign bypass_o = missing || (found && !one);
  if (MULTICAST) begin : gen_multicast
    logic [7:0] ports_q;
    always_ff @(posedge clk) ports_q <= data_i[55:48];
    assign passed_o = found && !one ? ports_q : 8'd0;
  end else begin : gen_unicast
    assign passed_o = {7'd0, bypass_o};
  end

  if (CLASSES == 1) begin : gen_plain
    assign take_o       = found && one;
    assign dscp_valid_o = 1'b0;
    assign dscp_o       = '0;
    assign qid_o = qid_q;
    logic unused;
    assign unused = ^data_i[47:0];
  end else begin : gen_classes
    // the packet waits for its second data word: the one after the word that took it into the data
    logic       wait_q, second_q, v4_q, v6_q;
    logic [5:0] dscp_q;
    logic [2:0] held_q;
    assign take_o   = wait_q && in_data_q && second_q && (zero_q || last_q);
    always_ff @(posedge clk) begin
      v4_q   <= data_i[31:16] == 16'h0800 && data_i[15:12] == 4'd4;
      v6_q   <= data_i[31:16] == 16'h86dd && data_i[15:12] == 4'd6;
      dscp_q <= data_i[15:12] == 4'd4 ? data_i[7:2] : {data_i[11:8], data_i[7:6]};
      if (found) held_q <= qid_q;
      if (rst) begin
        wait_q   <= 1'b0;
        second_q <= 1'b0;
      end else begin
        if (found) wait_q <= one;
        else if (take_o) wait_q <= 1'b0;
        if (!in_data_q) second_q <= zero_q;
        else if (zero_q || last_q) second_q <= 1'b0;
      end
    end
    assign qid_o        = held_q;
    assign dscp_valid_o = v4_q || v6_q;
    assign dscp_o       = dscp_q;
    logic unused;
    assign unused = ^{data_i[47:32], data_i[1:0]};
  end
endmodule
`default_nettype wire
