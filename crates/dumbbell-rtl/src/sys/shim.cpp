// What Rust calls of a verilated core. A clock is: inputs, falling edge, look at the outputs, rising edge; so outputs are those
// that a flip-flop outside would take at that edge.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "Vred.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#define DOOR extern "C" __attribute__((visibility("default")))

namespace {
// The simulator stops the process where RTL says $finish, or does not settle: here it is the core that stops.
struct Halt {
    std::string why;
};

[[noreturn]] void halt(const char* what, const char* file, int line, const char* more = "") {
    throw Halt{std::string(what) + " at " + (file ? file : "?") + ":" + std::to_string(line) + more};
}
}  // namespace

void vl_finish(const char* file, int line, const char*) { halt("$finish", file, line); }
void vl_stop(const char* file, int line, const char*) { halt("$stop", file, line); }
void vl_fatal(const char* file, int line, const char*, const char* message) {
    halt("the simulator gave up", file, line, (std::string(": ") + (message ? message : "")).c_str());
}

struct Inputs {
    uint32_t cfg_data;
    uint16_t qlen;
    uint8_t rst, valid, qid, cls, idle, tick, cfg_we, cfg_addr;
};

struct Outputs {
    uint32_t avg, draw;
    uint8_t ready, valid, qid, drop, region;
};

struct Core {
    VerilatedContext context;
    Vred core;
    std::string why;
    explicit Core() : context{}, core{&context} {}
};

DOOR Core* red_new() {
    try {
        return new Core;
    } catch (...) {
        return nullptr;
    }
}

DOOR void red_free(Core* c) { delete c; }

DOOR const char* red_why(const Core* c) { return c->why.c_str(); }

DOOR int red_clock(Core* c, const Inputs* in, Outputs* out) {
    Vred& core = c->core;
    try {
        core.clk = 0;
        core.rst = in->rst;
        core.valid_i = in->valid;
        core.qid_i = in->qid;
        core.qlen_i = in->qlen;
        core.class_i = in->cls;
        core.idle_i = in->idle;
        core.tick_i = in->tick;
        core.cfg_we_i = in->cfg_we;
        core.cfg_addr_i = in->cfg_addr;
        core.cfg_data_i = in->cfg_data;
        core.eval();
        out->ready = core.ready_o;
        out->valid = core.valid_o;
        out->qid = core.qid_o;
        out->drop = core.drop_o;
        out->region = core.region_o;
        out->avg = core.avg_o;
        out->draw = core.draw_o;
        core.clk = 1;
        core.eval();
        return 0;
    } catch (const Halt& h) {
        c->why = h.why;
    } catch (const std::exception& e) {
        c->why = e.what();
    } catch (...) {
        c->why = "an exception without a word";
    }
    return 1;
}

// Writes what was covered; 0 if this library counts it.
DOOR int red_coverage(Core* c, const char* path) {
#if VM_COVERAGE
    try {
        c->context.coveragep()->write(path);
        return 0;
    } catch (...) {
        return 1;
    }
#else
    (void)c;
    (void)path;
    return 1;
#endif
}
