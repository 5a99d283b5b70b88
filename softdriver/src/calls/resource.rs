//! The driver functions about [`resource`](crate::model::resource).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::context::Context;
use crate::model::device::MULTIPROCESSORS;
use crate::model::resource::DESCRIPTIONS;
use crate::model::resource::{Description, IGNORE, Origin, PAIR, Resource, check_type};
use crate::model::{context, device};
use crate::{entry, sticky};
use core::ffi::c_uint;
use cuscope_sys::*;

/// The flag of a split for large clusters.
const CLUSTERS: c_uint =
    CUdevSmResourceSplitByCount_flags::CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE.bits();

/// Returns the resources of a device that a descriptor describes; all of them without one.
pub(crate) fn described(desc: CUdevResourceDesc, device: usize) -> Answer<Resource> {
    if desc.is_null() {
        return Ok(Resource::whole(device));
    }
    let found = DESCRIPTIONS.get(desc.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
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
        let (handle, _) = DESCRIPTIONS.insert(|_| Description { resource: together });
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
