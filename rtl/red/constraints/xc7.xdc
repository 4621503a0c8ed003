# Xilinx 7 (Vivado): the clock that the module needs for 10 Gbit/s on 64 bits. Not tried: no open tool of ours places Xilinx.
# In a NetFPGA-1G project (Virtex-II Pro, ISE) the platform's own constraints hold the module at 125 MHz.
create_clock -name clk -period 6.400 [get_ports clk]
