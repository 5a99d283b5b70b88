//! The driver functions about [`device`](crate::model::device).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::entry::{self, Answer};
use crate::model::device::all as device_list;
use crate::model::device::{TOTAL_MEMORY, device, numbered, uuid};
use crate::model::device_attribute::attribute;
use core::ffi::{c_char, c_int, c_uint};
use cuscope_sys::*;

/// Bytes of `0000:00:00.0` with its NUL.
const PCI_ADDRESS: c_int = 13;

/// The widest texture of elements of `bytes` bytes: 2^30 of them, or 4 GiB (F255).
fn widest_texture(bytes: usize) -> usize {
    (1 << 30).min((1 << 32) / bytes)
}

/// The bytes of an element; INVALID_VALUE for a format that is none, or with other channels.
fn element(format: CUarray_format, channels: c_uint) -> Answer<usize> {
    let of = |bytes: usize, counts: &[c_uint]| {
        let bytes = bytes * channels as usize;
        if counts.contains(&channels) { Ok(bytes) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    };
    match format {
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT8 => of(1, &[1, 2, 4]),
        CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_HALF => {
            of(2, &[1, 2, 4])
        }
        CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => {
            of(4, &[1, 2, 4])
        }
        CU_AD_FORMAT_UNORM_INT8X1 => of(1, &[1]),
        CU_AD_FORMAT_NV12 => of(1, &[3]),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// A PCI address: `domain:bus:device.function`, or without the first or the last of these, in
/// hexadecimal digits (F254).
fn pci_address(text: &str) -> Option<[u32; 4]> {
    let number = |text: &str| {
        let text = text.strip_prefix("0x").unwrap_or(text);
        u32::from_str_radix(text, 16).ok()
    };
    let (rest, function) = match text.trim_start().split_once('.') {
        Some((rest, function)) => (rest, Some(number(function)?)),
        None => (text.trim_start(), None),
    };
    let parts: Vec<_> = rest.split(':').map(number).collect::<Option<_>>()?;
    match *parts {
        [domain, bus, device] => Some([domain, bus, device, function.unwrap_or(0)]),
        [bus, device] => Some([0, bus, device, function?]),
        _ => None,
    }
}

driver! {
    /// The device of an ordinal.
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) [after_fault] {
        entry::wanted(device)?;
        self::device(ordinal)?;
        entry::write(device, ordinal)
    }
    /// The number of devices.
    fn cuDeviceGetCount(count: *mut c_int) [after_fault] {
        entry::write(count, device_list().len() as c_int)
    }
    /// The name, the same for every device.
    fn cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice) [after_fault] {
        device(dev)?;
        entry::write_text(name, len, "cuscope software device")
    }
    /// The identity.
    fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) [after_fault] {
        let bytes = self::uuid(device(dev)?.number);
        entry::write(uuid, CUuuid { bytes })
    }
    /// Memory of the device.
    fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) [after_fault] {
        device(dev)?;
        entry::write(bytes, TOTAL_MEMORY)
    }
    /// One attribute.
    fn cuDeviceGetAttribute(pi: *mut c_int, attrib: CUdevice_attribute, dev: CUdevice) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        after_fault,
    ] {
        entry::wanted(pi)?;
        entry::write(pi, attribute(device(dev)?, attrib)?)
    }
    /// The PCI address; INVALID_VALUE if it does not fit.
    fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, dev: CUdevice) [after_fault] {
        let device = device(dev)?;
        if len < PCI_ADDRESS {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        entry::write_text(pciBusId, len, &format!("0000:{:02X}:00.0", device.number))
    }
    /// The device at a PCI address.
    fn cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char) [after_fault] {
        entry::wanted(dev)?;
        let address = entry::text(pciBusId)?.to_str().ok().and_then(pci_address);
        let [domain, bus, device, function] = address.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let first = (domain, device, function) == (0, 0, 0);
        if !first {
            return Err(CUDA_ERROR_INVALID_DEVICE);
        }
        entry::write(dev, numbered(bus as usize)?.ordinal as CUdevice)
    }
    /// Nothing but Windows gives devices such a number: NOT_SUPPORTED (F253).
    fn cuDeviceGetLuid(luid: *mut c_char, deviceNodeMask: *mut c_uint, dev: CUdevice) [
        after_fault,
    ] {
        entry::wanted(luid)?;
        entry::wanted(deviceNodeMask)?;
        device(dev)?;
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    /// Waits for nothing: what others write to a device is seen at once.
    fn cuFlushGPUDirectRDMAWrites(
        target: CUflushGPUDirectRDMAWritesTarget,
        scope: CUflushGPUDirectRDMAWritesScope,
    ) {
        stack::current_home()?;
        let scopes = [
            CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER,
            CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES,
        ];
        let known = target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
        if known && scopes.contains(&scope) { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }
    /// The widest linear texture of a format.
    fn cuDeviceGetTexture1DLinearMaxWidth(
        maxWidthInElements: *mut usize,
        format: CUarray_format,
        numChannels: c_uint,
        dev: CUdevice,
    ) [after_fault] {
        entry::wanted(maxWidthInElements)?;
        device(dev)?;
        entry::write(maxWidthInElements, widest_texture(element(format, numChannels)?))
    }
}
