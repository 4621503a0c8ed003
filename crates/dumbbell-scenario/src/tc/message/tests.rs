//! What tc 6.1 gives to the kernel for words, in hexadecimal digits: taken from its `sendmsg`.
use super::message;

/// Words, and the options.
const SENT: &[(&str, &str)] = &[
    (
        "red limit 60000 min 10000 max 30000 avpkt 1000 burst 20 bandwidth 10mbit \
            probability 0.1 ecn harddrop",
        "1400010060ea0000102700003075000004120e000401020000000000000000000000000001010101\
            01010101010101010202020202020202020202020303030303030303030303030404040404040404\
            04040404050505050505050505050506060606060606060606060607070707070707070707070708\
            08080808080808080808080909090909090909090909090a0a0a0a0a0a0a0a0a0a0a0a0b0b0b0b0b\
            0b0b0b0b0b0b0c0c0c0c0c0c0c0c0c0c0c0c0d0d0d0d0d0d0d0d0d0d0d0d0e0e0e0e0e0e0e0e0e0e\
            0e0e0f0f0f0f0f0f0f0f0f0f0f0f1010101010101010101010111111111111111111111111121212\
            1212121212121212121313131313131313131313131414141414141414141414141515151515151f\
            08000300999999190c000400030000000f000000",
    ),
    (
        "choke limit 100 bandwidth 10mbit min 10 max 30 avpkt 1000 burst 20 probability \
            0.1 ecn",
        "14000100640000000a0000001e00000004120e010401020000000000000000000000000001010101\
            01010101010101010202020202020202020202020303030303030303030303030404040404040404\
            04040404050505050505050505050506060606060606060606060607070707070707070707070708\
            08080808080808080808080909090909090909090909090a0a0a0a0a0a0a0a0a0a0a0a0b0b0b0b0b\
            0b0b0b0b0b0b0c0c0c0c0c0c0c0c0c0c0c0c0d0d0d0d0d0d0d0d0d0d0d0d0e0e0e0e0e0e0e0e0e0e\
            0e0e0f0f0f0f0f0f0f0f0f0f0f0f1010101010101010101010111111111111111111111111121212\
            1212121212121212121313131313131313131313131414141414141414141414141515151515151f\
            0800030099999919",
    ),
    (
        "sfb limit 100 max 30 target 25 increment 0.001 decrement 0.0002 penalty_rate 20 \
            penalty_burst 20 rehash 600 db 60",
        "28000100580200003c0000001e00000019000000420000000d000000640000001400000014000000",
    ),
    (
        "codel limit 100 target 4ms interval 30ms ecn ce_threshold 1ms",
        "0800020064000000080003003075000008000100a00f0000080004000100000008000500e8030000",
    ),
    (
        "pie limit 100 target 20ms tupdate 30ms alpha 2 beta 20 ecn bytemode \
            dq_rate_estimator",
        "0800020064000000080003003075000008000100204e000008000400020000000800050014000000\
            080006000100000008000700010000000800080001000000",
    ),
    (
        "fq_codel limit 600 flows 256 quantum 300 memory_limit 4mb target 5ms interval \
            100ms ce_threshold 2ms drop_batch 16",
        "08000200580200000800050000010000080006002c01000008000300a08601000800010088130000\
            08000700d007000008000900000040000800080010000000",
    ),
    (
        "sfq limit 100 flows 100 depth 100 divisor 2048 quantum 3000 perturb 60 headdrop",
        "b80b00003c0000006400000000080000640000006400000001000000000000000000000000000000\
            0000000000000000000000000000000000000000000000000000000000000000",
    ),
    (
        "fq_pie limit 200 flows 256 quantum 1500 memory_limit 8mb target 20ms tupdate 30ms alpha 2 \
            beta 20 ecn_prob 20 ecn bytemode dq_rate_estimator",
        "08000100c8000000080002000001000008000300204e000008000400307500000800050002000000\
            080006001400000008000700dc0500000800080000008000080009001400000008000a0001000000\
            08000b000100000008000c0001000000",
    ),
    (
        "fq limit 1000 flow_limit 40 quantum 1514 initial_quantum 1514 nopacing",
        "08000100e8030000080002002800000008000300ea05000008000400ea0500000800050000000000",
    ),
    ("htb default 1", "18000200030000000a000000010000000000000000000000"),
    ("netem limit 100 delay 5ms", "2d3101006400000000000000000000000000000000000000"),
    ("netem limit 100 loss random 5%", "0000000064000000cdcccc0c000000000000000000000000"),
    (
        "netem limit 100 rate 8mbit",
        "0000000064000000000000000000000000000000000000001400060040420f000000000000000000\
            00000000",
    ),
    (
        "netem limit 100 loss gemodel 1% 20% 90% 2%",
        "0000000064000000000000000000000000000000000000001800058014000200295c8f0233333333\
            9999991952b81e05",
    ),
    ("pfifo limit 100", "64000000"),
    ("bfifo limit 30000", "30750000"),
];

/// Bytes of `struct tc_netem_qopt`.
const NETEM_QOPT: usize = 24;

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Attributes by their kind. Of red's, tc writes flags apart, and the kernel takes both.
fn attributes(options: &[u8], kind: &str) -> Vec<Vec<u8>> {
    const FLAGS: u8 = 4;
    let (mut rest, mut all) = (options, vec![]);
    while rest.len() > 4 {
        let len = usize::from(u16::from_ne_bytes([rest[0], rest[1]]));
        let (mut own, of_red) = (rest[..len].to_vec(), kind == "red");
        rest = &rest[len.next_multiple_of(4)..];
        if of_red && own[2] == FLAGS {
            continue;
        }
        if of_red && own[2] == 1 {
            own.pop();
        }
        all.push(own);
    }
    all.sort_by_key(|attribute| attribute[2]);
    all
}

#[test]
fn words_become_the_options_that_tc_sends() {
    for (words, digits) in SENT {
        let (made, sent) = (message(words).expect(words), bytes(digits));
        // A struct comes first, or attributes do.
        let (kind, whole) = (made.kind.as_str(), sent.len());
        let first = match kind {
            "pfifo" | "bfifo" | "sfq" => whole,
            "netem" => NETEM_QOPT.min(whole),
            _ => 0,
        };
        assert_eq!(made.options[..first], sent[..first], "{words}");
        let of = |options: &[u8]| attributes(&options[first..], kind);
        assert_eq!(of(&made.options), of(&sent), "{words}");
    }
}

#[test]
fn a_missing_word_or_an_unknown_kind_is_no_message() {
    assert_eq!(message("codel limit 100 target 5ms"), None);
    assert_eq!(message("hhf limit 100"), None);
    assert_eq!(message("pfifo limit"), None);
}
