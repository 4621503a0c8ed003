// The registers' way in (SPEC.md, "Registers"), and the tables' clearing after a reset.
//
// One clock: a write stands at the tables in the clock after. While `ready_o` is low every entry is named once on `entry_o`,
// with `clear_o` and `data_o` = 0, and writes are lost. The draw's register is red_lfsr's own: `load_o` and `data_o`.
`default_nettype none
module red_cfg #(
  parameter int Queue = 3,
  parameter int Class = 0,
  parameter bit IDLE = 0,
  parameter int Address = Queue + Class
) (
  input  wire logic          clk,
  input  wire logic          rst,
  input  wire logic          we_i,
  input  wire logic [7:0]    addr_i,
  input  wire logic [31:0]   data_i,
  output logic               ready_o,
  output logic               clear_o,
  output logic [Address-1:0] clearing_o,
  output logic [4:0]         we_o,
  output logic [Address-1:0] entry_o,
  output logic [21:0]        data_o,
  output logic               load_o,
  output logic               enable_o,
  output logic [17:0]        alpha_o,
  output logic [17:0]        least_o,
  output logic [17:0]        largest_o
);
  red_require #(
    .OK(Queue >= 1 && Queue <= 3),
    .SAYS("red_cfg: Queue must be 1 to 3")
  ) u_require_queue ();
  red_require #(
    .OK(Class == 0 || Class == 2),
    .SAYS("red_cfg: Class must be 0 or 2")
  ) u_require_class ();
  logic ready_q, clear_q, load_q, enable_q;
  logic [Address:0] count_q;
  logic cleared;
  logic [4:0] we_q;
  logic [3:0] control_q;
  logic [Address-1:0] entry_q;
  logic [21:0] data_q;
  logic [17:0] alpha_q, least_q, largest_q;
  logic [Address-1:0] entry;

  if (Class == 0) begin : g_queue
    assign entry = addr_i[Queue-1:0];
  end else begin : g_class_queue
    assign entry = {addr_i[3+:Class], addr_i[Queue-1:0]};
  end

  // One clock more than there are entries: the last one's average is on its way. red_idle reads its copy two clocks before
  // that average would be forwarded, and has to wait for it.
  if (IDLE) begin : g_idle
    logic [1:0] settled_q;
    always_ff @(posedge clk) settled_q <= rst ? '0 : {settled_q[0], count_q[Address]};
    assign cleared = settled_q[1];
  end else begin : g_prompt
    assign cleared = count_q[Address];
  end

  always_ff @(posedge clk) begin
    ready_q <= !rst && cleared;
    count_q <= rst ? '0 : count_q + (Address + 1)'(!count_q[Address]);
    clear_q <= !ready_q;
    entry_q <= ready_q ? entry : count_q[Address-1:0];
    data_q <= ready_q ? data_i[21:0] : '0;
    for (int t = 0; t < 5; t++) we_q[t] <= ready_q && we_i && addr_i[7:5] == 3'(t);
    load_q <= !rst && ready_q && we_i && addr_i == 8'hE1;
    for (int n = 0; n < 4; n++)
      control_q[n] <= !rst && ready_q && we_i && addr_i == (n == 0 ? 8'hE0 : 8'hE1 + 8'(n));
    if (control_q[0]) enable_q <= data_q[0];
    if (control_q[1]) alpha_q <= data_q[17:0];
    if (control_q[2]) least_q <= data_q[17:0];
    if (control_q[3]) largest_q <= data_q[17:0];
    if (rst) begin
      enable_q <= 1'b1;
      alpha_q <= '0;
      least_q <= '0;
      largest_q <= '1;
    end
  end

  assign ready_o = ready_q;
  assign clear_o = clear_q;
  assign clearing_o = count_q[Address-1:0];
  assign we_o = we_q;
  assign entry_o = entry_q;
  assign data_o = data_q;
  assign load_o = load_q;
  assign enable_o = enable_q;
  assign alpha_o = alpha_q;
  assign least_o = least_q;
  assign largest_o = largest_q;

  logic unused;
  assign unused = &{1'b0, data_i[31:22], addr_i};
endmodule
`default_nettype wire
