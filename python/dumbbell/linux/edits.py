"""The changes that a kernel's source gets before it is built."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one place in one file."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Change:
    """Edits that are made together. needed: a source in which a place is not found cannot be used;
    else none of them is made."""

    edits: tuple[Edit, ...]
    needed: bool = True


def _after(file: str, line: str, more: str) -> Edit:
    return Edit(file, line, line + more)


def _before(file: str, line: str, more: str) -> Edit:
    return Edit(file, line, more + line)


TIMERS = Change(
    (
        Edit(
            "arch/um/Kconfig",
            "config HZ\n\tint\n\tdefault 100\n",
            'config HZ\n\tint "Timer frequency"\n\tdefault 100\n',
        ),
    ),
    needed=False,
)
"""Timers of TCP have the resolution of 1/HZ; the kernel fixes it to 100 for this architecture."""

ENTROPY = Change(
    (
        Edit(
            "arch/um/os-Linux/util.c",
            "\treturn getrandom(buf, len, flags);\n",
            """\
	static unsigned long long state;
	static int seeded;
	const char *seed = getenv("DUMBBELL_ENTROPY");
	unsigned char *out = buf;
	size_t i;

	if (!seed)
		return getrandom(buf, len, flags);
	if (!seeded) {
		state = strtoull(seed, NULL, 10);
		seeded = 1;
	}
	for (i = 0; i < len; i++) {
		unsigned long long z = state += 0x9e3779b97f4a7c15ull;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		out[i] = z ^ (z >> 31);
	}
	return len;
""",
        ),
    )
)
"""Ports, sequence numbers and hash seeds follow from a seed that the controller gives."""

REGISTERS = Change(
    (
        Edit(
            "arch/x86/um/user-offsets.c",
            "\tDEFINE_LONGS(HOST_FP_SIZE, 2696);\n",
            "\tDEFINE_LONGS(HOST_FP_SIZE, 11264);\n",
        ),
    ),
    needed=False,
)
"""Room for the vector registers of a processor with AMX: 11008 bytes. Without it, such a processor
refuses to set a guest's registers, and its first program ends. They are kept on the stack of the
kernel, which `kernel.config` makes larger."""

_TIME, _DEVICE = "arch/um/kernel/time.c", "arch/um/drivers/virtio_uml.c"

NOTES = Change(
    (
        _before(
            "arch/um/include/shared/timetravel.h",
            "void _time_travel_print_bc_msg(void);\n",
            """\
void os_pass_turn(unsigned int *turn);
void um_timetravel_call(unsigned int ring);
int time_travel_note_kick(unsigned int ring, unsigned short upto);
""",
        ),
        # One page for each guest behind the page of the clock. `sharing` is the controller's word
        # that it reads it. The guest is called at rings: `calls`; it has put frames into rings:
        # `kicks`. A ring is device << 8 | number; a kick has in its upper half how far it goes.
        _after(
            _TIME,
            "static union um_timetravel_schedshm_client *time_travel_shm_client;\n",
            """\

#define NOTES_LEN 4096
#define NOTES_CAP 2
#define NOTES_MOST 256

struct time_travel_notes {
	u32 sharing;
	u32 turn;
	u32 calls;
	u32 kicks;
	u32 call[NOTES_MOST];
	u32 kick[NOTES_MOST];
};

static struct time_travel_notes *time_travel_notes;
""",
        ),
        _after(
            _TIME,
            "\ttime_travel_shm_id = id;\n",
            """\
	if (len >= struct_size(time_travel_shm, clients, time_travel_shm->max_clients) +
			(id + 1ul) * NOTES_LEN) {
		time_travel_notes = (void *)&time_travel_shm->clients[time_travel_shm->max_clients] +
					id * NOTES_LEN;
		time_travel_shm_client->capa |= NOTES_CAP;
	}
""",
        ),
        # A turn is passed on by a word in memory, and the calls of the next one are in memory.
        _before(
            _TIME,
            "static void time_travel_ext_wait(bool idle)\n",
            """\
int time_travel_note_kick(unsigned int ring, unsigned short upto)
{
	struct time_travel_notes *notes = time_travel_notes;
	u32 *last;

	if (!notes || !notes->sharing)
		return 0;
	last = notes->kicks ? &notes->kick[notes->kicks - 1] : NULL;
	if (!last || (*last & 0xffff) != ring) {
		if (notes->kicks >= NOTES_MOST)
			return 0;
		last = &notes->kick[notes->kicks++];
	}
	*last = ring | (u32)upto << 16;
	/* no further in time before the controller has seen it */
	if (time_travel_shm->free_until > time_travel_shm->current_time)
		time_travel_shm->free_until = time_travel_shm->current_time;
	return 1;
}

static bool time_travel_pass_turn(void)
{
	struct time_travel_notes *notes = time_travel_notes;
	u32 i;

	if (!notes || !notes->sharing)
		return false;
	time_travel_ext_prev_request_valid = false;
	time_travel_ext_waiting++;
	os_pass_turn(&notes->turn);
	time_travel_set_time(time_travel_shm->current_time - time_travel_shm_offset);
	time_travel_shm_client->flags &= ~UM_TIMETRAVEL_SCHEDSHM_FLAGS_REQ_RUN;
	time_travel_ext_waiting--;
	time_travel_ext_prev_request_valid = false;
	for (i = 0; i < notes->calls && i < NOTES_MOST; i++)
		um_timetravel_call(notes->call[i]);
	notes->calls = 0;
	return true;
}

""",
        ),
        _before(
            _TIME,
            """\
	time_travel_ext_prev_request_valid = false;
	if (!time_travel_shm)
		time_travel_ext_free_until = NULL;
""",
            """\
	if (time_travel_pass_turn())
		return;

""",
        ),
        # A call whose interrupt is pending, because interrupts are disabled, adds no event: then
        # the first event is as far away as before.
        _before(
            _TIME,
            "\t\t/* new events may have been inserted while we were waiting */\n",
            """\
		if (time_travel_notes && e == time_travel_first_event() &&
		    time_travel_time < e->time)
			continue;

""",  # noqa: E101 (the kernel's style)
        ),
        _before(
            "arch/um/os-Linux/time.c",
            "/**\n * os_idle_sleep() - sleep until interrupted\n */\n",
            """\
#include <linux/futex.h>
#include <sys/syscall.h>
#include <timetravel.h>

void os_pass_turn(unsigned int *turn)
{
	__atomic_store_n(turn, 0, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (!__atomic_load_n(turn, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, turn, FUTEX_WAIT, 0, NULL, NULL, 0);
}

""",
        ),
        _before(
            "arch/um/kernel/irq.c",
            "static void irq_do_pending_events(bool timetravel_handlers_only)\n{\n\tstruct",
            """\
void um_timetravel_call(unsigned int ring)
{
	struct irq_entry *entry;
	enum um_irq_type t;

	list_for_each_entry(entry, &active_fds, list) {
		for (t = 0; t < NUM_IRQ_TYPES; t++) {
			struct irq_reg *reg = &entry->reg[t];

			/* no file: the call is in the first argument */
			if (reg->timetravel_handler)
				reg->timetravel_handler(ring, -1, reg->id, &reg->event);
		}
	}
}

""",
        ),
        Edit(
            _DEVICE,
            "\tvu_req_read_message(data, ev);\n",
            """\
	struct virtio_uml_device *vu_dev = data;

	if (fd >= 0) {
		vu_req_read_message(data, ev);
	} else if (vu_dev->pdev->id == irq >> 8) {
		vu_dev->vq_irq_vq_map |= BIT_ULL(irq & 0xff);
		time_travel_add_irq_event(ev);
	}
""",
        ),
        _before(
            _DEVICE,
            "\t\treturn vhost_user_set_vring_state(vu_dev, VHOST_USER_VRING_KICK,\n",
            """\
		if (time_travel_note_kick(vu_dev->pdev->id << 8 | vq->index,
						virtqueue_get_vring(vq)->avail->idx))
			return true;

""",
        ),
    ),
    needed=False,
)
"""Turns, kicks and calls without messages (Linux 6.12): `timing` of the crate has their other
end."""

CHANGES = (TIMERS, ENTROPY, REGISTERS, NOTES)
