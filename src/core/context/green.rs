//! Green contexts: contexts with their own multiprocessors.
#![allow(unsafe_code, reason = "calls the driver, and reads a union that it wrote")]

use super::{Context, End};
use crate::call::{Answer, answer, name};
use crate::device::Device;
use crate::driver::init;
use crate::error::{Error, Result};
use ffi::{
    CU_DEV_RESOURCE_TYPE_INVALID, CU_DEV_RESOURCE_TYPE_SM, CUcontext, CUdevResource,
    CUdevResource_v1_anonymous, CUdevSmResourceSplitByCount_flags as Split, CUgreenCtx,
    CUgreenCtxCreate_flags, CUresult,
};
use static_assertions::assert_impl_all;
use std::fmt;
use std::ptr;

/// Multiprocessors of a device: all of them, or a part for green contexts.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextStack, Device, context::SmSplitFlags};
///
/// # fn main() -> cuscope::Result {
/// # cuscope::init()?;
/// # if cuscope::driver_version()? < (cuscope::DriverVersion { major: 12, minor: 4 }) { return Ok(()); }
/// let all = Device::get(0)?.sm_resource()?;
/// let split = all.split_by_count(2, 16, SmSplitFlags::empty())?;
/// let small = Context::create_green(&split.groups[..1])?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&small)?; // as any other context
/// let stream = gpu.stream()?; // its work runs on those multiprocessors
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct SmResource {
    raw: CUdevResource,
    device: Device,
}
assert_impl_all!(SmResource: Send, Sync);
// SAFETY: a value without owner or thread; `nextResource` is null (`new`) and never followed.
unsafe impl Send for SmResource {}
// SAFETY: as for `Send`.
unsafe impl Sync for SmResource {}

ffi::flags! {
    /// Flags that control how multiprocessors are split.
    #[derive(Default)]
    pub struct SmSplitFlags: u32 {
        /// Ignores which multiprocessors are scheduled together. Parts are finer, but do not support clusters
        /// of blocks.
        const IGNORE_SM_COSCHEDULING = Split::CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING.bits();
        /// Allows clusters of blocks to be as large as possible.
        const MAX_POTENTIAL_CLUSTER_SIZE =
            Split::CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE.bits();
    }
}

/// The result of [`SmResource::split_by_count`].
#[derive(Clone, Debug)]
pub struct SmSplit {
    /// The parts, all of the same size.
    pub groups: Vec<SmResource>,
    /// The multiprocessors that are left over, if any.
    pub remainder: Option<SmResource>,
}

impl Device {
    /// Returns all multiprocessors of the device.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.4; a driver error.
    #[doc(alias = "cuDeviceGetDevResource")]
    #[inline]
    pub fn sm_resource(self) -> Result<SmResource> {
        let get = ffi::cuDeviceGetDevResource()?;
        SmResource::new(self, |to| {
            // SAFETY: writes one resource to `to`, which is valid for it.
            unsafe {
                answer!(cuDeviceGetDevResource = get(self.raw(), to, CU_DEV_RESOURCE_TYPE_SM))
            }
        })
    }
}

impl SmResource {
    fn new(device: Device, get: impl FnOnce(*mut CUdevResource) -> Answer) -> Result<SmResource> {
        let mut raw = blank();
        get(&raw mut raw).check()?;
        raw.nextResource = ptr::null_mut();
        Ok(SmResource { raw, device })
    }

    /// Returns the number of multiprocessors.
    #[must_use]
    #[inline]
    pub fn count(&self) -> u32 {
        // SAFETY: the resource is of this kind: the driver was asked for it, or split one. All fields
        // of the union are plain numbers.
        unsafe { self.raw.anonymous.sm }.smCount
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Splits the multiprocessors into up to `groups` parts of at least `min_count` each.
    ///
    /// The driver rounds `min_count` up to a number that the device can separate. Parts cannot be split again
    /// ([F126](crate::driver_facts#F126)).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for 0 groups; `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` for more
    /// multiprocessors than there are, and for a part; `CUDA_ERROR_INVALID_VALUE` for both flags
    /// ([F126](crate::driver_facts#F126)); [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.4.
    #[doc(alias = "cuDevSmResourceSplitByCount")]
    #[inline]
    pub fn split_by_count(
        &self,
        groups: u32,
        min_count: u32,
        flags: SmSplitFlags,
    ) -> Result<SmSplit> {
        if groups == 0 {
            let reason = "the number of groups is 0: split into at least one group";
            return Err(Error::InvalidArgument {
                call: name!(cuDevSmResourceSplitByCount),
                reason: reason.into(),
            });
        }
        let split = ffi::cuDevSmResourceSplitByCount()?;
        // No more groups than multiprocessors: a request for 2^32 must not allocate as many.
        let mut made = groups.min(self.count());
        let mut parts = vec![blank(); made as usize];
        let mut rest = blank();
        let (parts_at, rest_at) = (parts.as_mut_ptr(), &raw mut rest);
        // SAFETY: reads one resource, writes up to `made` of them to `parts`, which has as many, their
        // number to `made`, and one to `rest`.
        unsafe {
            answer!(
                cuDevSmResourceSplitByCount = split(
                    parts_at,
                    &raw mut made,
                    &raw const self.raw,
                    rest_at,
                    flags.bits(),
                    min_count
                )
            )
        }
        .explain(|code| self.why_not_split(min_count, flags, code))?;
        parts.truncate(made as usize);
        let part = |raw| SmResource { raw, device: self.device };
        let groups = parts.into_iter().map(|raw| part(unlinked(raw))).collect();
        let left = rest.r#type != CU_DEV_RESOURCE_TYPE_INVALID;
        Ok(SmSplit {
            groups,
            remainder: left.then(|| part(unlinked(rest))).filter(|r| r.count() > 0),
        })
    }
}

impl SmResource {
    /// Returns why the driver did not split it so.
    #[cold]
    fn why_not_split(&self, min_count: u32, flags: SmSplitFlags, code: CUresult) -> Option<String> {
        if flags.contains(SmSplitFlags::all()) {
            return Some("clusters need multiprocessors that are scheduled together: pass one of `SmSplitFlags`".to_owned());
        }
        let all = self.count();
        // Of too many groups, the driver makes as many as there can be.
        if min_count > all {
            return Some(format!(
                "groups of at least {min_count} multiprocessors were requested, and there are {all}: request fewer"
            ));
        }
        (code == ffi::CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION).then(|| {
            format!(
                "these {all} multiprocessors are a part, which is not split again: split those of `Device::sm_resource`"
            )
        })
    }
}

#[inline]
fn blank() -> CUdevResource {
    CUdevResource {
        r#type: CU_DEV_RESOURCE_TYPE_INVALID,
        _internal_padding: [0; 92],
        anonymous: CUdevResource_v1_anonymous { _oversize: [0; 40] },
        nextResource: ptr::null_mut(),
    }
}

#[inline]
fn unlinked(mut raw: CUdevResource) -> CUdevResource {
    raw.nextResource = ptr::null_mut();
    raw
}

impl fmt::Debug for SmResource {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SmResource({} of {:?})", self.count(), self.device)
    }
}

impl Context {
    /// Creates a green context. Work on its streams runs only on the multiprocessors of `resources`, which come
    /// from one split.
    ///
    /// The call takes about 0.13 s ([F97](crate::driver_facts#F97)). A green context keeps the device's primary
    /// context active, and shares its memory, limits, caches and flags ([F130](crate::driver_facts#F130),
    /// [F132](crate::driver_facts#F132)).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for no resources, or resources of several devices;
    /// [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.4; a driver error.
    #[doc(alias = "cuGreenCtxCreate")]
    #[doc(alias = "cuDevResourceGenerateDesc")]
    #[doc(alias = "cuCtxFromGreenCtx")]
    #[inline]
    pub fn create_green(resources: &[SmResource]) -> Result<Context> {
        let refused = |reason: &'static str| Error::InvalidArgument {
            call: name!(cuDevResourceGenerateDesc),
            reason: reason.into(),
        };
        let (Some(first), Ok(count)) = (resources.first(), u32::try_from(resources.len())) else {
            return Err(refused("the list of resources is empty: pass at least one"));
        };
        let device = first.device;
        if resources.iter().any(|resource| resource.device != device) {
            return Err(refused(
                "the resources belong to different devices: pass resources of one device",
            ));
        }
        init()?;
        let (describe, create) = (ffi::cuDevResourceGenerateDesc()?, ffi::cuGreenCtxCreate()?);
        let mut parts: Vec<_> = resources.iter().map(|resource| resource.raw).collect();
        let mut described = ptr::null_mut();
        // SAFETY: writes one handle to `described`, and reads `count` resources at `parts`.
        unsafe {
            answer!(
                cuDevResourceGenerateDesc = describe(&raw mut described, parts.as_mut_ptr(), count)
            )
        }
        .check()?;
        let mut green = ptr::null_mut();
        let flags = CUgreenCtxCreate_flags::CU_GREEN_CTX_DEFAULT_STREAM.bits();
        // SAFETY: writes one handle to `green`; the description was made above.
        unsafe {
            answer!(cuGreenCtxCreate = create(&raw mut green, described, device.raw(), flags))
        }
        .check()?;
        // SAFETY: created above, and alive.
        match unsafe { context_of(green) } {
            Ok(raw) => Ok(Context::own(raw, device, End::DestroyGreen(green))),
            Err(error) => {
                crate::driver::release::report(destroy(green));
                Err(error)
            }
        }
    }

    /// Returns the multiprocessors that the context's work runs on: for a green context its own, otherwise all
    /// of the device's. Those of a stream are those of its [context](crate::Stream::context).
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.4; a driver error.
    #[doc(alias = "cuCtxGetDevResource")]
    #[doc(alias = "cuStreamGetDevResource")]
    #[inline]
    pub fn sm_resource(&self) -> Result<SmResource> {
        let get = ffi::cuCtxGetDevResource()?;
        SmResource::new(self.device(), |to| {
            // SAFETY: writes one resource to `to`, which is valid for it; the context is alive.
            unsafe { answer!(cuCtxGetDevResource = get(self.raw(), to, CU_DEV_RESOURCE_TYPE_SM)) }
        })
    }

    /// Returns the handle of the green context, for calls of [`ffi`]. It is valid while a clone lives. Do not
    /// destroy it.
    #[must_use]
    #[inline]
    pub fn raw_green(&self) -> Option<CUgreenCtx> {
        match self.inner.end {
            End::DestroyGreen(green) => Some(green),
            _ => None,
        }
    }
}

/// Returns the context that represents a green context on the stack.
///
/// # Safety
/// 1. `green` is a green context that is alive.
#[inline]
pub(crate) unsafe fn context_of(green: CUgreenCtx) -> Result<CUcontext> {
    let get = ffi::cuCtxFromGreenCtx()?;
    let mut raw = ptr::null_mut();
    // SAFETY: writes one handle to `raw`, which is valid for it; `green` is alive (1).
    unsafe { answer!(cuCtxFromGreenCtx = get(&raw mut raw, green)) }.check()?;
    Ok(raw)
}

/// Destroys a green context. Its only owner calls this once.
#[inline]
pub(super) fn destroy(green: CUgreenCtx) -> Answer {
    match ffi::cuGreenCtxDestroy() {
        // SAFETY: created and not destroyed; no guard or handle of it is left, since each holds a
        // clone of its context.
        Ok(destroy) => unsafe { answer!(cuGreenCtxDestroy = destroy(green)) },
        // The code that created it had the function.
        Err(_) => Answer::new(name!(cuGreenCtxDestroy), ffi::CUDA_ERROR_NOT_SUPPORTED),
    }
}
