//! Barriers of a block (`bar`).

use super::super::code::Vote;
use super::Fault;
use super::warp::Warp;

/// Barriers of a block.
const BARRIERS: usize = 16;
/// The number of the barrier of its cluster.
pub(super) const OF_CLUSTER: u8 = 16;

/// A thread's stay at a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    /// Which barrier.
    pub(super) id: u8,
    /// How many threads it is for; 0: all.
    pub(super) count: u32,
    /// `bar.red`: the reduction, where its result goes, and the predicate.
    pub(super) reduce: Option<(Vote, u32, bool)>,
}

/// The traces of threads that arrived and went on.
#[derive(Clone, Copy, Default)]
pub(super) struct Barriers {
    arrived: [u32; BARRIERS],
    count: [u32; BARRIERS],
}

impl Barriers {
    /// `bar.arrive` of so many threads, for a barrier of `count`.
    pub(super) fn arrive(&mut self, id: u64, threads: u32, count: u32) -> Result<(), Fault> {
        let id = usize::try_from(id).unwrap_or(BARRIERS);
        let Some(arrived) = self.arrived.get_mut(id) else {
            return Err(Fault::IllegalInstruction);
        };
        *arrived = arrived.saturating_add(threads);
        self.count[id] = count;
        Ok(())
    }

    /// Lets go the threads at every barrier that is complete; whether there
    /// was one.
    pub(super) fn release(&mut self, warps: &mut [Warp]) -> Result<bool, Fault> {
        let mut at = [0u32; BARRIERS];
        let mut counts = self.count;
        let mut live = 0;
        for warp in &*warps {
            live += warp.live().count_ones();
            for (stay, lanes) in warp.stays() {
                let id = usize::from(stay.id);
                if id < BARRIERS {
                    at[id] += lanes;
                    if stay.count != 0 {
                        counts[id] = stay.count;
                    }
                }
            }
        }
        let mut any = false;
        for id in 0..BARRIERS {
            if at[id] == 0 && self.arrived[id] == 0 {
                continue;
            }
            let complete = match counts[id] {
                0 => at[id] == live,
                count => self.in_whole_warps(id, warps) >= count,
            };
            if complete {
                self.open(id, warps);
                any |= at[id] > 0;
            }
        }
        Ok(any)
    }

    /// The threads that have arrived; warps whose threads all have count as
    /// 32, however many they have.
    fn in_whole_warps(&self, id: usize, warps: &[Warp]) -> u32 {
        let waiting = warps.iter().map(|warp| {
            let stays = warp.stays().filter(|(stay, _)| usize::from(stay.id) == id);
            let here = stays.map(|(_, lanes)| lanes).sum();
            if here > 0 && here == warp.live().count_ones() { 32 } else { here }
        });
        self.arrived[id].saturating_add(waiting.sum())
    }

    /// Lets go the threads at a barrier, with the reduction's result.
    fn open(&mut self, id: usize, warps: &mut [Warp]) {
        self.arrived[id] = 0;
        self.count[id] = 0;
        let (mut total, mut yes) = (0, 0);
        for warp in &*warps {
            for (stay, lanes) in warp.stays().filter(|(stay, _)| usize::from(stay.id) == id) {
                total += lanes;
                yes += u32::from(matches!(stay.reduce, Some((_, _, true))));
            }
        }
        for warp in warps {
            warp.leave_barrier(id, |vote| match vote {
                Vote::All => u64::from(yes == total),
                Vote::Any => u64::from(yes > 0),
                _ => u64::from(yes),
            });
        }
    }
}
