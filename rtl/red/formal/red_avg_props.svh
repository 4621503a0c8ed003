// What is proved of the average: with one packet per clock, forwarded past the memory or not, it is what a plain
// read-modify-write gives, which knows no pipeline. Of an arbitrary queue: so of all.
// Only where this module is looked at by itself: its assumptions are of its surroundings.
`ifdef FV_RED_AVG
logic f_past = 1'b0, f_valid = 1'b0, f_clear = 1'b0;
logic [Queue-1:0] f_before;                          // the queue of the packet before, or the one that was cleared
always_ff @(posedge clk) begin
  f_past   <= 1'b1;
  f_valid  <= valid_i;
  f_clear  <= clear_i;
  f_before <= qid_i;
end

(* anyconst *) wire [Queue-1:0] f_queue;
(* hierconn *) wire [Queue-1:0] \u_acc.f_addr ;
(* hierconn *) wire [Acc-1:0] \u_acc.f_value ;
always_comb begin
  assume (f_queue == \u_acc.f_addr );
  // the core's part: one thing at a time, and it says which packet follows one of its own queue
  assume (!(valid_i && clear_i));
  assume (!valid_i || fwd_i == (f_valid && f_before == qid_i));
  assume (!fwd_i || valid_i);
  if (SPACED) assume (!(valid_i && f_valid && f_before == qid_i));
  assume (!rest_i);
  // a queue whose packet follows its clearing at once was clear before that, too
  assume (!(valid_i && f_clear && f_before == qid_i && qid_i == f_queue) || \u_acc.f_value == 0);
end

// SPEC.md, "Average", as it stands there
function automatic logic [Acc-1:0] f_plain(input logic [Acc-1:0] before, input logic [11:0] q);
  logic signed [22:0] up;
  up = {1'b0, q, 10'd0} - 23'(before);
  if (PAPER) f_plain = before + Acc'(up >>> W);
  else f_plain = before + Acc'({q, 10'd0}) - (before >> W);
endfunction

logic f_known = 1'b0;                                // since the queue was cleared
logic [Acc-1:0] f_acc, f_next;
logic [22:0] f_shown = '0;                              // whether the packet in s2 is of that queue, and its average
logic [22:0] f_shown_s3 = '0;
assign f_next = f_plain(f_acc, qlen_i);
always_ff @(posedge clk) begin
  f_shown    <= {f_known && valid_i && qid_i == f_queue, f_next[Acc-1-:22]};
  f_shown_s3 <= f_shown;
  if (qid_i == f_queue && clear_i) begin
    f_known <= 1'b1;
    f_acc   <= '0;
  end else if (qid_i == f_queue && valid_i) f_acc <= f_next;
end

// how it can be: the average stays below the longest queue there is, which keeps every sum within its bits
logic [Acc-1:0] f_stored;
assign f_stored = we_q && qid_q == f_queue ? acc : \u_acc.f_value ;

always @(posedge clk) if (f_past) begin
  forwarding_is_plain: assert (!f_shown_s3[22] || avg_o == f_shown_s3[21:0]);
  forwarding_stores_plain: assert (!f_known || f_stored == f_acc);
  lemma_average_bounded: assert (!f_known || f_acc[Acc-1-:22] <= 22'd4193280);
  lemma_average_before: assert (we_q == (f_valid || f_clear) && (!we_q || qid_q == f_before));
  lemma_average_clear: assert (!f_clear || acc == 0);
  lemma_average_s2: assert (!f_shown[22] || (we_q && acc[Acc-1-:22] == f_shown[21:0]));
  cover_three_in_a_row: cover (f_shown_s3[22] && f_shown[22] && valid_i && qid_i == f_queue && f_acc[Acc-1-:22] > 22'd5000);
  cover_between_others: cover (f_shown_s3[22] && !f_shown[22] && f_valid && valid_i && qid_i == f_queue);
end
`endif
