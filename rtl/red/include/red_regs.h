/* The registers of the RED module. Made from registers.toml by `python -m dumbbell.rtl.registers`: edit that. */
#ifndef RED_REGS_H
#define RED_REGS_H

/* Offsets are words from the beginning of the block; a host addresses bytes. */
#define RED_REG_ADDRESS_BITS 9
#define RED_REG_BYTES(base, offset) ((base) + 4u * (offset))
#define RED_REG_MAGIC 0x52454401u

/* Minimum threshold: below it nothing is dropped. rw, 22 bits, 1/1024 packets. */
#define RED_REG_MIN 0x000u
#define RED_REG_MIN_AT(cls, queue) (RED_REG_MIN + 8u * (cls) + (queue))
#define RED_REG_MIN_MASK 0x3fffffu

/* Maximum threshold: from it on everything is dropped. Less than 256 packets above the minimum. rw, 22 bits, 1/1024 packets. */
#define RED_REG_MAX 0x020u
#define RED_REG_MAX_AT(cls, queue) (RED_REG_MAX + 8u * (cls) + (queue))
#define RED_REG_MAX_MASK 0x3fffffu

/* floor(max_p x 2^33 / (max - min)), 18 bits; with CONSTANT the probability itself, 21 bits. Reads what was written, not what Adaptive RED made of it. rw, 21 bits, 2^-33 per 1/1024 packet; 2^-21 with CONSTANT. */
#define RED_REG_SLOPE 0x040u
#define RED_REG_SLOPE_AT(cls, queue) (RED_REG_SLOPE + 8u * (cls) + (queue))
#define RED_REG_SLOPE_MASK 0x1fffffu

/* Lower target of Adaptive RED: an average below it makes the slope less. Only with ADAPT. rw, 22 bits, 1/1024 packets. */
#define RED_REG_LOWER 0x060u
#define RED_REG_LOWER_AT(cls, queue) (RED_REG_LOWER + 8u * (cls) + (queue))
#define RED_REG_LOWER_MASK 0x3fffffu

/* Upper target of Adaptive RED: an average above it makes the slope more. Only with ADAPT. rw, 22 bits, 1/1024 packets. */
#define RED_REG_UPPER 0x080u
#define RED_REG_UPPER_AT(cls, queue) (RED_REG_UPPER + 8u * (cls) + (queue))
#define RED_REG_UPPER_MASK 0x3fffffu

/* Disabled, nothing is dropped; averages go on. rw, 1 bits, bit 0: enable. */
#define RED_REG_CONTROL 0x0e0u
#define RED_REG_CONTROL_MASK 0x1u

/* Sets the random draw; 0 is taken as 1. Reads what was written last. rw, 21 bits, state. */
#define RED_REG_DRAW 0x0e1u
#define RED_REG_DRAW_MASK 0x1fffffu

/* Adaptive RED: a slope's increase for an interval. rw, 18 bits, as slope. */
#define RED_REG_ALPHA 0x0e2u
#define RED_REG_ALPHA_MASK 0x3ffffu

/* Adaptive RED: a slope that is not above it is not made less. rw, 18 bits, as slope. */
#define RED_REG_LEAST 0x0e3u
#define RED_REG_LEAST_MASK 0x3ffffu

/* Adaptive RED: a slope that is not below it is not made more. rw, 18 bits, as slope. */
#define RED_REG_LARGEST 0x0e4u
#define RED_REG_LARGEST_MASK 0x3ffffu

/* Average after the queue's last decision. ro, 22 bits, 1/1024 packets. */
#define RED_REG_AVG 0x100u
#define RED_REG_AVG_AT(queue) (RED_REG_AVG + (queue))
#define RED_REG_AVG_MASK 0x3fffffu

/* Packets in the queue now. ro, 12 bits, packets. */
#define RED_REG_QLEN 0x108u
#define RED_REG_QLEN_AT(queue) (RED_REG_QLEN + (queue))
#define RED_REG_QLEN_MASK 0xfffu

/* Packets let in; wraps. ro, 32 bits, packets. */
#define RED_REG_PASSED 0x120u
#define RED_REG_PASSED_AT(queue) (RED_REG_PASSED + (queue))
#define RED_REG_PASSED_MASK 0xffffffffu

/* Packets dropped by the draw; wraps. ro, 32 bits, packets. */
#define RED_REG_EARLY 0x128u
#define RED_REG_EARLY_AT(queue) (RED_REG_EARLY + (queue))
#define RED_REG_EARLY_MASK 0xffffffffu

/* Packets dropped because the average was not below the maximum; wraps. ro, 32 bits, packets. */
#define RED_REG_FORCED 0x130u
#define RED_REG_FORCED_AT(queue) (RED_REG_FORCED + (queue))
#define RED_REG_FORCED_MASK 0xffffffffu

/* What answers here: the letters RED, and the version of this map. ro, 32 bits. */
#define RED_REG_ID 0x140u
#define RED_REG_ID_MASK 0xffffffffu

/* Bit 0 PAPER, 1 CONSTANT, 2 GAP, 3 IDLE, 4 ADAPT, 5 WRED, 6 COUNTERS; [12:8] W. ro, 13 bits, bits. */
#define RED_REG_OPTIONS 0x141u
#define RED_REG_OPTIONS_MASK 0x1fffu

/* Half a half-life of an idle queue's average. Only with IDLE. At least 1. rw, 32 bits, clocks. */
#define RED_REG_IDLE_PERIOD 0x142u
#define RED_REG_IDLE_PERIOD_MASK 0xffffffffu

/* Interval of Adaptive RED, 0.5 s at 125 MHz. Only with ADAPT. At least 1. rw, 32 bits, clocks. */
#define RED_REG_ADAPT_PERIOD 0x143u
#define RED_REG_ADAPT_PERIOD_MASK 0xffffffffu

/* Class of a DSCP. Only with WRED. rw, 2 bits, class. */
#define RED_REG_CLASS 0x180u
#define RED_REG_CLASS_AT(dscp) (RED_REG_CLASS + (dscp))
#define RED_REG_CLASS_MASK 0x3u

#endif /* RED_REGS_H */
