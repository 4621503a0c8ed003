// What is proved of the core from outside, for an arbitrary entry (class and queue), with registers written in between
// as the contract allows. What a packet's average was says `avg_o`; that it is the right one says red_avg_props.
localparam int Latency = 6 + Front;
logic f_past = 1'b0;
always_ff @(posedge clk) f_past <= 1'b1;
always_comb if (!f_past) assume (rst);

// packets on their way: the last accepted one first
logic [Latency-1:0] f_valid = '0;
logic [3*Latency-1:0] f_qid;
logic [Latency-1:0] f_watched = '0;
(* anyconst *) wire [Entry-1:0] f_entry;
always_ff @(posedge clk) begin
  f_valid   <= rst ? '0 : {f_valid[Latency-2:0], take};
  f_watched <= rst ? '0 : {f_watched[Latency-2:0], take && entry == f_entry};
  f_qid     <= {f_qid[3*Latency-4:0], qid_i};
end
always_comb begin
  assume (!valid_i || qid_i < NQ);
  // registers are written while nothing is on its way
  assume (!cfg_we_i || !(valid_i || f_valid != 0));
end

// its thresholds and the control register, as written
logic [21:0] f_min, f_max;
logic f_enable, f_write;
assign f_write = cfg_we_i && ready && {cfg_addr_i[3+:2], cfg_addr_i[Queue-1:0]} == {Class == 0 ? cfg_addr_i[3+:2] : f_class, f_entry[Queue-1:0]};
logic [1:0] f_class;
if (Class == 0) begin : g_f_class_one
  assign f_class = 2'd0;
end else begin : g_f_classes
  assign f_class = f_entry[Queue+:2];
end
always_ff @(posedge clk) begin
  if (rst) begin
    f_min    <= DEF_MIN;
    f_max    <= DEF_MAX;
    f_enable <= 1'b1;
  end else begin
    if (f_write && cfg_addr_i[7:5] == 3'd0) f_min <= cfg_data_i[21:0];
    if (f_write && cfg_addr_i[7:5] == 3'd1) f_max <= cfg_data_i[21:0];
    if (cfg_we_i && ready && cfg_addr_i == 8'hE0) f_enable <= cfg_data_i[0];
  end
end

// the tables have them, but for a write in its second clock, and once they are cleared
(* hierconn *) wire [Entry-1:0] \u_min.f_addr , \u_max.f_addr ;
(* hierconn *) wire [21:0] \u_min.f_value , \u_max.f_value ;
(* hierconn *) wire [Entry:0] \u_cfg.count_q ;
(* hierconn *) wire [3:0] \u_cfg.control_q ;
(* hierconn *) wire \u_cfg.ready_q ;
always_comb assume (f_entry == \u_min.f_addr && f_entry == \u_max.f_addr );
logic f_cleared, f_queue_mine;
assign f_cleared    = ready || \u_cfg.count_q > {1'b0, f_entry} + 1'b1;
assign f_queue_mine = cfg_entry == f_entry;

// pure guess work is not needed: whatever the probability is, these hold
logic f_mine;
assign f_mine = f_watched[Latency-1];
always @(posedge clk) if (f_past) begin
  never_below_minimum: assert (!(f_mine && avg_o < f_min) || !drop_o);
  always_above_maximum: assert (!(f_mine && f_enable && avg_o >= f_max && avg_o >= f_min) || drop_o);
  region_follows_average:
    assert (!f_mine || region_o == (!f_enable || avg_o < f_min ? 2'd0 : avg_o < f_max ? 2'd1 : 2'd2));
  disabled_never_drops: assert (!(f_mine && !f_enable) || !drop_o);
  a_decision_a_packet: assert (valid_o == f_valid[Latency-1]);
  decisions_keep_order: assert (!valid_o || qid_o[Queue-1:0] == f_qid[3*Latency-3+:Queue]);
  forwards_as_promised: assert (!(valid_s1_q && !clear_s1_q) ||
                                same_s1_q == (valid_s2_q && entry_s1_q[Queue-1:0] == entry_s2_q[Queue-1:0]));
  clears_before_ready: assert (!(valid_s1_q && clear_s1_q));
  lemma_minimum: assert (!f_cleared || (clear && f_queue_mine) || f_min == (cfg_we[0] && f_queue_mine ? cfg_data : \u_min.f_value ));
  lemma_maximum: assert (!f_cleared || (clear && f_queue_mine) || f_max == (cfg_we[1] && f_queue_mine ? cfg_data : \u_max.f_value ));
  lemma_enable: assert (!ready || f_enable == (\u_cfg.control_q [0] ? cfg_data[0] : enable));
  lemma_cleared: assert (!clear || (cfg_data == 0 && f_min == DEF_MIN && f_max == DEF_MAX && f_enable && enable));
  lemma_on_their_way: assert (ready || f_valid == 0);
  cover_random_drop: cover (f_mine && drop_o && region_o == 2'd1);
  cover_forced_drop: cover (f_mine && drop_o && region_o == 2'd2);
  cover_rewritten: cover (f_mine && f_min == 22'd3 && avg_o < f_min && f_valid[Latency-2]);
end
