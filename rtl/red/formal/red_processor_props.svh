// What is proved of the processor: words of a dropped packet are not written, those of a kept one all are.
// Packets are told apart here by a reading of their own: a packet ends with the first word whose ctrl is not 0 after one whose is.
`ifdef FV_RED_PROCESSOR
logic f_past = 1'b0, f_begun = 1'b0, f_in_data = 1'b0, f_verdict = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);

logic f_drop, f_last;
assign f_drop = f_begun ? f_verdict : verdict_drop_i;
assign f_last = f_in_data && word_i[71:64] != 8'h00;
always_ff @(posedge clk) begin
  if (rst) {f_begun, f_in_data} <= 2'b00;
  else if (rd_o) begin
    f_begun   <= !f_last;
    f_in_data <= !f_last && (f_in_data || word_i[71:64] == 8'h00);
    f_verdict <= f_drop;
  end
end

logic [71:0] f_word;
logic        f_read = 1'b0, f_dropped, f_was_ready = 1'b0;
always_ff @(posedge clk) begin
  f_read      <= rd_o && !rst;
  f_dropped   <= f_drop;
  f_word      <= word_i;
  f_was_ready <= out_rdy;
end

always @(posedge clk) if (f_past) begin
  dropped_writes_nothing: assert (!(f_read && f_dropped) || !out_wr);
  kept_writes_all: assert (!(f_read && !f_dropped) || (out_wr && {out_ctrl, out_data} == f_word));
  writes_only_what_was_read: assert (!out_wr || f_read);
  writes_only_when_ready: assert (!out_wr || f_was_ready);
  one_verdict_a_packet: assert (verdict_rd_o == (rd_o && !f_begun));
  waits_for_its_verdict: assert (!(rd_o && !f_begun) || verdict_valid_i);
  reads_only_what_is_there: assert (!(rd_o && empty_i));
  drops_without_waiting: assert (rst || !(!empty_i && f_begun && f_verdict) || rd_o);
  lemma_processor_state: assert (inside_q == f_begun && in_data_q == f_in_data && (!f_begun || drop_q == f_verdict));
  cover_dropped: cover (f_read && f_dropped && f_begun && f_in_data && !out_rdy);
  cover_kept: cover (out_wr && !f_begun);
end
`endif
