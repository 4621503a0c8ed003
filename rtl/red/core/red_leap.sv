// The draw's leap in sound mode (SPEC.md, "Draw"): 32 steps of the register at once, combinational.
//
// Written by leap.py, which says how; 39 parities of at most four terms, shared by the 21 of the result.
`default_nettype none
module red_leap (
  input  wire logic [20:0] draw_i,
  output logic [20:0]      draw_o
);
  logic [20:0] s;

  assign s = draw_i;

  logic t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11,
        t12, t13, t14, t15, t16, t17, t18, t19, t20, t21, t22, t23,
        t24, t25, t26, t27, t28, t29, t30, t31, t32, t33, t34, t35,
        t36, t37, t38;
  assign t0 = s[6] ^ s[9] ^ s[10] ^ s[15];
  assign t1 = s[2] ^ s[4] ^ s[5] ^ s[14];
  assign t2 = s[7] ^ s[11] ^ s[19];
  assign t3 = s[3] ^ s[12] ^ s[13];
  assign t4 = s[1] ^ s[4] ^ s[16];
  assign t5 = s[6] ^ s[10] ^ s[16] ^ s[17];
  assign t6 = s[2] ^ s[5] ^ s[8] ^ s[20];
  assign t7 = s[5] ^ s[18] ^ t0;
  assign t8 = s[0] ^ s[1] ^ s[3] ^ s[18];
  assign t9 = s[0] ^ s[8] ^ s[18] ^ t1;
  assign t10 = s[0] ^ s[10] ^ s[12] ^ s[20];
  assign t11 = s[9] ^ s[11] ^ s[13] ^ s[19];
  assign t12 = s[3] ^ s[12] ^ s[17] ^ t0;
  assign t13 = s[14] ^ s[20] ^ t3;
  assign t14 = s[14] ^ s[17] ^ t4;
  assign t15 = s[1] ^ s[13] ^ t1 ^ t2;
  assign t16 = s[8] ^ s[12] ^ s[17];
  assign t17 = s[4] ^ s[20] ^ t2 ^ t16;
  assign t18 = s[11] ^ s[12] ^ t5 ^ t6;
  assign t19 = s[8] ^ t3 ^ t4;
  assign t20 = s[2] ^ s[9] ^ s[15] ^ t10;
  assign t21 = s[11] ^ t12;
  assign t22 = s[0] ^ s[6] ^ s[17] ^ t13;
  assign t23 = s[5] ^ s[9] ^ s[15] ^ t14;
  assign t24 = s[3] ^ s[5] ^ t0 ^ t4;
  assign t25 = s[7] ^ s[10] ^ s[11] ^ t19;
  assign t26 = s[15] ^ s[16] ^ t6 ^ t8;
  assign t27 = s[0] ^ s[17] ^ s[19] ^ t19;
  assign t28 = s[1] ^ s[2] ^ s[4] ^ t2;
  assign t29 = s[9] ^ s[18] ^ s[20] ^ t5;
  assign t30 = s[6] ^ s[16] ^ t9;
  assign t31 = s[10] ^ s[11] ^ t8;
  assign t32 = s[2] ^ s[16] ^ s[17] ^ t7;
  assign t33 = s[0] ^ s[7] ^ t21;
  assign t34 = s[1] ^ s[7] ^ t1 ^ t10;
  assign t35 = s[3] ^ s[18] ^ t2 ^ t5;
  assign t36 = t11 ^ t16;
  assign t37 = s[3] ^ t0;
  assign t38 = s[4] ^ s[7] ^ t18;
  assign draw_o[0] = s[8] ^ t23;
  assign draw_o[1] = t32;
  assign draw_o[2] = t35;
  assign draw_o[3] = s[18] ^ t17;
  assign draw_o[4] = s[19] ^ t20;
  assign draw_o[5] = s[11] ^ t26;
  assign draw_o[6] = t7 ^ t27;
  assign draw_o[7] = t15 ^ t29;
  assign draw_o[8] = t2 ^ t22;
  assign draw_o[9] = t34;
  assign draw_o[10] = s[6] ^ t31;
  assign draw_o[11] = s[12] ^ t28;
  assign draw_o[12] = t3 ^ t6;
  assign draw_o[13] = t9 ^ t37;
  assign draw_o[14] = t2 ^ t24;
  assign draw_o[15] = t38;
  assign draw_o[16] = s[2] ^ t33;
  assign draw_o[17] = s[18] ^ t25;
  assign draw_o[18] = t1 ^ t36;
  assign draw_o[19] = t7 ^ t13;
  assign draw_o[20] = t2 ^ t30;
endmodule
`default_nettype wire
