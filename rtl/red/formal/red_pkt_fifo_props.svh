// What is proved of the FIFO; read into it (FORMAL). Alone, its user's promises are assumed; within the module around
// it they are proved.
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);

// An arbitrary word is watched, from when it is written until it is read.
(* anyseq *) wire f_pick;
logic             f_on = 1'b0;
logic [AW:0]      f_ahead;               // words before it
logic [WIDTH-1:0] f_word;
always_ff @(posedge clk) begin
  if (rst) f_on <= 1'b0;
  else if (!f_on) begin
    f_on    <= wr_i && f_pick;
    f_ahead <= count_q - (AW + 1)'(rd_i);
    f_word  <= data_i;
  end else if (rd_i) begin
    f_on    <= f_ahead != 0;
    f_ahead <= f_ahead - 1'b1;
  end
end

always @(posedge clk) if (f_past) begin
`ifdef FV_RED_PKT_FIFO
  assume (!(wr_i && !rd_i && count_q == DEPTH) || rst);
  assume (!(rd_i && count_q == 0) || rst);
`else
  fifo_never_overflows: assert (rst || !(wr_i && !rd_i && count_q == DEPTH));
  fifo_never_underflows: assert (rst || !(rd_i && count_q == 0));
`endif
  // in order and whole: the watched word comes when those before it are gone, and is what was written
  fifo_keeps_order: assert (!(f_on && f_ahead == 0) || (!empty_o && data_o == f_word));
  fifo_loses_none: assert (!f_on || f_ahead < count_q);
  fifo_count_within: assert (count_q <= DEPTH);
  lemma_fifo_ends: assert (AW'(tail_q - head) == count_q[AW-1:0]);
  lemma_fifo_place: assert (!f_on || mem[AW'(head + f_ahead[AW-1:0])] == f_word);
  fifo_says_empty: assert (empty_o == (count_q == 0));
  fifo_warns: assert (nearly_full_o == (count_q >= DEPTH - SLACK));
  cover_fifo_full: cover (count_q == DEPTH && f_on && f_ahead == DEPTH - 1);
  cover_fifo_nearly_full: cover (count_q == DEPTH - 1);
  cover_fifo_wraps: cover (f_on && f_ahead == 0 && tail_q < head && rd_i && wr_i);
end
