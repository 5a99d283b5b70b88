//! Places of memory.
#![allow(unsafe_code, reason = "its tests read what the driver gets")]

use crate::device::Device;
use crate::error::{Error, Result};
use ffi::{
    CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, CUmemLocation, CUmemLocation_v1_anonymous,
    CUmemLocationType,
};
use std::ffi::c_int;

/// A place where memory can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias = "CUmemLocation")]
pub enum Location {
    /// A device.
    Device(Device),
    /// The host.
    Host,
    /// A NUMA node of the host, by its number.
    HostNuma(u32),
    /// The NUMA node of the host that is closest to the calling thread.
    HostNumaCurrent,
}

impl Location {
    /// Returns the place as C represents it.
    #[inline]
    pub(crate) fn raw(self) -> CUmemLocation {
        let (r#type, id) = match self {
            Location::Device(device) => (CU_MEM_LOCATION_TYPE_DEVICE, device.raw()),
            Location::Host => (CU_MEM_LOCATION_TYPE_HOST, 0),
            // A number that does not fit into a `c_int` is as invalid as -1.
            Location::HostNuma(node) => {
                (CU_MEM_LOCATION_TYPE_HOST_NUMA, c_int::try_from(node).unwrap_or(-1))
            }
            Location::HostNumaCurrent => (CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0),
        };
        CUmemLocation { r#type, anonymous: CUmemLocation_v1_anonymous { id } }
    }

    /// Returns the place for a kind and a number, if there is one.
    #[inline]
    pub(crate) fn from_raw(
        call: &'static str,
        kind: CUmemLocationType,
        id: c_int,
    ) -> Result<Option<Location>> {
        Ok(Some(match kind {
            ffi::CU_MEM_LOCATION_TYPE_NONE => return Ok(None),
            CU_MEM_LOCATION_TYPE_DEVICE => Location::Device(Device::from_raw(id)),
            CU_MEM_LOCATION_TYPE_HOST => Location::Host,
            CU_MEM_LOCATION_TYPE_HOST_NUMA => Location::HostNuma(id.unsigned_abs()),
            CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Location::HostNumaCurrent,
            CUmemLocationType(value) => return Err(Error::UnknownValue { call, value }),
        }))
    }
}

impl From<Device> for Location {
    #[inline]
    fn from(device: Device) -> Location {
        Location::Device(device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_no_number_of_the_driver_stands_for_is_none() {
        // SAFETY: it was written as a number.
        let node = |node| unsafe { Location::HostNuma(node).raw().anonymous.id };
        assert_eq!((node(3), node(u32::MAX)), (3, -1));
    }

    #[test]
    fn each_place_has_the_number_of_the_driver() {
        let device = Location::Device(Device::from_raw(1));
        let all = [device, Location::Host, Location::HostNuma(2), Location::HostNumaCurrent];
        assert_eq!(all.map(|place| place.raw().r#type.0), [1, 2, 3, 4]);
        for (place, id) in all.into_iter().zip([1, 0, 2, 0]) {
            let back = Location::from_raw("call", place.raw().r#type, id);
            assert_eq!(back, Ok(Some(place)));
        }
        assert_eq!(Location::from_raw("call", CUmemLocationType(0), 0), Ok(None));
    }
}
