//! `suld`, `sust` and `sured`.

use super::super::code::{Beyond, Geometry, SurfaceOp, Touch};
use super::super::image::{Channel, Image};
use super::super::ops::lanes::lanes;
use super::super::ops::{Row, bits_f16};
use super::Fault;
use super::block::Shared;
use super::warp::{Group, Warp};

/// The address of a place: byte, row and plane of a layer. None beyond the edges, if nothing is done there.
fn place(
    image: &Image,
    op: &SurfaceOp,
    at: [i64; 3],
    layer: i64,
    bytes: i64,
) -> Result<Option<u64>, Fault> {
    let [width, height, depth] = image.size.map(i64::from);
    let width = width * image.texel() as i64;
    let room = [width - bytes, height - 1, depth - 1, i64::from(image.layers) - 1];
    let mut at = [at[0], at[1], at[2], layer];
    if room.iter().zip(at).any(|(&room, at)| !(0..=room).contains(&at)) {
        match op.beyond {
            Beyond::Trap => return Err(Fault::IllegalAddress),
            Beyond::Zero => return Ok(None),
            Beyond::Clamp => at = std::array::from_fn(|i| at[i].clamp(0, room[i].max(0))),
        }
        if width < bytes {
            return Ok(None);
        }
    }
    if at[0] % bytes != 0 {
        return Err(Fault::MisalignedAddress);
    }
    let [x, y, z, layer] = at.map(|at| at as u64);
    Ok(Some(image.address(x, y, z, layer)))
}

/// An element's bits for a value of a register: integers are cut off at the ends of the range.
fn element(channel: Channel, bits: u32) -> u64 {
    let real = f64::from(f32::from_bits(bits));
    match channel {
        Channel::U8 => u64::from(bits.min(0xff)),
        Channel::U16 => u64::from(bits.min(0xffff)),
        Channel::S8 => (bits as i32).clamp(-0x80, 0x7f) as u8 as u64,
        Channel::S16 => (bits as i32).clamp(-0x8000, 0x7fff) as u16 as u64,
        Channel::U32 | Channel::S32 | Channel::F32 => bits.into(),
        Channel::F16 => bits_f16(real),
    }
}

/// Loads, stores or changes.
pub(super) fn touch(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    op: &SurfaceOp,
) -> Result<(), Fault> {
    let kernel = shared.kernel;
    let memory = shared.launch.memory;
    let mut out = [[0; 32]; 4];
    for lane in lanes(mask) {
        let bits = |src| warp.row(kernel, group, src)[lane];
        let image = memory.surface(bits(op.object)).ok_or(Fault::IllegalAddress)?;
        let (layer, coordinates) = match op.at.split_first() {
            Some((layer, rest)) if op.geometry.layered() => (bits(*layer) as u32, rest),
            _ => (0, &op.at[..]),
        };
        let mut at = [0; 3];
        for (at, src) in at.iter_mut().zip(coordinates) {
            *at = i64::from(bits(*src) as i32);
        }
        debug_assert!(!matches!(op.geometry, Geometry::Cube | Geometry::ACube));
        let (count, size) = match &op.touch {
            Touch::Load(d) => (d.len(), op.bytes),
            Touch::Store(a) => (a.len(), op.bytes),
            Touch::Format(_) => (image.channels, image.channel.bytes()),
            Touch::Reduce(..) => (1, 4),
        };
        if matches!(op.touch, Touch::Format(_) | Touch::Reduce(_, _, true)) {
            at[0] = at[0].saturating_mul(image.texel() as i64);
        }
        let found = place(&image, op, at, layer.into(), (count * size) as i64)?;
        let Some(start) = found else { continue };
        let address = |part: usize| [start + (part * size) as u64; 32];
        match &op.touch {
            Touch::Load(_) => {
                for (part, out) in out.iter_mut().enumerate().take(count) {
                    let mut row: Row = [0; 32];
                    memory.load(&address(part), 1 << lane, size, &mut row)?;
                    out[lane] = row[lane];
                }
            }
            Touch::Store(a) => {
                for (part, &a) in a.iter().enumerate() {
                    memory.store(&address(part), 1 << lane, size, warp.row(kernel, group, a))?;
                }
            }
            Touch::Format(a) => {
                for part in 0..count {
                    let value = a.get(part).map_or(0, |&a| bits(a) as u32);
                    let value = [element(image.channel, value); 32];
                    memory.store(&address(part), 1 << lane, size, &value)?;
                }
            }
            Touch::Reduce(update, b, _) => {
                let b = bits(*b);
                let mut new = |old| Some(update.update(old, b, 0)).filter(|&new| new != old);
                memory.atomic(start, size, &mut new)?;
            }
        }
    }
    if let Touch::Load(d) = &op.touch {
        for (d, out) in d.iter().zip(&out) {
            warp.put(group, *d, mask, out);
        }
    }
    Ok(())
}
