// What is proved of uniform gaps: with one packet per clock the credit is what a plain read-modify-write gives.
// Only where this module is looked at by itself: its assumptions are of its surroundings.
`ifdef FV_RED_GAP
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;

(* anyconst *) wire [Queue-1:0] f_queue;
(* hierconn *) wire [Queue-1:0] \u_credit.f_addr ;
(* hierconn *) wire [20:0] \u_credit.f_value ;
always_comb begin
  assume (f_queue == \u_credit.f_addr );
  assume (region_i != 2'd3);
  // nothing is accepted while tables are cleared, so that the first packet read its credit after that
  assume (!(valid_i && (clear_i || f_cleared)));
end

// SPEC.md, "Drop": p is limited first, then paid
logic [20:0] f_p, f_credit;
logic f_known = 1'b0, f_hit;
assign f_p   = p_i > 24'h1fffff ? 21'h1fffff : p_i[20:0];
assign f_hit = f_credit < f_p;
always_ff @(posedge clk) begin
  if (clear_i && clear_qid_i == f_queue) begin
    f_known  <= 1'b1;
    f_credit <= '1;
  end else if (valid_i && qid_q == f_queue) f_credit <= region_i == 2'd1 && !f_hit ? f_credit - f_p : draw_i;
end

logic f_cleared = 1'b0;
always_ff @(posedge clk) f_cleared <= clear_i;
always @(posedge clk) if (f_past) begin
  credit_is_plain: assert (!(f_known && valid_i && qid_q == f_queue) || drop_o == (region_i == 2'd2 || (region_i == 2'd1 && f_hit)));
  lemma_credit_stored: assert (!f_known || \u_credit.f_value == f_credit);
  lemma_credit_read: assert (!f_known || f_cleared || qid_q != f_queue || credit_q == f_credit);
  cover_paid_twice: cover (f_known && valid_i && qid_q == f_queue && region_i == 2'd1 && f_hit && f_credit < 21'h100000 && f_credit > 0);
end
`endif
