//! Launches that go on without the accesses that fault: each thread makes its own.

use super::super::Kernel;
use super::super::code::{Instr, Op, Space};
use super::super::ops::lanes::lanes;
use super::block::Shared;
use super::warp::{Group, Warp};
use super::{Fault, report, step};

/// The kernel with loads, stores and atomic operations that the threads of a warp make one by one.
pub(super) fn one_by_one(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    for instr in &mut kernel.code {
        let accesses = match &instr.op {
            Op::Load { access, .. } => access.space != Space::Param,
            Op::Pair(_) | Op::Store { .. } | Op::Atomic { .. } | Op::AtomicWide { .. } => true,
            _ => false,
        };
        if accesses {
            let alone = std::mem::replace(instr, Instr { guard: None, op: Op::Nop });
            instr.op = Op::OneByOne(Box::new(alone));
        }
    }
    kernel
}

/// Runs such an instruction. A thread whose access is left out gets 0.
#[cold]
#[inline(never)]
pub(super) fn run(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    instr: &Instr,
) -> Result<(), Fault> {
    for lane in lanes(group.mask) {
        let alone = Group::new(1 << lane, group.pc(), group.base());
        let Err(fault) = step::step(warp, shared, alone, instr) else { continue };
        let accident = report::accident(warp, shared, alone, fault);
        let can = matches!(fault, Fault::IllegalAddress | Fault::MisalignedAddress);
        if !can || !shared.launch.output.leaves_out(&accident) {
            shared.accident = Some(accident);
            return Err(fault);
        }
        match &instr.op {
            Op::Load { d, .. } | Op::Atomic { d, .. } => {
                d.iter().for_each(|&d| warp.set(lane, d, 0));
            }
            Op::AtomicWide { d, .. } => [*d, *d + 1].iter().for_each(|&d| warp.set(lane, d, 0)),
            Op::Pair(pair) => warp.set(lane, pair.x, 0),
            _ => {}
        }
    }
    Ok(())
}
