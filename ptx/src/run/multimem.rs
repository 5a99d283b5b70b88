//! `multimem`: stores to the memory of all devices of a multicast object, and loads that reduce it.

use super::super::code::{Access, Order, Slot, Space, Src, Update};
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::Fault;
use super::access::{addresses, order};
use super::block::Shared;
use super::warp::{Group, Warp};
use std::sync::atomic::{Ordering, fence};

/// The addresses of an access, if they are global ones.
fn global(
    warp: &Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
) -> Result<Row, Fault> {
    match access.space {
        Space::Global | Space::Generic => addresses(warp, shared, group, mask, access),
        Space::Shared | Space::Cluster | Space::Local | Space::Param => Err(Fault::IllegalAddress),
    }
}

/// `multimem.st` and `multimem.red`: stores, or updates what is there.
pub(super) fn store(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    update: Option<Update>,
    a: &[Src],
) -> Result<(), Fault> {
    order(shared, access);
    let size = usize::from(access.bytes);
    let mut at = global(warp, shared, group, mask, access)?;
    let memory = shared.launch.memory;
    for &a in a {
        let values = *warp.row(shared.kernel, group, a);
        for lane in lanes(mask) {
            for address in memory.multicast(at[lane], size)? {
                match update {
                    None => memory.store(&[address; 32], 1 << lane, size, &values)?,
                    Some(update) => {
                        let mut update = |old| {
                            Some(update.update(old, values[lane], 0)).filter(|&new| new != old)
                        };
                        memory.atomic(address, size, &mut update)?;
                    }
                }
            }
        }
        at.iter_mut().for_each(|at| *at = at.wrapping_add(size as u64));
    }
    if access.order == Order::Fence {
        fence(Ordering::SeqCst);
    }
    Ok(())
}

/// `multimem.ld_reduce`: what the memory of all devices makes together, in the order of the devices.
pub(super) fn load(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    update: Update,
    d: &[Slot],
) -> Result<(), Fault> {
    order(shared, access);
    let size = usize::from(access.bytes);
    let mut at = global(warp, shared, group, mask, access)?;
    let memory = shared.launch.memory;
    for &d in d {
        let mut out = [0; 32];
        for lane in lanes(mask) {
            let mut sum = None;
            for address in memory.multicast(at[lane], size)? {
                let mut word = [0; 32];
                memory.load(&[address; 32], 1 << lane, size, &mut word)?;
                let word = word[lane];
                sum = Some(sum.map_or(word, |sum| update.update(sum, word, 0)));
            }
            out[lane] = sum.ok_or(Fault::IllegalAddress)?;
        }
        warp.put(group, d, mask, &out);
        at.iter_mut().for_each(|at| *at = at.wrapping_add(size as u64));
    }
    if access.order == Order::Fence {
        fence(Ordering::SeqCst);
    }
    Ok(())
}
