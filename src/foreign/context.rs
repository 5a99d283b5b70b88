//! Raw context handles from and for foreign code.
#![allow(unsafe_code, reason = "calls the driver, with handles that the caller vouches for")]

use crate::call::name;
use crate::context::{Context, End, current_context, green, primary};
use crate::device::Device;
use crate::driver::init;
use crate::error::{Error, Result};
use crate::registry::contexts;
use crate::stack::ContextStack;
use ffi::{CUcontext, CUgreenCtx};

const CALL: &str = name!(cuCtxGetDevice);

/// The ownership of a foreign context that [`Context::from_raw`] receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ownership {
    /// The last clone releases the context in place of the foreign code. It destroys a context that was
    /// created, and releases a primary context once.
    TakeOver,
    /// Foreign code keeps the context, and releases it after the last clone is gone.
    Borrow,
    /// The context is a primary context and is retained once more. The last clone releases this retain, and
    /// foreign code keeps its own.
    RetainPrimary,
}

/// A context that foreign code now owns, from [`Context::into_raw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the context leaks unless the owner of this value releases it"]
pub struct RawContext {
    /// The handle.
    pub raw: CUcontext,
    /// The call that releases it.
    pub release: ReleaseWith,
}

/// The driver call that releases a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReleaseWith {
    /// `cuCtxDestroy` with the handle.
    Destroy,
    /// `cuDevicePrimaryCtxRelease` with the device, once.
    ReleasePrimary(Device),
    /// `cuGreenCtxDestroy` with this handle.
    DestroyGreen(CUgreenCtx),
    /// None, because the context was borrowed.
    Nothing,
}

impl Context {
    /// Creates a context from a handle of foreign code.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for null, and for [`Ownership::RetainPrimary`] with a
    /// context that is not a primary one; a driver error. Nothing is taken over then.
    ///
    /// # Safety
    /// 1. `raw` is null, or a context of this process that is alive.
    /// 2. With [`TakeOver`](Ownership::TakeOver): the caller was responsible for releasing the context. From
    ///    now on it neither releases it nor uses it after the last clone. The context does not belong to a
    ///    green context.
    /// 3. With [`Borrow`](Ownership::Borrow): the context stays alive until its last clone, guard and handle is
    ///    gone.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextStack, Result, ffi, foreign::Ownership};
    ///
    /// /// Called with the context that the host application works in.
    /// ///
    /// /// # Safety
    /// /// `raw` is a context that stays alive during the call.
    /// unsafe fn plugin_flush(raw: ffi::CUcontext) -> Result {
    ///     // SAFETY: 1. and 3. are the caller's.
    ///     let context = unsafe { Context::from_raw(raw, Ownership::Borrow) }?;
    ///     ContextStack::reentrant(|stack| stack.push(&context)?.synchronize())
    /// }
    /// ```
    #[inline]
    pub unsafe fn from_raw(raw: CUcontext, ownership: Ownership) -> Result<Context> {
        init()?;
        if raw.is_null() {
            let reason = "the handle is null: no context was current, or none was created";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        let device = device_of(raw)?;
        let end = match ownership {
            Ownership::Borrow => End::Nothing,
            Ownership::TakeOver if is_primary(raw, device)? => End::Release,
            Ownership::TakeOver => End::Destroy,
            Ownership::RetainPrimary => {
                let context = Context::primary(device)?;
                if context.raw() == raw {
                    return Ok(context);
                }
                let reason = "the context is not the primary context of its device: use `Borrow` \
                              or `TakeOver`";
                return Err(Error::InvalidArgument {
                    call: name!(cuDevicePrimaryCtxRetain),
                    reason: reason.into(),
                });
            }
        };
        Ok(Context::own(raw, device, end))
    }

    /// Takes a green context over from foreign code. The last clone destroys it.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.4; a driver error. Nothing is taken over then.
    ///
    /// # Safety
    /// 1. `raw` is a green context of this process that is alive, and the caller was responsible for destroying
    ///    it. From now on it neither destroys it nor uses it after the last clone.
    #[doc(alias = "cuCtxFromGreenCtx")]
    #[inline]
    pub unsafe fn from_raw_green(raw: CUgreenCtx) -> Result<Context> {
        init()?;
        // SAFETY: a green context that is alive (1).
        let context = unsafe { green::context_of(raw) }?;
        Ok(Context::own(context, device_of(context)?, End::DestroyGreen(raw)))
    }

    /// Gives the context to foreign code, together with the call that releases it.
    ///
    /// [`from_raw`](Self::from_raw) takes it over again.
    ///
    /// # Errors
    /// `Err(self)` if something else still holds it, such as a clone, guard or handle.
    #[inline]
    pub fn into_raw(self) -> Result<RawContext, Context> {
        let inner = self.into_inner()?;
        contexts::forget(inner.entry);
        let release = match inner.end {
            End::Destroy => ReleaseWith::Destroy,
            End::Release => ReleaseWith::ReleasePrimary(inner.device),
            End::DestroyGreen(green) => ReleaseWith::DestroyGreen(green),
            End::Nothing => ReleaseWith::Nothing,
        };
        Ok(RawContext { raw: inner.raw, release })
    }
}

/// Returns the device of a context that is alive. The driver reports only the device of the current context, so
/// this pushes the context for the query.
#[inline]
fn device_of(raw: CUcontext) -> Result<Device> {
    let unknown = Device::from_raw(ffi::CU_DEVICE_INVALID);
    let context = Context::own(raw, unknown, End::Nothing);
    ContextStack::reentrant(|stack| {
        let gpu = stack.push(&context)?;
        let device = current_context()?.ok_or(Error::NotCurrent { call: CALL })?.device()?;
        gpu.pop()?;
        Ok(device)
    })
}

/// Returns whether a live context is the primary context of its device.
#[inline]
fn is_primary(raw: CUcontext, device: Device) -> Result<bool> {
    if !device.primary_context_state()?.active {
        return Ok(false); // and is not activated for the question
    }
    let primary = Context::own(primary::retain(device)?, device, End::Release);
    Ok(primary.raw() == raw)
}
