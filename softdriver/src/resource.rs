//! Multiprocessors as resources: whole, split, and described for a green context (F125–F128).
#![allow(
    unsafe_code,
    reason = "exported functions, and a union that holds one resource or another"
)]

use crate::context::{self, Context};
use crate::device::{self, MULTIPROCESSORS};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::sticky;
use core::ffi::{c_uchar, c_uint};
use cuscope_sys::*;

/// Multiprocessors that are scheduled together.
const ALIGNMENT: c_uint = 8;
/// Multiprocessors that belong together in any case.
const PAIR: c_uint = 2;

/// Where a resource comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A device or a context has it: it can be split.
    Whole = 1,
    /// A part or the rest of a split: it can only be described.
    Part = 2,
}

/// Multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// The ordinal of the device.
    device: usize,
    /// How many.
    count: c_uint,
    /// How many are scheduled together.
    alignment: c_uint,
}

/// What a descriptor describes.
pub(crate) struct Description {
    resource: Resource,
}

/// The first bytes of the padding of a structure that this driver wrote.
const MARK: [u8; 8] = *b"cuscope\0";

impl Resource {
    /// All of a device.
    pub(crate) fn whole(device: usize) -> Self {
        Self { device, count: MULTIPROCESSORS, alignment: ALIGNMENT }
    }

    /// Writes it to the structure of the caller. Of a part nothing is told but the number.
    fn write(self, to: *mut CUdevResource, origin: Origin) -> Answer {
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

    /// What is hidden in the structure: what it was when this driver wrote it.
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
    fn read(from: &CUdevResource) -> Answer<(Self, Origin)> {
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
    fn parts(self, least: c_uint, flags: c_uint) -> Answer<(Self, c_uint)> {
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
const IGNORE: c_uint =
    CUdevSmResourceSplitByCount_flags::CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING.bits();
/// The flag of a split for large clusters.
const CLUSTERS: c_uint =
    CUdevSmResourceSplitByCount_flags::CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE.bits();

/// Only multiprocessors are known: anything else is 914.
pub(crate) fn check_type(kind: CUdevResourceType) -> Answer {
    match kind {
        CU_DEV_RESOURCE_TYPE_SM => Ok(()),
        _ => Err(CUDA_ERROR_INVALID_RESOURCE_TYPE),
    }
}

/// What a descriptor describes of a device; all of it without one.
pub(crate) fn described(desc: CUdevResourceDesc, device: usize) -> Answer<Resource> {
    if desc.is_null() {
        return Ok(Resource::whole(device));
    }
    let found = state().descriptions.get(desc.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if found.resource.device == device {
        Ok(found.resource)
    } else {
        Err(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
    }
}

/// Writes the multiprocessors of a context.
pub(crate) fn of_context(context: &Context, resource: *mut CUdevResource) -> Answer {
    sticky::check_shown()?;
    let _alive = context.life()?;
    let own = context.green().map(|green| green.resource);
    own.unwrap_or(Resource::whole(context.device)).write(resource, Origin::Whole)
}

driver! {
    /// The multiprocessors of a device (F125).
    fn cuDeviceGetDevResource(
        device: CUdevice,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) [after_fault] {
        let device = device::device(device)?;
        entry::wanted(resource)?;
        check_type(type_)?;
        Resource::whole(device.ordinal).write(resource, Origin::Whole)
    }
    /// The multiprocessors of a context; null is no context here (F125).
    fn cuCtxGetDevResource(
        hCtx: CUcontext,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) [null(1) = CUDA_ERROR_INVALID_VALUE, after_fault] {
        entry::wanted(resource)?;
        check_type(type_)?;
        of_context(&*context::find(hCtx)?, resource)
    }
    /// Splits multiprocessors into groups of at least `minCount`, or says how many there could be
    /// (F126).
    fn cuDevSmResourceSplitByCount(
        result: *mut CUdevResource,
        nbGroups: *mut c_uint,
        input: *const CUdevResource,
        remainder: *mut CUdevResource,
        flags: c_uint,
        minCount: c_uint,
    ) [after_fault] {
        let (wanted, input) = (entry::read(nbGroups)?, entry::read(input)?);
        check_type(input.r#type)?;
        let contradictory = flags & IGNORE != 0 && flags & CLUSTERS != 0;
        if contradictory || (!result.is_null() && wanted == 0) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (all, origin) = Resource::read(&input)?;
        if origin == Origin::Part {
            return Err(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
        }
        let (part, most) = all.parts(minCount, flags)?;
        if result.is_null() {
            return entry::write(nbGroups, most);
        }
        let groups = wanted.min(most);
        let rest = all.count - groups * part.count;
        match rest {
            // No type, and nothing else.
            0 => entry::write_optional(remainder, nothing()),
            _ if remainder.is_null() => {}
            _ => Resource { count: rest, alignment: PAIR, ..all }.write(remainder, Origin::Part)?,
        }
        for i in 0..groups as usize {
            part.write(result.wrapping_add(i), Origin::Part)?;
        }
        entry::write(nbGroups, groups)
    }
    /// Describes resources of one device, taken together (F127).
    fn cuDevResourceGenerateDesc(
        phDesc: *mut CUdevResourceDesc,
        resources: *mut CUdevResource,
        nbResources: c_uint,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, null(1) = CUDA_ERROR_INVALID_VALUE, after_fault] {
        entry::wanted(phDesc)?;
        // The real driver dies of none.
        if nbResources == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (mut together, _) = Resource::read(&entry::read(resources)?)?;
        for i in 1..nbResources as usize {
            let (one, _) = Resource::read(&entry::element(resources, i)?)?;
            if one.device != together.device {
                return Err(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
            }
            together.count = (together.count + one.count).min(MULTIPROCESSORS);
            together.alignment = together.alignment.min(one.alignment);
        }
        let (handle, _) = state().descriptions.insert(|_| Description { resource: together });
        entry::write(phDesc, std::ptr::without_provenance_mut(handle))
    }
}

/// A structure that holds no resource.
fn nothing() -> CUdevResource {
    CUdevResource {
        r#type: CU_DEV_RESOURCE_TYPE_INVALID,
        _internal_padding: [0; 92],
        anonymous: CUdevResource_v1_anonymous { _oversize: [0; 40] },
        nextResource: std::ptr::null_mut(),
    }
}
