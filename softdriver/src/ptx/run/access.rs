//! Loads, stores and atomic operations of each lane.

use super::super::code::{
    Access, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, Slot, Space, Src, Update, WINDOW,
};
use super::Fault;
use super::block::Shared;
use super::warp::{Warp, lanes};

/// The space of a generic address, and the address in that space.
#[inline]
fn resolve(space: Space, address: u64) -> Result<(Space, u64), Fault> {
    if space != Space::Generic {
        return Ok((space, address));
    }
    match address {
        0..SHARED_WINDOW => Err(Fault::IllegalAddress),
        SHARED_WINDOW..LOCAL_WINDOW => Ok((Space::Shared, address - SHARED_WINDOW)),
        LOCAL_WINDOW..PARAM_WINDOW => Ok((Space::Local, address - LOCAL_WINDOW)),
        address if address < PARAM_WINDOW + WINDOW => Ok((Space::Param, address - PARAM_WINDOW)),
        _ => Ok((Space::Global, address)),
    }
}

/// The space and address of a lane's access, checked for alignment.
#[inline]
fn place(
    warp: &Warp,
    shared: &Shared<'_>,
    lane: usize,
    access: &Access,
) -> Result<(Space, u64), Fault> {
    let address = warp.address(shared, lane, access.address);
    let bytes = u64::from(access.bytes) * u64::from(access.count);
    // The bytes are a power of two.
    if address & (bytes - 1) != 0 {
        return Err(Fault::MisalignedAddress);
    }
    let (space, address) = resolve(access.space, address)?;
    if space == Space::Global && address == 0 {
        return Err(Fault::IllegalAddress);
    }
    Ok((space, address))
}

/// Bytes of a space that the host holds in one piece.
#[inline]
fn slice(bytes: &[u8], address: u64, length: usize) -> Result<&[u8], Fault> {
    let at = usize::try_from(address).map_err(|_| Fault::IllegalAddress)?;
    let end = at.checked_add(length).ok_or(Fault::IllegalAddress)?;
    bytes.get(at..end).ok_or(Fault::IllegalAddress)
}

#[inline]
fn slice_mut(bytes: &mut [u8], address: u64, length: usize) -> Result<&mut [u8], Fault> {
    let at = usize::try_from(address).map_err(|_| Fault::IllegalAddress)?;
    let end = at.checked_add(length).ok_or(Fault::IllegalAddress)?;
    bytes.get_mut(at..end).ok_or(Fault::IllegalAddress)
}

/// The number that 1 to 16 bytes hold.
#[inline]
fn number(bytes: &[u8]) -> u128 {
    fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.first_chunk().copied().unwrap_or([0; N])
    }
    match bytes.len() {
        1 => u128::from(u8::from_le_bytes(first(bytes))),
        2 => u128::from(u16::from_le_bytes(first(bytes))),
        4 => u128::from(u32::from_le_bytes(first(bytes))),
        8 => u128::from(u64::from_le_bytes(first(bytes))),
        _ => u128::from_le_bytes(first(bytes)),
    }
}

/// Puts a number into 1 to 16 bytes.
#[inline]
fn put(bytes: &mut [u8], number: u128) {
    let number = number.to_le_bytes();
    match bytes.len() {
        4 => bytes.copy_from_slice(&number[..4]),
        8 => bytes.copy_from_slice(&number[..8]),
        length => bytes.copy_from_slice(&number[..length]),
    }
}

pub(super) fn load(
    warp: &mut Warp,
    shared: &Shared<'_>,
    mask: u32,
    access: &Access,
    d: &[Slot; 4],
    extend: u64,
) -> Result<(), Fault> {
    let bits = u32::from(access.bytes) * 8;
    let total = usize::from(access.bytes) * usize::from(access.count);
    let unused = 64 - bits;
    for lane in lanes(mask) {
        let (space, address) = place(warp, shared, lane, access)?;
        let whole = match space {
            Space::Shared => number(slice(&shared.memory, address, total)?),
            Space::Local => number(slice(&warp.local[lane], address, total)?),
            Space::Param => number(slice(shared.launch.params, address, total)?),
            Space::Global | Space::Generic => {
                let mut buffer = [0u8; 16];
                shared.launch.memory.load(address, &mut buffer[..total])?;
                u128::from_le_bytes(buffer)
            }
        };
        for (part, &d) in (0u32..).zip(&d[..usize::from(access.count)]) {
            let value = (whole >> (part * bits)) as u64;
            let value = if extend == 0 {
                value & (u64::MAX >> unused)
            } else {
                ((value << unused).cast_signed() >> unused).cast_unsigned() & extend
            };
            warp.set(lane, d, value);
        }
    }
    Ok(())
}

pub(super) fn store(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    mask: u32,
    access: &Access,
    a: &[Src; 4],
) -> Result<(), Fault> {
    let bits = u32::from(access.bytes) * 8;
    let total = usize::from(access.bytes) * usize::from(access.count);
    for lane in lanes(mask) {
        let (space, address) = place(warp, shared, lane, access)?;
        let mut whole = 0;
        for (part, &a) in (0u32..).zip(&a[..usize::from(access.count)]) {
            let value = warp.value(lane, a) & (u64::MAX >> (64 - bits));
            whole |= u128::from(value) << (part * bits);
        }
        match space {
            Space::Shared => put(slice_mut(&mut shared.memory, address, total)?, whole),
            Space::Local => put(slice_mut(&mut warp.local[lane], address, total)?, whole),
            Space::Param => return Err(Fault::IllegalAddress),
            Space::Global | Space::Generic => {
                shared.launch.memory.store(address, &whole.to_le_bytes()[..total])?;
            }
        }
    }
    Ok(())
}

pub(super) fn atomic(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    mask: u32,
    access: &Access,
    update: Update,
    d: Slot,
    (b, c): (Src, Src),
) -> Result<(), Fault> {
    let size = usize::from(access.bytes);
    for lane in lanes(mask) {
        let (space, address) = place(warp, shared, lane, access)?;
        let (b, c) = (warp.value(lane, b), warp.value(lane, c));
        let old = match space {
            Space::Shared => {
                let bytes = slice_mut(&mut shared.memory, address, size)?;
                let old = number(bytes) as u64;
                put(bytes, u128::from(update(old, b, c)));
                old
            }
            // Atomic operations are for memory that threads share.
            Space::Local | Space::Param => return Err(Fault::IllegalAddress),
            Space::Global | Space::Generic => {
                let mut update = |old| Some(update(old, b, c)).filter(|&new| new != old);
                shared.launch.memory.atomic(address, size, &mut update)?
            }
        };
        warp.set(lane, d, old);
    }
    Ok(())
}
