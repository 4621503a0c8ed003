// What is proved of the counts, for an arbitrary queue: they are plain arithmetic, whatever pulses come, and they are right as
// long as the output queues keep the contract (SPEC.md, "Queue lengths").
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);

(* anyconst *) wire [2:0] f_k;
logic [1:0]  f_in, f_out;
logic [11:0] f_count;
assign f_in    = 2'(keep_i && keep_qid_i == f_k) + 2'(passed_i[f_k]);
assign f_out   = 2'(removed_i[f_k]) + 2'(dropped_i[f_k]);
assign f_count = counts_o[12*f_k+:12];

// the same a clock later; and packets that are in the queue, if no pulse came for a packet that was not there
logic signed [13:0] f_change = '0, f_sum;
logic [11:0] f_plain = '0;
logic [12:0] f_truth = '0, f_before = '0;
logic        f_kept = 1'b1;
assign f_sum = $signed({2'b00, f_plain}) + f_change;
always_ff @(posedge clk) begin
  f_change <= $signed({12'd0, f_in}) - $signed({12'd0, f_out});
  f_plain  <= f_sum < 0 ? 12'd0 : f_sum > 4095 ? f_plain : f_sum[11:0];
  f_before <= f_truth;
  f_truth  <= f_truth + f_in - f_out;
  f_kept   <= f_kept && f_out <= f_truth + f_in && f_truth + f_in - f_out <= 4095;
  if (rst) begin
    f_change <= '0;
    f_plain  <= '0;
    f_before <= '0;
    f_truth  <= '0;
    f_kept   <= 1'b1;
  end
end

always @(posedge clk) if (f_past) begin
  count_is_plain: assert (f_count == f_plain);
  count_is_the_truth: assert (!f_kept || {1'b0, f_count} == f_before);
  lemma_count_truth: assert (!f_kept || (f_truth <= 4095 && f_before <= 4095 && {1'b0, f_before} + f_change == {1'b0, f_truth}));
  cover_count_two_in: cover (f_kept && f_change == 2);
  cover_count_empties: cover (!f_kept && f_plain == 0 && f_change == -2);
end
