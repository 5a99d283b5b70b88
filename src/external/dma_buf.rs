//! Memory of this process for the drivers of other hardware.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{DeviceBuffer, Element, PAGE, PointerKind, pointer_info};
use crate::stack::PushedGuard;
use ffi::{CUdeviceptr, CUresult};
use std::os::fd::{FromRawFd, OwnedFd};

/// # Memory for other hardware
impl<'ctx> PushedGuard<'ctx> {
    /// Exports a buffer as a `dma-buf`, by which other hardware, such as a network card, reads and writes it: give the
    /// descriptor to that hardware's driver, for instance to `ibv_reg_dmabuf_mr`.
    ///
    /// The buffer consists of whole pages of the host. A buffer of at least 2 MiB begins with a page. The memory stays allocated
    /// until the descriptor is closed, also if the buffer is dropped before ([F564](crate::driver_facts#F564)). The program
    /// orders what the other hardware does and the work of this one: nothing else does.
    ///
    /// [`device.attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED)`](crate::Device::attribute) tells whether the device has this.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a size that is 0 or not of whole pages; `CUDA_ERROR_INVALID_VALUE` for
    /// a buffer that does not begin with a page, and for managed memory; [`OtherContext`](Error::OtherContext);
    /// [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_NOT_SUPPORTED` where there is no `dma-buf`, as in the software driver.
    #[doc(alias = "cuMemGetHandleForAddressRange")]
    pub fn export_dma_buf<T: Element>(&self, buffer: &DeviceBuffer<'ctx, T>) -> Result<OwnedFd> {
        const CALL: &str = name!(cuMemGetHandleForAddressRange);
        self.enter(CALL)?;
        if buffer.context() != self.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        let (address, bytes) = (buffer.address(), buffer.size_bytes());
        if bytes == 0 || bytes % PAGE != 0 {
            let reason = format!(
                "a dma-buf has whole pages, and the buffer {bytes} bytes: allocate a multiple of 2 MiB"
            );
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        let mut descriptor = -1;
        let (out, kind) = ((&raw mut descriptor).cast(), ffi::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD);
        // SAFETY: a handle of this kind is a `c_int`, for which `out` is valid; the range is a buffer, which is alive. Acts
        // on the current context, which `enter` found to be the guard's. The flags must be 0.
        unsafe { answer!(cuMemGetHandleForAddressRange(out, address, bytes, kind, 0)) }
            .explain(|code| not_exported(self.device(), address, code))?;
        // SAFETY: the manual of cuMemGetHandleForAddressRange: it creates the descriptor, which is closed by its owner.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }
}

/// Returns why no `dma-buf` was made of memory at an address.
#[cold]
fn not_exported(device: Device, address: CUdeviceptr, code: CUresult) -> Option<String> {
    if code == ffi::CUDA_ERROR_NOT_SUPPORTED {
        let (name, device) = ("CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED", device.ordinal());
        return Some(format!("device {device}, or this system, has no `dma-buf` ({name} is 0)"));
    }
    if address % PAGE as CUdeviceptr != 0 {
        return Some(format!(
            "the buffer begins at {address:#x}, which is no multiple of a page of {PAGE} bytes: allocate at \
             least 2 MiB"
        ));
    }
    let kind = pointer_info(address).ok()??.kind;
    (kind != PointerKind::Device).then(|| {
        "the memory is managed, or of the host: export a buffer of `PushedGuard::alloc`".to_owned()
    })
}
