# A dumbbell of one-way flows for ns-2.35: `ns dumbbell.tcl NETWORK.tcl`, where NETWORK.tcl fills the arrays `net` and
# `tcp` and calls `flow START ACCESS_S AGENT SINK` for each TCP flow, `datagrams START ACCESS_S RATE BYTES` for one of UDP. Prints `NAME VALUE...` lines. Written from "The ns Manual".
# Every value that a result depends on is set here or in NETWORK.tcl, because ns-2's defaults mean something else.

set flows {}
proc flow {start access agent sink} {
    global flows
    lappend flows [list $start $access $agent $sink 0 0]
}
proc datagrams {start access rate bytes} {
    global flows
    lappend flows [list $start $access UDP LossMonitor $rate $bytes]
}
source [lindex $argv 0]

# Memory at its peak, in KiB, and processor time so far, in s (Linux counts it in hundredths).
proc peak_kib {} {
    set file [open /proc/self/status]
    regexp {VmHWM:\s+(\d+)} [read $file] whole kib
    close $file
    return $kib
}
proc cpu_s {} {
    set file [open /proc/self/stat]
    set fields [split [lindex [split [read $file] ")"] end] " "]
    close $file
    return [expr {([lindex $fields 12] + [lindex $fields 13]) / 100.0}]
}
puts "bare [cpu_s] [peak_kib]"

# Lean packets: without the headers of protocols that no packet here has.
remove-all-packet-headers
add-packet-header IP TCP Flags
if {[lsearch -glob $flows *LossMonitor*] >= 0} { add-packet-header RTP }
set ns [new Simulator]
$defaultRNG seed $net(seed)

Queue set limit_ 1000000
foreach {name value} [array get tcp] { Agent/TCP set $name $value }
Agent/TCP/Newreno set newreno_changes1_ 1            ;# the first partial acknowledgement alone restarts the timer
Agent/TCP/Newreno set exit_recovery_fix_ 0           ;# recovery ends with the window at ssthresh
Agent/TCP set bugFix_ true                           ;# no second fast retransmit for what one window lost
Agent/TCPSink set packetSize_ 40
Agent/TCPSink/DelAck set interval_ $net(delayed_ack)
foreach {name value} $net(queue_options) { Queue/$net(queue) set $name $value }

set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $net(rate) $net(delay) $net(queue)
$ns simplex-link $right $left $net(rate) $net(delay) DropTail
$ns queue-limit $left $right $net(limit)
set bottleneck [[$ns link $left $right] queue]

# The agents that count what arrived in order: senders of TCP, receivers of datagrams; and the name of the count.
set counting {}
set senders {}
set number 0
foreach each $flows {
    foreach {start access agent sink rate bytes} $each break
    set here [$ns node]
    set there [$ns node]
    $ns duplex-link $here $left $net(access) $access DropTail
    $ns duplex-link $right $there $net(access) $access DropTail
    set sender [new Agent/$agent]
    set receiver [new Agent/$sink]
    $sender set fid_ $number
    $ns attach-agent $here $sender
    $ns attach-agent $there $receiver
    $ns connect $sender $receiver
    if {$agent eq "UDP"} {
        $sender set packetSize_ $bytes
        set source [new Application/Traffic/CBR]
        $source set packetSize_ $bytes
        $source set rate_ $rate
        $source attach-agent $sender
        $ns at $start "$source start"
        lappend counting $receiver npkts_
    } else {
        $ns at $start "[$sender attach-app FTP] start"
        # A start resets the threshold to the window; before the first acknowledgement nothing has looked at it.
        if {$net(ssthresh) ne ""} { $ns at $start "$sender set ssthresh_ $net(ssthresh)" }
        lappend counting $sender ack_
        lappend senders $sender
    }
    if {$net(trace) ne "" && $number == 0} {
        $ns trace-queue $here $left [open $net(trace) w]
    }
    incr number
}

# A monitor costs time on each packet, so runs that are timed go without.
if {$net(monitor)} {
    set monitor [$ns monitor-queue $left $right ""]
    set integral [$monitor get-pkts-integrator]
}
if {$net(drops) ne ""} {
    $ns trace-queue $left $right [open $net(drops) w]
}

proc counters {name} {
    global ns net senders counting
    if {$net(monitor)} {
        global monitor integral
        $integral newpoint [$ns now] [$monitor set pkts_]
        puts "$name.queue [$monitor set parrivals_] [$monitor set pdrops_] [$monitor set pdepartures_] [$monitor set bdepartures_] [$integral set sum_] [$monitor set pmarks_]"
    }
    set line "$name.ack"
    foreach {agent count} $counting { append line " [expr {int([$agent set $count])}]" }
    puts $line
    set line "$name.cuts"
    foreach sender $senders { append line " [$sender set ncwndcuts_]" }
    puts $line
}
proc begin {} { puts "setup [cpu_s] [peak_kib]" }
proc finish {} {
    global ns
    puts "run [cpu_s] [peak_kib]"
    counters end
    $ns flush-trace
    exit 0
}
$ns at 0.0 begin
$ns at $net(warmup) "counters start"
$ns at $net(duration) finish
$ns run
