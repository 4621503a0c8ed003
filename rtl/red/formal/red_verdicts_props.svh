// What is proved of the verdicts' queue: it has no flag for full, because it never is.
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);
logic [AW:0] f_count = '0;
always_ff @(posedge clk) begin
  if (rst) f_count <= '0;
  else f_count <= f_count + (AW + 1)'(wr_i) - (AW + 1)'(rd_i);
end
always @(posedge clk) if (f_past) begin
  verdicts_never_overflow: assert (rst || f_count < DEPTH);
  verdicts_never_underflow: assert (rst || !(rd_i && f_count == 0));
  verdicts_known: assert (rst || valid_o == (f_count != 0));
end
