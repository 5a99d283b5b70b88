//! The reasons for which the driver refuses memory, and what is done to memory.
#![allow(unsafe_code, reason = "calls the driver")]

use super::array_shape::{ArrayFlags, ArrayShape};
use super::pointer::{PointerKind, pointer_info};
use super::{Location, MemoryPool, home};
use crate::call::Answer;
use crate::device::Device;
use crate::error::Result;
use crate::virtual_memory::refusals::{NOT_SHARED, no_room};
use ffi::{CUdevice_attribute, CUdeviceptr, CUresult};

/// Makes a call that allocates device memory. If there is none, makes it again after the streams of the device gave back
/// what they keep. If there is still none, says so with what is known.
///
/// `make` has everything by value. What is borrowed is written to memory by each allocation, although only a refusal needs
/// it. So are closures that go from function to function by their address, before these are inlined.
#[inline(always)]
pub(crate) fn allocated(
    device: impl FnOnce() -> Device,
    bytes: usize,
    make: impl Fn() -> Answer + Copy,
) -> Result {
    made(device, make, move |device, code| no_memory(device, bytes, code))
}

/// The same for an allocation from a pool, or from the current pool of the device.
#[inline(always)]
pub(crate) fn pooled(
    device: impl FnOnce() -> Device,
    pool: Option<&MemoryPool>,
    bytes: usize,
    make: impl Fn() -> Answer + Copy,
) -> Result {
    made(device, make, move |device, code| not_pooled(device, pool, bytes, code))
}

/// Makes the call, and asks for the device and the reason only if it was refused.
#[inline(always)]
fn made(
    device: impl FnOnce() -> Device,
    make: impl Fn() -> Answer + Copy,
    why: impl FnOnce(Device, CUresult) -> Option<String>,
) -> Result {
    let answer = make();
    if answer.code == ffi::CUDA_SUCCESS {
        return Ok(());
    }
    // A copy that is made here, and not by each allocation.
    let once_more = make;
    again(device, answer.call, answer.code, &once_more, why)
}

#[cold]
#[inline(never)]
fn again(
    device: impl FnOnce() -> Device,
    call: &'static str,
    code: CUresult,
    make: &impl Fn() -> Answer,
    why: impl FnOnce(Device, CUresult) -> Option<String>,
) -> Result {
    let (device, mut answer) = (device(), Answer::new(call, code));
    if code == ffi::CUDA_ERROR_OUT_OF_MEMORY && home::give_back_kept(device) {
        answer = make();
    }
    answer.explain(|code| why(device, code))
}

/// Returns why a device has not so many bytes: how much is free, and who has memory that it does not use.
#[inline]
pub(crate) fn no_memory(device: Device, bytes: usize, code: CUresult) -> Option<String> {
    let mut unused = String::new();
    if code == ffi::CUDA_ERROR_OUT_OF_MEMORY {
        let pooled = unused_in_pools(device);
        if pooled > 0 {
            unused += &format!(
                "; its pools keep {pooled} bytes that no buffer uses: `MemoryPool::trim_to(0)` gives them back"
            );
        }
        let kept = home::kept_on(device);
        if kept > 0 {
            unused += &format!(
                "; ordered streams keep {kept} bytes that no buffer uses: `OrderedStream::trim` gives them back"
            );
        }
    }
    no_room(device, bytes, code, &unused)
}

/// Returns the bytes that the default pool and the current pool of a device reserve and no buffer uses.
#[inline]
fn unused_in_pools(device: Device) -> u64 {
    let unused = |pool: MemoryPool| {
        let usage = pool.usage().unwrap_or_default();
        usage.reserved.saturating_sub(usage.used)
    };
    let default = MemoryPool::default_of(device).ok();
    let current = MemoryPool::current_of(device).ok().filter(|pool| Some(pool) != default.as_ref());
    [default, current].into_iter().flatten().map(unused).sum()
}

/// Returns why an allocation from a pool was refused.
#[inline]
fn not_pooled(
    device: Device,
    pool: Option<&MemoryPool>,
    bytes: usize,
    code: CUresult,
) -> Option<String> {
    let Some(pool) = pool else {
        return no_memory(device, bytes, code).or_else(|| no_pools(device, code));
    };
    let usage = pool.usage().ok().filter(|_| code == ffi::CUDA_ERROR_OUT_OF_MEMORY)?;
    let of_pool = format!(
        "the pool has {} bytes, of which buffers use {}, and no more than the limit that it was created with",
        usage.reserved, usage.used
    );
    match pool.location() {
        Location::Device(device) => Some(format!("{}; {of_pool}", no_memory(device, bytes, code)?)),
        _ => Some(format!(
            "{bytes} bytes of the host were requested: free some, or request less; {of_pool}"
        )),
    }
}

/// Returns whether it is that a device has no pools.
#[inline]
pub(crate) fn no_pools(device: Device, code: CUresult) -> Option<String> {
    let supported = device.attribute(ffi::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).ok()?;
    (code == ffi::CUDA_ERROR_NOT_SUPPORTED && supported == 0)
        .then(|| "the device has no pools of memory: allocate with `PushedGuard::alloc`".to_owned())
}

/// Returns why a pool at a place was refused, which other processes import if it is `shared`.
#[inline]
pub(crate) fn no_pool(
    place: Location,
    shared: bool,
    bytes: usize,
    code: CUresult,
) -> Option<String> {
    match place {
        Location::Device(device) => no_pools(device, code)
            .or_else(|| no_memory(device, bytes, code))
            .or_else(|| shared.then(|| NOT_SHARED.to_owned())),
        Location::HostNumaCurrent => Some(
            "a pool is at one place, and the closest NUMA node is another one for each thread: name it \
             with `Location::HostNuma`, or take `Location::Host`"
                .to_owned(),
        ),
        Location::HostNuma(node) if code != ffi::CUDA_ERROR_OUT_OF_MEMORY => Some(format!(
            "the machine has no NUMA node {node}, or this driver no pools there: take `Location::Host`"
        )),
        _ if code == ffi::CUDA_ERROR_OUT_OF_MEMORY => {
            Some(format!("the host has not {bytes} bytes for a pool: create it with a lower limit"))
        }
        _ => None,
    }
}

/// Returns why the access of a device to a pool at a place was not set.
#[inline]
pub(crate) fn pool_access(place: Location, device: Device) -> Option<String> {
    let Location::Device(own) = place else { return None };
    let (own, other) = (own.ordinal(), device.ordinal());
    if own == other {
        return Some(format!(
            "device {own} has access to its own pool, and keeps it: name another device"
        ));
    }
    (device.can_access_peer(Device::get(own).ok()?) == Ok(false)).then(|| {
        format!(
            "device {other} cannot access memory of device {own}: `Device::can_access_peer` tells"
        )
    })
}

/// Returns why an operation on managed memory was refused, which is to be used at a place.
#[inline]
pub(crate) fn managed(
    address: CUdeviceptr,
    at: Option<Location>,
    code: CUresult,
) -> Option<String> {
    if address == 0 {
        return Some("the memory is empty: pass at least one element".to_owned());
    }
    let found = pointer_info(address).ok()?;
    match found.map(|info| info.kind) {
        Some(PointerKind::Managed) => {}
        Some(PointerKind::Device) => {
            return Some(
                "the memory is not managed, but that of a device: allocate it with `PushedGuard::managed`"
                    .to_owned(),
            );
        }
        Some(PointerKind::Host) => {
            return Some(
                "the memory is not managed, but page-locked: allocate it with `PushedGuard::managed`"
                    .to_owned(),
            );
        }
        None => {
            return Some(
                "the memory is not managed: allocate it with `PushedGuard::managed`".to_owned(),
            );
        }
    }
    match at? {
        Location::HostNuma(node) => Some(format!(
            "the machine has no NUMA node {node}, or the call takes none: name `Location::Host`"
        )),
        Location::HostNumaCurrent => {
            Some("the call takes no NUMA node: name `Location::Host`".to_owned())
        }
        Location::Device(device) => {
            let both = ffi::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
            let both = device.attribute(both).ok()? != 0;
            (!both || code == ffi::CUDA_ERROR_INVALID_DEVICE).then(|| {
                format!(
                    "device {} cannot use managed memory while the host does: name another device",
                    device.ordinal()
                )
            })
        }
        Location::Host => None,
    }
}

/// Returns why an array of a shape was refused.
#[inline]
pub(crate) fn array(
    device: Device,
    shape: ArrayShape,
    flags: ArrayFlags,
    levels: bool,
    bytes: usize,
    code: CUresult,
) -> Option<String> {
    if flags.contains(ArrayFlags::GATHER) && !matches!(shape, ArrayShape::D2 { .. }) {
        return Some(format!(
            "texels are gathered from arrays of two dimensions alone, and this is {shape:?}: pass \
             `ArrayShape::D2`, or leave `ArrayFlags::GATHER` out"
        ));
    }
    let unknown = flags.bits() & !ArrayFlags::all().bits();
    if unknown != 0 {
        return Some(format!(
            "no flag of arrays has the bits {unknown:#x}: pass those of `ArrayFlags`"
        ));
    }
    let limits = limits(device, shape, flags, levels);
    let limits = limits.into_iter().find_map(|(what, extent, most)| {
        let most = usize::try_from(device.attribute(most?).ok()?).ok()?;
        (extent > most).then(|| {
            format!(
                "the array has {extent} {what}, and the device takes at most {most} in such an array \
                 ({shape:?}, {flags:?}): split it, or use a `PitchedBuffer`"
            )
        })
    });
    limits.or_else(|| no_memory(device, bytes, code))
}

/// Returns the extents of an array: what they count, how many, and the attribute of the device that limits them.
#[inline]
fn limits(
    device: Device,
    shape: ArrayShape,
    flags: ArrayFlags,
    levels: bool,
) -> [(&'static str, usize, Option<CUdevice_attribute>); 3] {
    let surface = flags.contains(ArrayFlags::SURFACE);
    let gather = flags.contains(ArrayFlags::GATHER);
    macro_rules! most {
        ($surface:ident, $texture:ident) => {
            Some(if surface { ffi::$surface } else { ffi::$texture })
        };
    }
    let none = ("", 0, None);
    match shape {
        ArrayShape::D1 { width } if levels && !surface => {
            let most = Some(ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
            [("elements", width, most), none, none]
        }
        ArrayShape::D1 { width } => {
            let most = most!(
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH
            );
            [("elements", width, most), none, none]
        }
        ArrayShape::D2 { width, height } => {
            let (of_rows, of_columns) = if surface {
                (
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
                )
            } else if levels {
                (
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
                )
            } else if gather {
                (
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
                )
            } else {
                (
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
                )
            };
            [("columns", width, Some(of_columns)), ("rows", height, Some(of_rows)), none]
        }
        ArrayShape::D3 { width, height, depth } => {
            let usual = ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH;
            let is_more = |most| usize::try_from(most).is_ok_and(|most| depth > most);
            let [of_columns, of_rows, of_planes] = if surface {
                [
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH,
                ]
            } else if device.attribute(usual).is_ok_and(is_more) {
                // A texture of less width and height may be deeper (F360).
                [
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
                ]
            } else {
                [
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
                    ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
                    usual,
                ]
            };
            [
                ("columns", width, Some(of_columns)),
                ("rows", height, Some(of_rows)),
                ("planes", depth, Some(of_planes)),
            ]
        }
        ArrayShape::Layered1 { width, layers } => [
            (
                "elements in a row",
                width,
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH
                ),
            ),
            (
                "layers",
                layers,
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS
                ),
            ),
            none,
        ],
        ArrayShape::Layered2 { width, height, layers } => [
            (
                "columns",
                width,
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH
                ),
            ),
            (
                "rows",
                height,
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
                ),
            ),
            (
                "layers",
                layers,
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS
                ),
            ),
        ],
        ArrayShape::Cubemap { width } => {
            let most = most!(
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH
            );
            [("columns and rows in a face", width, most), none, none]
        }
        ArrayShape::LayeredCubemap { width, cubes } => [
            (
                "columns and rows in a face",
                width,
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH
                ),
            ),
            (
                "faces",
                cubes.saturating_mul(6),
                most!(
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
                ),
            ),
            none,
        ],
    }
}
