// The draw's leap in sound mode (SPEC.md, "Draw"): 32 steps of the register at once, combinational.
//
// Written by leap.py, which says how; 43 parities of at most four terms, shared by the 21 of the result.
`default_nettype none
module red_leap (
  input  wire logic [20:0] draw_i,
  output logic [20:0]      draw_o
);
  logic [20:0] s;
  logic [42:0] t;

  assign s = draw_i;
  assign t[0] = s[6] ^ s[9] ^ s[10] ^ s[15];
  assign t[1] = s[2] ^ s[4] ^ s[5] ^ s[14];
  assign t[2] = s[7] ^ s[11] ^ s[19];
  assign t[3] = s[3] ^ s[12] ^ s[13];
  assign t[4] = s[5] ^ s[16] ^ s[17];
  assign t[5] = s[6] ^ s[16] ^ s[18] ^ t[2];
  assign t[6] = s[1] ^ s[18] ^ t[3];
  assign t[7] = s[1] ^ s[3] ^ s[5] ^ s[16];
  assign t[8] = s[7] ^ s[11] ^ s[12];
  assign t[9] = s[1] ^ s[10] ^ s[20] ^ t[1];
  assign t[10] = s[0] ^ s[2] ^ s[15] ^ s[20];
  assign t[11] = s[4] ^ s[8] ^ t[4];
  assign t[12] = s[5] ^ s[20] ^ t[0];
  assign t[13] = s[0] ^ s[3] ^ t[0];
  assign t[14] = s[9] ^ s[13] ^ s[17];
  assign t[15] = s[8] ^ s[18] ^ t[7] ^ t[10];
  assign t[16] = s[17] ^ s[20] ^ t[2];
  assign t[17] = s[1] ^ s[3] ^ s[6] ^ s[10];
  assign t[18] = t[5] ^ t[9];
  assign t[19] = s[8] ^ s[11] ^ s[12] ^ t[14];
  assign t[20] = s[0] ^ s[19] ^ t[0] ^ t[6];
  assign t[21] = s[2] ^ s[6] ^ t[8] ^ t[11];
  assign t[22] = s[4] ^ s[11] ^ s[16] ^ t[6];
  assign t[23] = s[9] ^ s[14] ^ s[15];
  assign t[24] = s[2] ^ s[5] ^ s[20] ^ t[3];
  assign t[25] = s[4] ^ s[8] ^ s[12] ^ t[16];
  assign t[26] = s[9] ^ s[10] ^ s[12] ^ s[19];
  assign t[27] = s[7] ^ s[8] ^ s[10];
  assign t[28] = s[0] ^ s[6] ^ t[3] ^ t[16];
  assign t[29] = s[4] ^ t[0] ^ t[2];
  assign t[30] = s[1] ^ s[4] ^ s[12] ^ t[2];
  assign t[31] = s[3] ^ s[10] ^ t[5];
  assign t[32] = s[11] ^ s[18];
  assign t[33] = s[2] ^ s[18] ^ t[0];
  assign t[34] = s[8] ^ t[1] ^ t[5];
  assign t[35] = s[1] ^ t[11] ^ t[23];
  assign t[36] = s[8] ^ s[18] ^ t[13];
  assign t[37] = s[18] ^ t[3] ^ t[12];
  assign t[38] = s[10] ^ t[21];
  assign t[39] = s[0] ^ s[7] ^ s[12];
  assign t[40] = s[17] ^ t[8] ^ t[13];
  assign t[41] = t[1] ^ t[19];
  assign t[42] = s[0] ^ t[17] ^ t[32];
  assign draw_o[0] = t[35];
  assign draw_o[1] = t[4] ^ t[33];
  assign draw_o[2] = s[17] ^ t[31];
  assign draw_o[3] = s[18] ^ t[25];
  assign draw_o[4] = t[10] ^ t[26];
  assign draw_o[5] = s[11] ^ t[15];
  assign draw_o[6] = t[11] ^ t[20];
  assign draw_o[7] = t[14] ^ t[18];
  assign draw_o[8] = s[14] ^ t[28];
  assign draw_o[9] = t[9] ^ t[39];
  assign draw_o[10] = t[42];
  assign draw_o[11] = s[2] ^ t[30];
  assign draw_o[12] = s[8] ^ t[24];
  assign draw_o[13] = t[1] ^ t[36];
  assign draw_o[14] = t[7] ^ t[29];
  assign draw_o[15] = s[20] ^ t[38];
  assign draw_o[16] = s[2] ^ t[40];
  assign draw_o[17] = t[22] ^ t[27];
  assign draw_o[18] = s[19] ^ t[41];
  assign draw_o[19] = s[14] ^ t[37];
  assign draw_o[20] = s[0] ^ t[34];
endmodule
`default_nettype wire
