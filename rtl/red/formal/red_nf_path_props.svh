// What is proved of the way of packets through the NetFPGA module, with any core in it (red_core_any.sv).
logic f_past = 1'b0, f_was_rdy = 1'b0;
always_ff @(posedge clk) begin
  f_past    <= 1'b1;
  f_was_rdy <= in_rdy && !rst;
end
always_comb if (!f_past) assume (rst);

// The sender writes while in_rdy is high and in the clock after it fell, as the modules of the reference design do.
always_comb if (f_past) assume (!in_wr || (!rst && (in_rdy || f_was_rdy)));

// Packets, told apart by a reading of their own, numbered; and their verdicts, counted where they come.
logic       f_begun = 1'b0, f_in_data = 1'b0, f_last, f_verdict;
logic [5:0] f_packets = '0, f_given = '0, f_taken = '0, f_number;
assign f_last    = f_in_data && in_ctrl != 8'h00;
assign f_number  = f_packets + 6'(!f_begun);         // of the packet that a word now written belongs to
assign f_verdict = valid_o || bypass_q[CoreLatency];
always_ff @(posedge clk) begin
  if (rst) begin
    {f_begun, f_in_data} <= 2'b00;
    {f_packets, f_given, f_taken} <= '0;
  end else begin
    if (in_wr) begin
      f_begun   <= !f_last;
      f_in_data <= !f_last && (f_in_data || in_ctrl == 8'h00);
      f_packets <= f_number;
    end
    if (f_verdict) f_given <= f_given + 6'd1;
    if (verdict_rd) f_taken <= f_taken + 6'd1;
  end
end

// (That its data are unchanged is proved of FIFO and processor alone.) An arbitrary packet is watched: the verdict with its number, and an arbitrary word of it, until that left the FIFO.
(* anyseq *) wire f_pick_packet, f_pick_word;
logic        f_watch = 1'b0, f_picks, f_judged = 1'b0, f_drop, f_on = 1'b0, f_done = 1'b0, f_out = 1'b0;
logic [5:0]  f_mine;                                 // its number
logic [7:0]  f_ctrl;
logic [4:0]  f_count = '0, f_ahead;                  // words in the FIFO; those before the one that is watched
assign f_picks = in_wr && f_pick_word && !f_done && !f_on &&
                 (f_watch ? f_number == f_mine : !f_begun && f_pick_packet);
always_ff @(posedge clk) begin
  f_out <= !rst && f_on && fifo_rd && f_ahead == 0;
  if (rst) begin
    {f_watch, f_judged, f_on, f_done} <= '0;
    f_count <= '0;
  end else begin
    f_count <= f_count + 5'(in_wr) - 5'(fifo_rd);
    if (!f_watch && in_wr && !f_begun && f_pick_packet) begin
      f_watch <= 1'b1;
      f_mine  <= f_number;
    end
    if (f_watch && f_verdict && f_given + 6'd1 == f_mine) begin
      f_judged <= 1'b1;
      f_drop   <= valid_o && drop_o;
    end
    if (f_picks) begin
      f_on    <= 1'b1;
      f_ctrl  <= in_ctrl;
      f_ahead <= f_count - 5'(fifo_rd);
    end else if (f_on && fifo_rd) begin
      f_ahead <= f_ahead - 5'd1;
      f_on    <= f_ahead != 0;
      f_done  <= f_ahead == 0;
    end
  end
end

logic f_took = 1'b0, f_passed = 1'b0;
always_ff @(posedge clk) begin
  f_took   <= take_q && !rst;
  f_passed <= !rst && (f_passed || (f_out && !f_drop && in_rdy));
end
always @(posedge clk) if (f_past) begin
  judged_before_it_leaves: assert (!f_out || f_judged);
  dropped_packet_writes_no_word: assert (!(f_out && f_drop) || !out_wr);
  kept_packet_writes_every_word: assert (!(f_out && !f_drop) || (out_wr && out_ctrl == f_ctrl));
  one_verdict_a_packet: assert (f_given <= f_packets && f_taken <= f_given);
  one_way_to_a_verdict: assert (!(valid_o && bypass_q[CoreLatency]));
  never_next_to_each_other: assert (!(take_q && f_took));      // what SPACED promises the core
  cover_whole_drop: cover (f_out && f_drop && f_ctrl != 8'h00 && f_mine == 6'd2);
  cover_whole_pass: cover (f_out && !f_drop && f_ctrl == 8'h00 && f_mine == 6'd2);
  cover_last_after_drop: cover (f_out && !f_drop && f_mine == 6'd2 && f_taken == 6'd2);
end
