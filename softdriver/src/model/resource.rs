//! Multiprocessors as resources: whole, split, and described for a green context (F125–F128).
#![allow(unsafe_code, reason = "a union that holds one resource or another")]

use crate::entry::{self, Answer};
use crate::model::device::MULTIPROCESSORS;
use crate::registry::Registry;
use core::ffi::{c_uchar, c_uint};
use cuscope_sys::*;
use std::sync::LazyLock;

/// Multiprocessors that are scheduled together.
const ALIGNMENT: c_uint = 8;
/// Multiprocessors that belong together in any case.
pub(crate) const PAIR: c_uint = 2;

/// Where a resource comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A device or a context has it: it can be split.
    Whole = 1,
    /// A part or the rest of a split: it can only be described.
    Part = 2,
}

/// Multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// The ordinal of the device.
    pub(crate) device: usize,
    /// How many.
    pub(crate) count: c_uint,
    /// How many are scheduled together.
    pub(crate) alignment: c_uint,
}

/// Descriptions of resources; they cannot be destroyed.
pub(crate) static DESCRIPTIONS: LazyLock<Registry<Description>> =
    LazyLock::new(|| Registry::new(0x48));

/// The contents of a descriptor.
pub(crate) struct Description {
    pub(crate) resource: Resource,
}

/// The first bytes of the padding of a structure that this driver wrote.
const MARK: [u8; 8] = *b"cuscope\0";

impl Resource {
    /// All of a device.
    pub(crate) fn whole(device: usize) -> Self {
        Self { device, count: MULTIPROCESSORS, alignment: ALIGNMENT }
    }

    /// Writes it to the structure of the caller. Of a part nothing is told but the number.
    pub(crate) fn write(self, to: *mut CUdevResource, origin: Origin) -> Answer {
        let told = if origin == Origin::Whole { self.alignment } else { 0 };
        let sm = CUdevSmResource {
            smCount: self.count,
            minSmPartitionSize: told,
            smCoscheduledAlignment: told,
            flags: 0,
            localityDomainId: 0,
        };
        // The other members of the union are larger.
        let mut anonymous = CUdevResource_v1_anonymous { _oversize: [0; 40] };
        anonymous.sm = sm;
        entry::write(
            to,
            CUdevResource {
                r#type: CU_DEV_RESOURCE_TYPE_SM,
                _internal_padding: self.padding(origin),
                anonymous,
                nextResource: std::ptr::null_mut(),
            },
        )
    }

    /// Returns the hidden part of the structure: the resource as this driver wrote it.
    fn padding(self, origin: Origin) -> [c_uchar; 92] {
        let mut padding = [0; 92];
        padding[..8].copy_from_slice(&MARK);
        padding[8..16].copy_from_slice(&(self.device as u64).to_ne_bytes());
        padding[16..20].copy_from_slice(&self.count.to_ne_bytes());
        padding[20..24].copy_from_slice(&self.alignment.to_ne_bytes());
        padding[24] = origin as u8;
        padding
    }

    /// Reads a structure back: another type is 914; one that this driver did not write, or that was
    /// changed, 915.
    pub(crate) fn read(from: &CUdevResource) -> Answer<(Self, Origin)> {
        check_type(from.r#type)?;
        let invalid = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
        let padding = &from._internal_padding;
        let number = |at: usize| {
            c_uint::from_ne_bytes([padding[at], padding[at + 1], padding[at + 2], padding[at + 3]])
        };
        let resource =
            Self { device: number(8) as usize, count: number(16), alignment: number(20) };
        let origin = if padding[24] == Origin::Whole as u8 { Origin::Whole } else { Origin::Part };
        // SAFETY: every member of the union is numbers, of which any bits are a value.
        let sm = unsafe { from.anonymous.sm };
        let told = if origin == Origin::Whole { resource.alignment } else { 0 };
        let unchanged = *padding == resource.padding(origin)
            && (sm.smCount, sm.minSmPartitionSize, sm.smCoscheduledAlignment)
                == (resource.count, told, told);
        if unchanged { Ok((resource, origin)) } else { Err(invalid) }
    }

    /// Part and number of the parts of at least `least`, if there are so many.
    pub(crate) fn parts(self, least: c_uint, flags: c_uint) -> Answer<(Self, c_uint)> {
        if least > self.count {
            return Err(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
        }
        let alignment = if flags & IGNORE != 0 { PAIR } else { self.alignment };
        let count = least.max(1).next_multiple_of(alignment).min(self.count);
        // The clusters of an H200 have no room for a sixteenth group of eight.
        let odd = self.count == MULTIPROCESSORS && count == 8 && alignment == ALIGNMENT;
        let groups = self.count / count - c_uint::from(odd);
        Ok((Self { count, alignment, ..self }, groups))
    }
}

/// The flag of a split without regard to what is scheduled together.
pub(crate) const IGNORE: c_uint =
    CUdevSmResourceSplitByCount_flags::CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING.bits();

/// Only multiprocessors are known: anything else is 914.
pub(crate) fn check_type(kind: CUdevResourceType) -> Answer {
    match kind {
        CU_DEV_RESOURCE_TYPE_SM => Ok(()),
        _ => Err(CUDA_ERROR_INVALID_RESOURCE_TYPE),
    }
}
