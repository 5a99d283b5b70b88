//! Managed memory: host memory that every device uses at the same address (F261). Nothing migrates: moves and
//! advice are noted, so that a program can ask for them (F422).
#![allow(unsafe_code, reason = "a union")]

use crate::entry::Answer;
use crate::model::device;
use core::ffi::c_int;
use cuscope_sys::*;

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;
/// No place, as a number.
pub(crate) const NOWHERE: c_int = -2;

/// A place, as the attributes of a range tell it: its kind, and its number, -1 for the host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) kind: CUmemLocationType,
    pub(crate) id: c_int,
}

impl Place {
    pub(crate) const NONE: Place = Place { kind: CU_MEM_LOCATION_TYPE_NONE, id: NOWHERE };
    pub(crate) const HOST: Place = Place { kind: CU_MEM_LOCATION_TYPE_HOST, id: CU_DEVICE_CPU };

    /// A device, or the host by its number.
    pub(crate) fn of_device(device: CUdevice) -> Answer<Place> {
        if device == CU_DEVICE_CPU {
            return Ok(Place::HOST);
        }
        if device::device(device)?.lacks(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) {
            return Err(CUDA_ERROR_INVALID_DEVICE);
        }
        Ok(Place { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: device })
    }

    pub(crate) fn new(place: CUmemLocation) -> Answer<Place> {
        // SAFETY: every member is made of numbers that are there whatever was written.
        let id = unsafe { place.anonymous.id };
        match place.r#type {
            CU_MEM_LOCATION_TYPE_DEVICE => Place::of_device(id),
            CU_MEM_LOCATION_TYPE_HOST => Ok(Place::HOST),
            // The one node that there is.
            CU_MEM_LOCATION_TYPE_HOST_NUMA if id == 0 => Ok(Place { kind: place.r#type, id }),
            CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(Place { kind: place.r#type, id: 0 }),
            _ => Err(INVALID),
        }
    }

    /// The number that the attributes without a kind give.
    pub(crate) fn number(self) -> c_int {
        let on_host = matches!(
            self.kind,
            CU_MEM_LOCATION_TYPE_HOST_NUMA | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
        );
        if on_host { CU_DEVICE_CPU } else { self.id }
    }
}

/// Facts about a page of managed memory. Nothing moves: they are only reported (F422).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) read_mostly: bool,
    pub(crate) preferred: Place,
    /// A bit for each device, and the highest for the host.
    pub(crate) users: u128,
    pub(crate) moved_to: Place,
}

/// The bit of the host among the users of a page.
pub(crate) const HOST_BIT: u32 = 64;

impl Page {
    pub(crate) const NEW: Page =
        Page { read_mostly: false, preferred: Place::NONE, users: 0, moved_to: Place::NONE };
}

/// The numbers of users.
pub(crate) fn users(bits: u128) -> impl Iterator<Item = c_int> {
    let number = |bit| if bit == HOST_BIT { CU_DEVICE_CPU } else { bit as c_int };
    (0..=HOST_BIT).filter(move |bit| bits >> bit & 1 == 1).map(number)
}
