//! `mbarrier`: barriers in shared memory.
//!
//! The object holds, from its low bit on: the arrivals that are missing, the arrivals of a phase (20 bits each),
//! the bytes that are missing (22 bits, with a sign), and at its top the phase.

use super::super::code::{Access, MemoryBarrier, Slot, Space, Src};
use super::super::ops::lanes::lanes;
use super::Fault;
use super::access::{addresses, by_space, order, read, write};
use super::block::Shared;
use super::reach;
use super::warp::{Group, Warp};

const COUNT: u64 = (1 << 20) - 1;
const BYTES: u64 = (1 << 22) - 1;
/// The most bytes that a phase can wait for.
const MOST_BYTES: i64 = (1 << 20) - 1;

/// A barrier's state.
#[derive(Clone, Copy)]
struct State {
    pending: u64,
    expected: u64,
    bytes: i64,
    phase: u64,
}

impl State {
    fn of(word: u64) -> Self {
        let bytes = word >> 40 & BYTES;
        Self {
            pending: word & COUNT,
            expected: word >> 20 & COUNT,
            bytes: ((bytes << 42).cast_signed()) >> 42,
            phase: word >> 63,
        }
    }

    const fn word(self) -> u64 {
        let bytes = self.bytes.cast_unsigned() & BYTES;
        self.pending | self.expected << 20 | bytes << 40 | self.phase << 63
    }

    /// Arrives so many times, of which some drop out for good.
    fn arrive(&mut self, count: u64, dropped: u64) -> Result<(), Fault> {
        self.pending = self.pending.checked_sub(count).ok_or(Fault::IllegalInstruction)?;
        self.expected = self.expected.checked_sub(dropped).ok_or(Fault::IllegalInstruction)?;
        Ok(())
    }

    /// Waits for so many bytes more, or for fewer.
    fn expect(&mut self, bytes: i64) -> Result<(), Fault> {
        self.bytes += bytes;
        if self.bytes.abs() > MOST_BYTES { Err(Fault::IllegalInstruction) } else { Ok(()) }
    }

    /// Begins the next phase if nothing is missing.
    fn complete(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.pending = self.expected;
            self.phase ^= 1;
        }
    }
}

/// Tells a barrier in the shared memory of the cluster that so many bytes have come.
pub(super) fn came(shared: &mut Shared<'_>, address: u64, bytes: u64) -> Result<(), Fault> {
    let (memory, at) = reach::block_mut(shared, address)?;
    let mut state = State::of(read(memory, at, 8)?);
    state.expect(-(bytes as i64))?;
    state.complete();
    write(memory, at, 8, state.word())
}

/// Runs an instruction on a barrier, for some lanes.
pub(super) fn touch(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    (kind, access): (MemoryBarrier, &Access),
    (d, a): (Slot, Src),
) -> Result<(), Fault> {
    order(shared, access);
    let at = addresses(warp, shared, group, mask, access)?;
    let a = *warp.row(shared.kernel, group, a);
    let mut out = [0; 32];
    by_space(access.space, &at, mask, |space, at, mask| {
        if !matches!(space, Space::Shared | Space::Cluster) {
            return Err(Fault::IllegalAddress);
        }
        for lane in lanes(mask) {
            let a = a[lane];
            let (memory, address) = reach::block_mut(shared, at[lane])?;
            let old = read(memory, address, 8)?;
            let mut state = State::of(old);
            out[lane] = old;
            match kind {
                MemoryBarrier::Init if a == 0 || a > COUNT => {
                    return Err(Fault::IllegalInstruction);
                }
                MemoryBarrier::Init => {
                    state = State { pending: a, expected: a, bytes: 0, phase: 0 };
                }
                MemoryBarrier::Invalidate => state = State::of(0),
                MemoryBarrier::Test => {
                    out[lane] = u64::from(a >> 63 != state.phase);
                    continue;
                }
                MemoryBarrier::TestParity => {
                    out[lane] = u64::from(a & 1 != state.phase);
                    continue;
                }
                MemoryBarrier::Arrive if a == 0 => continue,
                MemoryBarrier::Arrive => {
                    state.arrive(a, 0)?;
                    state.complete();
                }
                MemoryBarrier::Drop => {
                    state.arrive(a, a)?;
                    state.complete();
                }
                MemoryBarrier::ArriveExpect => {
                    state.expect((a & COUNT) as i64)?;
                    state.arrive(1, 0)?;
                    state.complete();
                }
                MemoryBarrier::DropExpect => {
                    state.expect((a & COUNT) as i64)?;
                    state.arrive(1, 1)?;
                    state.complete();
                }
                MemoryBarrier::Expect => state.expect((a & COUNT) as i64)?,
                MemoryBarrier::Complete => {
                    state.expect(-((a & COUNT) as i64))?;
                    state.complete();
                }
            }
            write(memory, address, 8, state.word())?;
        }
        Ok(())
    })?;
    warp.put(group, d, mask, &out);
    Ok(())
}
