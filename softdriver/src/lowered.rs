//! Attributes that devices have less of than an H200, by `CUSCOPE_SOFT_ATTRIBUTES`: `COOPERATIVE_LAUNCH=0` for all devices,
//! `1:MAXIMUM_TEXTURE2D_WIDTH=4096` for one. What goes by an attribute asks for it, and refuses where it is lowered.

use cuscope_sys::*;
use std::ffi::c_int;

/// An attribute with a value below that of an H200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lowered {
    /// The number of the device in the machine; none for all.
    device: Option<usize>,
    attribute: Attribute,
    most: c_int,
}

/// An attribute of a device, or of its links to all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    OfDevice(CUdevice_attribute),
    /// Access to the memory of other devices.
    PeerAccess,
}

macro_rules! attributes {
    ($($name:ident)*) => {
        &[$((stringify!($name), Attribute::OfDevice($name)),)*]
    };
}

/// The attributes that can be lowered, because some function goes by them.
const ATTRIBUTES: &[(&str, Attribute)] = attributes! {
    CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
    CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES
    CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED
    CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
};
/// The name of access to other devices, which is an attribute of links.
const PEER_ACCESS: &str = "CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED";

/// Returns the attribute that a name with or without its beginning stands for.
fn named(name: &str) -> Option<Attribute> {
    let is = |full: &str, start: &str| full == name || full.strip_prefix(start) == Some(name);
    if is(PEER_ACCESS, "CU_DEVICE_") {
        return Some(Attribute::PeerAccess);
    }
    let found = ATTRIBUTES.iter().find(|(full, _)| is(full, "CU_DEVICE_ATTRIBUTE_"));
    found.map(|&(_, attribute)| attribute)
}

/// Reads a list; what is wrong with it in a sentence.
pub(crate) fn list(text: &str) -> Result<Vec<Lowered>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(one).collect()
}

fn one(part: &str) -> Result<Lowered, String> {
    let wrong = || {
        format!(
            "`{part}` is no attribute with a number, such as COOPERATIVE_LAUNCH=0 or 1:COOPERATIVE_LAUNCH=0"
        )
    };
    let (device, rest) = match part.split_once(':') {
        Some((device, rest)) => (Some(device.trim().parse().map_err(|_| wrong())?), rest),
        None => (None, part),
    };
    let (name, value) = rest.split_once('=').ok_or_else(wrong)?;
    let most = value.trim().parse().ok().filter(|most| *most >= 0).ok_or_else(wrong)?;
    let name = name.trim();
    let attribute =
        named(name).ok_or_else(|| format!("no function goes by an attribute `{name}`"))?;
    Ok(Lowered { device, attribute, most })
}

/// The most that an attribute of a device is, by a list.
pub(crate) fn most(list: &[Lowered], device: usize, attribute: Attribute) -> c_int {
    let of =
        |one: &&Lowered| one.attribute == attribute && one.device.is_none_or(|of| of == device);
    list.iter().filter(of).map(|one| one.most).min().unwrap_or(c_int::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_lowers_attributes_of_all_devices_or_one() {
        let list = list("COOPERATIVE_LAUNCH=0, 1:CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH=64,3:P2P_ATTRIBUTE_ACCESS_SUPPORTED=0").unwrap();
        let of = |device, attribute| most(&list, device, Attribute::OfDevice(attribute));
        let (width, cooperative) =
            (CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
        assert_eq!([of(0, cooperative), of(1, cooperative)], [0, 0]);
        assert_eq!([of(0, width), of(1, width)], [c_int::MAX, 64]);
        let peer = |device| most(&list, device, Attribute::PeerAccess);
        assert_eq!([peer(0), peer(3)], [c_int::MAX, 0]);
    }

    #[test]
    fn attributes_that_no_function_uses_are_refused() {
        for (text, says) in [
            ("WARP_SIZE=16", "no function goes by"),
            ("COOPERATIVE_LAUNCH", "no attribute with a number"),
            ("COOPERATIVE_LAUNCH=-1", "no attribute with a number"),
            ("x:COOPERATIVE_LAUNCH=0", "no attribute with a number"),
        ] {
            assert!(list(text).unwrap_err().contains(says), "{text}");
        }
    }
}
