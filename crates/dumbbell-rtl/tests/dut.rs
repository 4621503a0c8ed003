//! Cores that are not ours: other latencies and intervals, and what is wrong with some.
use dumbbell_rtl::core_ports::Parameters;
use dumbbell_rtl::fault::Fault;
use dumbbell_rtl::lockstep::campaign::{Part, Ran};
use dumbbell_rtl::lockstep::parameter_sets::Mode;
use dumbbell_rtl::signals::In;
use dumbbell_rtl::sources::{CORE, Sources};
use dumbbell_rtl::testing::rtl;
use dumbbell_rtl::verilated::{Clocked, Verilated};
use std::fs;
use std::path::Path;

/// The files of our core in a directory, with the top module under another name, and a `red_core`
/// around it.
fn around(dir: &Path, name: &str, wrapper: &str) -> Sources {
    for (file, text) in CORE {
        fs::write(
            dir.join(file.replace("red_core", "inner_core")),
            text.replace("module red_core", "module inner_core"),
        )
        .unwrap();
    }
    let path = dir.join(name);
    fs::write(&path, wrapper).unwrap();
    Sources::files(vec![path], vec![]).unwrap()
}

/// A core around ours, whose decisions are taken from `valid_o` and the like of the inner one by
/// `logic`.
fn wrapped(parameters: &str, logic: &str) -> String {
    format!(
        "`default_nettype none
module red_core #(parameter int NQ = 8{parameters}) (
  input wire logic clk, input wire logic rst, output logic ready_o, input wire logic valid_i,
  input wire logic [2:0] qid_i,
  input wire logic [11:0] qlen_i, input wire logic [1:0] class_i, input wire logic [5:0] idle_i,
  input wire logic tick_i,
  output logic valid_o, output logic [2:0] qid_o, output logic drop_o, output logic [1:0] region_o,
  output logic [21:0] avg_o,
  output logic [20:0] draw_o, input wire logic cfg_we_i, input wire logic [7:0] cfg_addr_i,
  input wire logic [31:0] cfg_data_i
);
  logic ready, valid, taken, drop;
  logic [2:0] qid;
  logic [1:0] region;
  logic [21:0] avg;
  logic [20:0] draw;
  inner_core #(.NQ(NQ)) inner (
    .clk(clk), .rst(rst), .ready_o(ready), .valid_i(taken), .qid_i(qid_i), .qlen_i(qlen_i),
    .class_i(class_i), .idle_i(idle_i),
    .tick_i(tick_i), .valid_o(valid), .qid_o(qid), .drop_o(drop), .region_o(region), .avg_o(avg),
    .draw_o(draw),
    .cfg_we_i(cfg_we_i), .cfg_addr_i(cfg_addr_i), .cfg_data_i(cfg_data_i)
  );
{logic}
endmodule
`default_nettype wire
"
    )
}

/// One packet in five clocks, and two clocks later than ours.
const SLOW: &str = "  logic [2:0] wait_q;
  assign ready_o = ready && wait_q == 3'd0;
  assign taken = valid_i && ready_o;
  always_ff @(posedge clk) begin
    wait_q <= rst ? 3'd0 : taken ? 3'd4 : wait_q == 3'd0 ? 3'd0 : wait_q - 3'd1;
  end
  logic [50:0] first_q, second_q;
  always_ff @(posedge clk) begin
    first_q <= rst ? '0 : {valid, 1'b0, qid, drop, region, avg, draw};
    second_q <= rst ? '0 : first_q;
  end
  logic unused;
  assign {valid_o, unused, qid_o, drop_o, region_o, avg_o, draw_o} = second_q;";

/// Ours as it is.
const PLAIN: &str = "  assign taken = valid_i;
  assign ready_o = ready;
  assign {valid_o, qid_o, drop_o, region_o, avg_o, draw_o}
    = {valid, qid, drop, region, avg, draw};";

fn run(sources: &Sources, mode: &str, packets: u64) -> (Ran, Mode) {
    let mode = Mode::read(mode).unwrap();
    let library =
        Verilated::build(sources, &mode.parameters).unwrap_or_else(|fault| panic!("{fault}"));
    let make =
        || library.core().map(|c| Box::new(c) as Box<dyn Clocked>).map_err(|e| e.to_string());
    let part = Part { mode: &mode, number: 0, packets, seed: 1, patience: 1000 };
    let ran = part.run(&make, &|_| true).unwrap();
    (ran, mode)
}

#[test]
fn a_core_of_another_latency_that_takes_a_packet_in_five_clocks_will_do() {
    if !rtl() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let sources = around(dir.path(), "mine.sv", &wrapped("", SLOW));
    let (ran, _) = run(&sources, "sound", 50_000);
    assert!(ran.failed.is_none(), "{}", ran.failed.unwrap().mismatch.what);
    assert_eq!((ran.counts.latency, ran.counts.back_to_back), (8, 0));
}

#[test]
fn a_core_that_hangs_or_decides_wrongly_is_found() {
    if !rtl() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let hangs = PLAIN.replace("= {valid,", "= {1'b0,");
    let (ran, _) = run(&around(dir.path(), "hangs.sv", &wrapped("", &hangs)), "sound", 50_000);
    assert!(ran.failed.unwrap().mismatch.what.contains("no decision for 1000 clocks"));
    let wrong = PLAIN.replace("qid, drop,", "qid, drop && draw[10:0] != 11'd77,");
    let (ran, _) = run(&around(dir.path(), "wrong.sv", &wrapped("", &wrong)), "sound", 500_000);
    let failed = ran.failed.expect("a mismatch");
    assert!(
        failed.mismatch.what.starts_with("drop_o is 0, the model says 1"),
        "{}",
        failed.mismatch.what
    );
    assert!(failed.short.is_some_and(|short| short.mismatch.what.starts_with("drop_o is 0")));
    let stops = format!(
        "{PLAIN}\n  always_ff @(posedge clk) if (valid && draw[7:0] == 8'd3) \
        $finish;"
    );
    let (ran, _) = run(&around(dir.path(), "stops.sv", &wrapped("", &stops)), "sound", 50_000);
    let what = ran.failed.unwrap().mismatch.what;
    assert!(what.contains("the core stopped: $finish at") && what.contains("stops.sv"), "{what}");
}

/// A core that has no parameters but one: what is at its default is not asked of it.
#[test]
fn parameters_that_are_at_their_defaults_need_not_be_there() {
    if !rtl() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let sources = around(dir.path(), "plain.sv", &wrapped("", PLAIN));
    let (ran, _) = run(&sources, "sound+nq=2", 20_000);
    assert!(ran.failed.is_none());
    let fault =
        Verilated::build(&sources, &Mode::read("paper+gap").unwrap().parameters).unwrap_err();
    assert_eq!(fault, Fault::Parameters(vec!["PAPER".into(), "GAP".into()]));
}

#[test]
fn what_is_wrong_with_ports_is_said_with_the_tools_line() {
    if !rtl() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let whole = wrapped("", PLAIN);
    let fault = |name: &str, text: &str| {
        let sources = around(dir.path(), name, text);
        let Fault::Rtl { cause, line, fix } =
            Verilated::build(&sources, &Parameters::default()).unwrap_err()
        else {
            panic!("{name} is not a fault of the RTL")
        };
        assert!(line.starts_with('%'), "{line}");
        (cause, line, fix)
    };
    let (cause, line, fix) = fault(
        "a.sv",
        &whole.replace("tick_i,\n", "tock_i,\n").replace(".tick_i(tick_i)", ".tick_i(tock_i)"),
    );
    assert_eq!(cause, "red_core has no port `tick_i`");
    assert!(line.contains("tick_i") && fix.contains("an input of 1 bit"), "{line} {fix}");
    let (cause, line, fix) = fault("b.sv", &whole.replace("[21:0] avg_o", "[19:0] avg_o"));
    assert_eq!(cause, "port `avg_o` of red_core is not as documented");
    assert!(line.contains("20 bits") && fix.contains("an output of 22 bit"), "{line} {fix}");
    let (cause, line, _) = fault("c.sv", &whole.replace("endmodule", "endmodul"));
    assert!(cause == "the RTL does not elaborate" && line.contains("c.sv:"), "{cause} {line}");
    let (cause, line, _) = fault("d.sv", "module other; endmodule\n");
    assert!(cause == "the RTL does not elaborate" && line.contains("red_core"), "{cause} {line}");
}

#[test]
fn a_library_is_made_once_and_coverage_is_counted() {
    if !rtl() {
        return;
    }
    let one = Verilated::build(&Sources::Core, &Parameters::default()).unwrap();
    let other = Verilated::build(&Sources::Core, &Parameters::default()).unwrap();
    let (mut a, mut b) = (one.core().unwrap(), other.core().unwrap());
    // Two cores of a library have nothing in common.
    let reset = In { rst: true, ..In::default() };
    a.clock(&reset).unwrap();
    b.clock(&reset).unwrap();
    let packet = In { valid: true, qlen: 100, ..In::default() };
    let told = |core: &mut dyn Clocked, inputs: &In| {
        (0..200).map(|_| core.clock(inputs).unwrap()).last().unwrap().avg
    };
    assert!(told(&mut a, &packet) > 0);
    assert_eq!(told(&mut b, &In::default()), 0);
    assert!(a.coverage(Path::new("/dev/null")).is_err(), "this library counts nothing");
    let dir = tempfile::tempdir().unwrap();
    let mut counting =
        Verilated::counting(&Sources::Core, &Parameters::default()).unwrap().core().unwrap();
    counting.clock(&reset).unwrap();
    let file = dir.path().join("coverage.dat");
    counting.coverage(&file).unwrap();
    assert!(fs::read_to_string(file).unwrap().contains("SystemC::Coverage"));
}
