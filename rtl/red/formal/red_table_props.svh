// An arbitrary entry is shown to the properties of the modules around.
(* anyconst *) wire [Address-1:0] f_addr;
(* keep *) wire [Bits-1:0] f_value;
assign f_value = table_q[f_addr];
