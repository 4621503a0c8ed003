"""The register ring: requests go in on one side and come out, answered or not, on the other."""

from __future__ import annotations

from dataclasses import dataclass

from nf1g import TB

ADDRESS_BITS = 23
TAG = 0
"""The module's, as it is built by default."""
NOTHING = 0xDEADBEEF
FIELDS = ("req", "ack", "rd_wr_L", "addr", "data", "src")


@dataclass(frozen=True, slots=True)
class Request:
    """One clock of the ring."""

    req: int = 1
    ack: int = 0
    rd_wr_L: int = 1
    addr: int = 0
    data: int = 0
    src: int = 0


class Ring:
    """The master of the ring, with the module as its only stage. Steps the bench, so that packets
    go on meanwhile."""

    def __init__(self, tb: TB) -> None:
        self.tb = tb

    def put(self, request: Request) -> None:
        """Sets the ring's inputs for the next clock."""
        for name in FIELDS:
            getattr(self.tb.dut, f"reg_{name}_in").value = getattr(request, name)

    def look(self) -> Request:
        """What comes out in this clock."""
        return Request(
            **{name: int(getattr(self.tb.dut, f"reg_{name}_out").value) for name in FIELDS}
        )

    async def pass_by(self, request: Request) -> Request:
        """Sends one request, and returns it as it comes out: one clock later."""
        self.put(request)
        await self.tb.step()
        self.put(Request(req=0))
        await self.tb.step()
        return self.look()

    async def read(self, offset: int) -> int:
        """A word of the block; `TimeoutError` if nobody answers."""
        answer = await self.pass_by(Request(addr=TAG << 9 | offset, data=0x12345678))
        if not answer.ack:
            raise TimeoutError(f"nobody answers at {offset:#x}")
        return answer.data

    async def write(self, offset: int, value: int) -> None:
        """Writes a word of the block, the transcription's too."""
        answer = await self.pass_by(Request(rd_wr_L=0, addr=TAG << 9 | offset, data=value))
        if not answer.ack:
            raise TimeoutError(f"nobody answers at {offset:#x}")
        if offset < 0x100:
            self.tb.core.write(offset >> 5, offset & 31, value)
