// What is proved of the AXI4-Stream module, with any core in it (red_core_any.sv). Nothing is assumed of the sender but a reset
// at the beginning.
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);

// ---- the output's side of the bus
logic [Width-1:0] f_payload, f_held;
logic             f_stalled = 1'b0;
assign f_payload = {m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata};
always_ff @(posedge clk) begin
  f_stalled <= !rst && m_axis_tvalid && !m_axis_tready;
  f_held    <= f_payload;
end

// ---- packets and their verdicts, numbered
logic       f_begun = 1'b0, f_verdict;
logic [5:0] f_packets = '0, f_given = '0, f_taken = '0, f_number;
assign f_number  = f_packets + 6'(!f_begun);         // of the packet that a beat now belongs to
assign f_verdict = valid_o || late_q[CoreLatency];
always_ff @(posedge clk) begin
  if (beat) begin
    f_begun   <= !s_axis_tlast;
    f_packets <= f_number;
  end
  if (f_verdict) f_given <= f_given + 6'd1;
  if (verdict_rd) f_taken <= f_taken + 6'd1;
  if (rst) begin
    f_begun <= 1'b0;
    {f_packets, f_given, f_taken} <= '0;
  end
end

// ---- an arbitrary beat of an arbitrary packet, until it left the FIFO, and its packet's verdict
(* anyseq *) wire f_pick_packet, f_pick_beat;
logic             f_watch = 1'b0, f_picks, f_judged = 1'b0, f_drop, f_on = 1'b0, f_done = 1'b0, f_left = 1'b0, f_read = 1'b0;
logic [5:0]       f_mine;
logic [Width-1:0] f_beat;
logic [4:0]       f_count = '0, f_ahead;             // beats in the FIFO; those before the watched one
assign f_picks = beat && f_pick_beat && !f_done && !f_on && (f_watch ? f_number == f_mine : !f_begun && f_pick_packet);
always_ff @(posedge clk) begin
  f_read  <= !rst && fifo_rd;
  f_left  <= !rst && f_on && fifo_rd && f_ahead == 0;
  f_count <= f_count + 5'(beat) - 5'(fifo_rd);
  if (!f_watch && beat && !f_begun && f_pick_packet) begin
    f_watch <= 1'b1;
    f_mine  <= f_number;
  end
  if (f_watch && f_verdict && f_given + 6'd1 == f_mine) begin
    f_judged <= 1'b1;
    f_drop   <= valid_o && drop_o;
  end
  if (f_picks) begin
    f_on    <= 1'b1;
    f_beat  <= {s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata};
    f_ahead <= f_count - 5'(fifo_rd);
  end else if (f_on && fifo_rd) begin
    f_ahead <= f_ahead - 5'd1;
    f_on    <= f_ahead != 0;
    f_done  <= f_ahead == 0;
  end
  if (rst) begin
    {f_watch, f_judged, f_on, f_done} <= '0;
    f_count <= '0;
  end
end

// ---- packets of an arbitrary queue: in the module, and in the queue, which gives a pulse for each that it had
(* anyconst *) wire [2:0] f_k;
logic       f_into, f_over, f_leaves, f_mine_out, f_mine_out_q, f_out_begun = 1'b0, f_flooded = 1'b0, f_kept = 1'b1;
logic [1:0] f_out;
logic [5:0] f_inside = '0, f_inside_q = '0, f_waiting = '0, f_waiting_q = '0;
assign f_into     = beat && !f_begun && s_axis_tuser[DST_POS+f_k];
assign f_over     = valid_o && drop_o && qid_o == f_k;
assign f_mine_out = f_out_begun ? f_mine_out_q : m_axis_tuser[DST_POS+f_k];
assign f_leaves   = m_axis_tvalid && m_axis_tready && m_axis_tlast && f_mine_out;
assign f_out      = 2'(pkt_removed[f_k]) + 2'(pkt_dropped[f_k]);
always_ff @(posedge clk) begin
  if (m_axis_tvalid && m_axis_tready) begin
    f_out_begun  <= !m_axis_tlast;
    f_mine_out_q <= f_mine_out;
  end
  f_inside    <= f_inside + 6'(f_into) - 6'(f_over) - 6'(f_leaves);
  f_waiting   <= f_waiting + 6'(f_leaves) - 6'(f_out);
  f_kept      <= f_kept && f_out <= f_waiting;
  f_flooded   <= f_flooded || passed_q[f_k];
  f_inside_q  <= f_inside;
  f_waiting_q <= f_waiting;
  if (rst) begin
    {f_out_begun, f_flooded} <= 2'b00;
    {f_inside, f_waiting, f_inside_q, f_waiting_q} <= '0;
    f_kept <= 1'b1;
  end
end
logic [11:0] f_counted;
assign f_counted = counts_o[12*f_k+:12];

always @(posedge clk) if (f_past) begin
  stalled_beat_stays: assert (!f_stalled || (m_axis_tvalid && f_payload == f_held));
  new_beat_was_read: assert (f_stalled || !m_axis_tvalid || f_read);
  judged_before_it_leaves: assert (!f_left || f_judged);
  dropped_packet_writes_no_beat: assert (!(f_left && f_drop) || !m_axis_tvalid || f_stalled);
  kept_packet_writes_every_beat: assert (!(f_left && !f_drop) || (m_axis_tvalid && !f_stalled && f_payload == f_beat));
  one_verdict_a_packet: assert (f_given <= f_packets && f_taken <= f_given);
  one_way_to_a_verdict: assert (!(valid_o && late_q[CoreLatency]));
  count_at_least_the_queue: assert (!f_kept || f_counted >= {6'd0, f_waiting_q});
  count_at_most_with_the_module: assert (!f_kept || f_counted <= {6'd0, f_waiting_q} + {6'd0, f_inside_q});
  cover_stream_full: cover (f_count == DEPTH - 2);     // as full as it gets
  cover_stalled: cover (f_stalled && f_count > 1);
  cover_whole_drop: cover (f_left && f_drop && f_beat[Width-1] && f_mine == 6'd2);
  cover_whole_pass: cover (f_left && !f_drop && !f_beat[Width-1] && f_mine == 6'd2);
  cover_last_after_drop: cover (f_left && !f_drop && f_mine == 6'd2 && f_taken == 6'd2);
  cover_flooded_left: cover (f_kept && f_flooded && f_waiting_q == 6'd2 && f_out != 0);
end
