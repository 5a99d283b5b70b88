//! The reasons for which the driver refuses virtual memory.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Multicast, PhysicalMemory};
use crate::call::answer;
use crate::device::Device;
use ffi::CUresult;

/// Returns why a number of bytes does not suit, which must be a multiple of the granularity.
#[inline]
fn no_multiple(what: &str, bytes: usize, granularity: Option<usize>) -> Option<String> {
    let granularity = granularity?;
    if bytes == 0 {
        return Some(format!(
            "{what} is 0: pass a multiple of the granularity, which is {granularity} bytes"
        ));
    }
    (bytes % granularity != 0).then(|| {
        let next = bytes.checked_next_multiple_of(granularity);
        let next = next.map_or_else(String::new, |next| format!(", such as {next}"));
        format!(
            "{what} is {bytes} bytes, and no multiple of the granularity, which is {granularity}: pass a \
             multiple{next}"
        )
    })
}

/// Returns why addresses were not reserved.
#[inline]
pub(super) fn reserve(bytes: usize, code: CUresult) -> Option<String> {
    if code == ffi::CUDA_ERROR_OUT_OF_MEMORY {
        return Some(format!(
            "there are not {bytes} addresses in a row that are not reserved: reserve fewer"
        ));
    }
    let granularity = Device::get(0).and_then(PhysicalMemory::granularity).ok();
    no_multiple("the size", bytes, granularity)
}

/// Returns whether it is that a device has no virtual memory.
#[inline]
pub(super) fn no_virtual_memory(device: Device) -> Option<String> {
    let supported = device.attribute(ffi::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    (supported == Ok(0)).then(|| {
        format!(
            "device {} has no virtual memory: allocate with `PushedGuard::alloc`",
            device.ordinal()
        )
    })
}

/// Returns why physical memory was not taken, which other processes import if it is `shared`.
#[inline]
pub(super) fn create(device: Device, bytes: usize, shared: bool, code: CUresult) -> Option<String> {
    no_multiple("the size", bytes, PhysicalMemory::granularity(device).ok())
        .or_else(|| no_room(device, bytes, code, ""))
        .or_else(|| no_virtual_memory(device))
        .or_else(|| {
            (shared && code == ffi::CUDA_ERROR_NOT_SUPPORTED).then(|| NOT_SHARED.to_owned())
        })
}

/// Returns why memory that has this granularity was not mapped at an offset.
#[inline]
pub(super) fn map(offset: usize, granularity: Option<usize>) -> Option<String> {
    if offset == 0 {
        return None;
    }
    no_multiple("the offset", offset, granularity)
}

/// Returns why access to a range was not set, where these ranges of bytes are mapped, in order.
#[inline]
pub(super) fn access(
    range: (usize, usize),
    mapped: impl Iterator<Item = (usize, usize, Device)>,
    devices: impl Iterator<Item = Device>,
) -> Option<String> {
    let (begin, end) = range;
    if begin == end {
        return Some("the range has 0 bytes: pass whole mappings".to_owned());
    }
    let inside: Vec<_> = mapped.filter(|&(first, last, _)| first < end && begin < last).collect();
    let mut at = begin;
    for &(first, last, _) in &inside {
        if first > at {
            return Some(format!(
                "nothing is mapped from byte {at} to {first}: map memory there first"
            ));
        }
        if first < begin || last > end {
            return Some(format!(
                "the range from byte {begin} to {end} is no whole mappings, of which one is from {first} to \
                 {last}: pass whole ones"
            ));
        }
        at = last;
    }
    if at < end {
        return Some(format!("nothing is mapped from byte {at} to {end}: map memory there first"));
    }
    for device in devices {
        let far = |&&(_, _, owner): &&(usize, usize, Device)| {
            owner != device && device.can_access_peer(owner) == Ok(false)
        };
        if let Some((_, _, owner)) = inside.iter().find(far) {
            return Some(format!(
                "device {} cannot access memory of device {}: `Device::can_access_peer` tells",
                device.ordinal(),
                owner.ordinal()
            ));
        }
    }
    None
}

/// Returns why a device has no access to tell at an offset.
#[inline]
pub(super) fn no_mapping(offset: usize, mapped: usize) -> String {
    format!(
        "nothing is mapped at byte {offset}, and {mapped} bytes are mapped in all: map memory there first"
    )
}

/// For memory that was created for this process alone.
#[cfg(unix)]
pub(super) const NOT_CREATED_SHARED: &str = "the memory was created for this process alone, or comes from another one: \
                                             create it with `PhysicalMemory::create_shareable`";

/// Returns why no multicast object of so many bytes can be for these devices, whatever its size is a multiple of.
#[inline]
pub(super) fn no_multicast(devices: &[Device], bytes: usize) -> Option<String> {
    if devices.is_empty() {
        return Some("there are no devices: pass at least 1".to_owned());
    }
    let again =
        devices.iter().enumerate().find(|(place, device)| devices[..*place].contains(device));
    if let Some((_, device)) = again {
        return Some(format!("device {} is listed twice: list each once", device.ordinal()));
    }
    if let Some(device) =
        devices.iter().find(|device| Multicast::is_supported(**device) == Ok(false))
    {
        return Some(format!(
            "device {} has no multicast objects: it needs a switch between the devices, as \
             `Multicast::is_supported` tells",
            device.ordinal()
        ));
    }
    (bytes == 0).then(|| {
        "the size is 0: pass at least 1 byte, or a multiple of `Multicast::granularity`".to_owned()
    })
}

/// Returns why a multicast object was refused.
#[inline]
pub(super) fn multicast(devices: &[Device], bytes: usize, code: CUresult) -> Option<String> {
    if let Some(reason) = no_multicast(devices, bytes) {
        return Some(reason);
    }
    no_multiple("the size", bytes, Multicast::granularity(devices, bytes).ok())
        .or_else(|| no_room(devices[0], bytes, code, ""))
}

/// Returns why memory of so many bytes was not bound at an offset of an object.
#[inline]
pub(super) fn bind(
    devices: &[Device],
    object: usize,
    offset: usize,
    bytes: usize,
    code: CUresult,
) -> Option<String> {
    let granularity = Multicast::granularity(devices, object).ok();
    let offset = (offset != 0).then(|| no_multiple("the offset", offset, granularity));
    offset
        .flatten()
        .or_else(|| no_multiple("the size of the memory", bytes, granularity))
        .or_else(|| no_room(*devices.first()?, bytes, code, ""))
}

/// For memory and pools that are created for other processes.
pub(crate) const NOT_SHARED: &str = "the device shares no memory by file descriptors: create memory for this process alone, and \
                                     export a buffer of `PushedGuard::alloc`";

/// Returns why a device has not so many bytes. `unused` says who has memory that it does not use.
#[inline]
pub(crate) fn no_room(
    device: Device,
    bytes: usize,
    code: CUresult,
    unused: &str,
) -> Option<String> {
    if code != ffi::CUDA_ERROR_OUT_OF_MEMORY {
        return None;
    }
    let total = device.total_memory().ok()?;
    if bytes > total {
        return Some(format!(
            "{bytes} bytes were requested, and the device has {total} in all: request less at once"
        ));
    }
    let mut reason = format!("{bytes} bytes were requested");
    if let Some(free) = free_of(device) {
        reason += &format!(", and {free} of the device's {total} are free, maybe not in one piece");
    }
    Some(format!(
        "{reason}{unused}; free device memory, destroy contexts (each takes about 0.5 GiB), or request less"
    ))
}

/// Returns the free memory of a device, if the current context is one of it.
#[inline]
fn free_of(device: Device) -> Option<usize> {
    let (mut current, mut free, mut total) = (0, 0, 0);
    // SAFETY: writes one device to `current`, which is valid for it; refused without a current context.
    unsafe { answer!(cuCtxGetDevice(&raw mut current)) }.check().ok()?;
    if current != device.raw() {
        return None;
    }
    // SAFETY: writes one `usize` to each of `free` and `total`, which are valid for it.
    unsafe { answer!(cuMemGetInfo_v2(&raw mut free, &raw mut total)) }.check().ok()?;
    Some(free)
}
