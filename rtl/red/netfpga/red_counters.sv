// Packets by queue and by what became of them: passed, dropped early, dropped by force. 32 bits
// each; they wrap.
//
// One table of 24 counts in distributed RAM with one adder: a decision reads its count, and the
// clock after writes one more. Decisions of one queue are never in consecutive clocks here
// (SPACED), so none is lost. `clear_i` sets the count of `clear_addr_i` to 0: whoever resets the
// registers walks through all 32 addresses.
`default_nettype none
module red_counters (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        clear_i,
  input  wire logic [4:0]  clear_addr_i,
  input  wire logic        valid_i,         // a decision
  input  wire logic [2:0]  qid_i,
  input  wire logic        drop_i,
  input  wire logic [1:0]  region_i,
  input  wire logic [4:0]  addr_i,          // {0 passed, 1 early, 2 forced; queue}
  output logic      [31:0] count_o
);
  (* ram_style = "distributed" *) logic [31:0] mem [32];
  logic        event_q, write_q;
  logic [4:0]  addr_q, write_addr_q;
  logic [31:0] count_q;

  always_ff @(posedge clk) begin
    event_q      <= valid_i && !rst;
    addr_q       <= {drop_i && region_i == 2'd2, drop_i && region_i != 2'd2, qid_i};
    write_q      <= event_q && !rst;
    write_addr_q <= addr_q;
    count_q      <= mem[addr_q];
  end

  logic        we;
  logic [4:0]  we_addr;
  logic [31:0] we_data;
  assign we      = clear_i || write_q;
  assign we_addr = clear_i ? clear_addr_i : write_addr_q;
  assign we_data = clear_i ? 32'd0 : count_q + 32'd1;
  always_ff @(posedge clk) if (we) mem[we_addr] <= we_data;

  assign count_o = mem[addr_i];
endmodule
`default_nettype wire
