//! The report of a fault: the instruction, the access, the thread.

use super::super::code::{
    CLUSTER_SPAN, LOCAL_WINDOW, Op, PARAM_WINDOW, SHARED_WINDOW, Space, WINDOW,
};
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::Fault;
use super::block::Shared;
use super::reach;
use super::warp::{Group, Warp};

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It does both in one step.
    Update,
}

/// The memory that an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Device memory, or what is no memory.
    Global,
    /// Shared memory.
    Shared,
    /// Local memory.
    Local,
    /// The parameters of the kernel.
    Param,
}

/// An access that faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadAccess {
    /// Its kind, if it is a load, a store or an atomic operation.
    pub does: Option<Does>,
    /// The memory.
    pub place: Place,
    /// The bytes of the access, or of the element of a vector that misses memory.
    pub bytes: usize,
    /// The address, as the thread has it.
    pub address: u64,
}

/// A fault with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accident {
    /// The fault.
    pub fault: Fault,
    /// The access that faults, if one does.
    pub access: Option<BadAccess>,
    /// The line of the module's text, from 1.
    pub line: u32,
    /// The block.
    pub block: [u32; 3],
    /// The thread, or the first one that the instruction is for if nothing tells them apart.
    pub thread: [u32; 3],
}

/// An access of an instruction, noted before it faults.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accused {
    place: Place,
    bytes: usize,
    address: u64,
    lane: usize,
}

/// The memory that an address is of, and the address in it.
fn resolved(space: Space, address: u64) -> (Space, u64) {
    const CLUSTER: u64 = SHARED_WINDOW + CLUSTER_SPAN;
    const PARAM_END: u64 = PARAM_WINDOW + WINDOW;
    match (space, address) {
        (Space::Generic, SHARED_WINDOW..CLUSTER) => (Space::Shared, address - SHARED_WINDOW),
        (Space::Generic, CLUSTER..LOCAL_WINDOW) => (Space::Cluster, address - SHARED_WINDOW),
        (Space::Generic, LOCAL_WINDOW..PARAM_WINDOW) => (Space::Local, address - LOCAL_WINDOW),
        (Space::Generic, PARAM_WINDOW..PARAM_END) => (Space::Param, address),
        (Space::Generic, _) => (Space::Global, address),
        _ => (space, address),
    }
}

/// Notes an access of a lane.
#[cold]
fn accuse(shared: &Shared<'_>, space: Space, bytes: usize, address: u64, lane: usize) {
    let place = match resolved(space, address).0 {
        Space::Global | Space::Generic => Place::Global,
        Space::Shared | Space::Cluster => Place::Shared,
        Space::Local => Place::Local,
        Space::Param => Place::Param,
    };
    shared.accused.set(Some(Accused { place, bytes, address, lane }));
}

/// Notes the first address that is no multiple of the bytes, a power of two.
#[cold]
pub(super) fn misaligned(
    shared: &Shared<'_>,
    space: Space,
    bytes: u64,
    at: &Row,
    mask: u32,
) -> Fault {
    if let Some(lane) = lanes(mask).find(|&lane| at[lane] & (bytes - 1) != 0) {
        accuse(shared, space, bytes as usize, at[lane], lane);
    }
    Fault::MisalignedAddress
}

/// Notes the first word that is not in its memory.
#[cold]
pub(super) fn missed(
    warp: &Warp,
    shared: &Shared<'_>,
    (space, mask): (Space, u32),
    at: &Row,
    bytes: usize,
    fault: Fault,
) -> Fault {
    if fault != Fault::IllegalAddress {
        return fault;
    }
    let fits = |lane: usize| {
        let (space, address) = resolved(space, at[lane]);
        let within = |len: usize| {
            let end = usize::try_from(address).ok().and_then(|start| start.checked_add(bytes));
            end.is_some_and(|end| end <= len)
        };
        match space {
            Space::Shared => within(shared.memory.len()),
            Space::Cluster => reach::block(shared, address)
                .is_ok_and(|(memory, offset)| offset as usize + bytes <= memory.len()),
            Space::Local => within(warp.local[lane].len()),
            Space::Param => within(shared.launch.params.len()),
            Space::Global | Space::Generic => shared.launch.memory.room(address) >= bytes as u64,
        }
    };
    let first = mask.trailing_zeros() as usize % 32;
    let lane = lanes(mask).find(|&lane| !fits(lane)).unwrap_or(first);
    accuse(shared, space, bytes, at[lane], lane);
    fault
}

/// Returns the report of an instruction's fault.
#[cold]
pub(super) fn accident(warp: &Warp, shared: &Shared<'_>, group: Group, fault: Fault) -> Accident {
    let kernel = shared.kernel;
    let at = group.pc() as usize;
    let op = kernel.code.get(at).map(|instr| match &instr.op {
        Op::OneByOne(alone) => &alone.op,
        op => op,
    });
    let does = match op {
        Some(Op::Load { .. } | Op::Pair(_)) => Some(Does::Read),
        Some(Op::Store { .. }) => Some(Does::Write),
        Some(Op::Atomic { .. } | Op::AtomicWide { .. }) => Some(Does::Update),
        _ => None,
    };
    let accused = shared.accused.take();
    let lane = accused.map_or(group.mask.trailing_zeros() as usize % 32, |accused| accused.lane);
    Accident {
        fault,
        access: accused.map(|Accused { place, bytes, address, .. }| BadAccess {
            does,
            place,
            bytes,
            address,
        }),
        line: kernel.lines.get(at).copied().unwrap_or_default(),
        block: shared.ctaid,
        thread: warp.tid[lane],
    }
}
