//! Devices and their attributes.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{Answer, answer, name};
use crate::driver::init;
use crate::error::{Error, Result};
use crate::name::Text;
use ffi::{
    CUatomicOperation, CUatomicOperationCapability, CUdevice, CUdevice_P2PAttribute,
    CUdevice_attribute,
};
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fmt;

/// A CUDA device. It identifies a device and owns nothing, so you can copy it and send it to other threads.
#[doc(alias = "cudaGetDeviceProperties")]
#[doc(alias = "CudaDevice")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    raw: CUdevice,
}

/// An attribute of a device. The constants are in [`ffi`], such as [`ffi::CU_DEVICE_ATTRIBUTE_WARP_SIZE`].
pub type DeviceAttribute = CUdevice_attribute;

/// An attribute of the link between two devices. The constants are in [`ffi`]:
/// [`ffi::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK`], [`ffi::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED`],
/// [`ffi::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED`],
/// [`ffi::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED`] and
/// [`ffi::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED`].
pub type P2pAttribute = CUdevice_P2PAttribute;

/// The UUID of a device, the same in every process and after every restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceUuid(pub [u8; 16]);

/// The number by which Windows and its graphics interfaces know a device: [`Device::luid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceLuid {
    /// The number, the same until the machine restarts.
    pub luid: [u8; 8],
    /// A bit for each node that the device has among those with this number.
    pub node_mask: u32,
}

impl fmt::Display for DeviceUuid {
    /// Formats the UUID as `nvidia-smi -L` does.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GPU")?;
        for (i, byte) in self.0.iter().enumerate() {
            let dash = if matches!(i, 0 | 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

impl Device {
    /// Returns the device with a number that the driver returned.
    pub(crate) fn from_raw(raw: CUdevice) -> Device {
        Device { raw }
    }

    /// Returns the device with the given ordinal, 0 to [`count`](Self::count) - 1. Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`]; `CUDA_ERROR_INVALID_DEVICE` if there is no such device
    /// ([F21](crate::driver_facts#F21)).
    #[doc(alias = "cuDeviceGet")]
    #[inline]
    pub fn get(ordinal: u32) -> Result<Device> {
        init()?;
        // An ordinal that does not fit into a `c_int` is as invalid as -1.
        let ordinal = c_int::try_from(ordinal).unwrap_or(-1);
        let mut raw = 0;
        // SAFETY: writes one `CUdevice` to `raw`, which is valid for it; any ordinal may be asked for.
        unsafe { answer!(cuDeviceGet(&raw mut raw, ordinal)) }.explain(|_| no_device(ordinal))?;
        Ok(Device { raw })
    }

    /// Returns the number of devices. Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`].
    #[doc(alias = "cuDeviceGetCount")]
    #[doc(alias = "cudaGetDeviceCount")]
    #[inline]
    pub fn count() -> Result<u32> {
        init()?;
        let mut count = 0;
        // SAFETY: writes one `c_int` to `count`, which is valid for it.
        unsafe { answer!(cuDeviceGetCount(&raw mut count)) }.check()?;
        Ok(count.unsigned_abs())
    }

    /// Returns all devices, in the order of their ordinals. Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`].
    #[inline]
    pub fn all() -> Result<Vec<Device>> {
        (0..Device::count()?).map(Device::get).collect()
    }

    /// Returns the ordinal.
    #[must_use]
    #[inline]
    pub fn ordinal(self) -> u32 {
        self.raw.unsigned_abs()
    }

    /// Returns the device as the functions of [`ffi`] take it.
    #[must_use]
    pub fn raw(self) -> CUdevice {
        self.raw
    }

    /// Returns the name, such as `NVIDIA H200`.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceGetName")]
    #[inline]
    pub fn name(self) -> Result<String> {
        text(|buffer, len| {
            // SAFETY: `text` passes a buffer of `len` bytes; the driver writes at most that many.
            unsafe { answer!(cuDeviceGetName(buffer, len, self.raw)) }
        })
    }

    /// Returns the PCI address, `domain:bus:device.function` in hexadecimal.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceGetPCIBusId")]
    #[inline]
    pub fn pci_bus_id(self) -> Result<String> {
        text(|buffer, len| {
            // SAFETY: `text` passes a buffer of `len` bytes; the driver writes at most that many.
            unsafe { answer!(cuDeviceGetPCIBusId(buffer, len, self.raw)) }
        })
    }

    /// Returns the device at a PCI address, as [`pci_bus_id`](Self::pci_bus_id) and the tools of the system write it. The
    /// domain and the function may be missing ([F254](crate::driver_facts#F254)). Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`]; `CUDA_ERROR_INVALID_DEVICE` if CUDA has no device there, and
    /// `CUDA_ERROR_INVALID_VALUE` for text that is no such address; [`Error::InvalidArgument`] for text with a NUL.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> cuscope::Result {
    /// let device = cuscope::Device::get(0)?;
    /// assert_eq!(cuscope::Device::by_pci_bus_id(&*device.pci_bus_id()?)?, device);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuDeviceGetByPCIBusId")]
    pub fn by_pci_bus_id(address: impl Text) -> Result<Device> {
        const CALL: &str = name!(cuDeviceGetByPCIBusId);
        init()?;
        let (address, mut raw) = (address.with_nul(CALL)?, 0);
        // SAFETY: `address` ends in a NUL and lives until the call returns; one `CUdevice` is written to `raw`, which is
        // valid for it.
        unsafe { answer!(cuDeviceGetByPCIBusId(&raw mut raw, address.as_ptr())) }
            .explain(|code| Some(no_device_at(&address.to_string_lossy(), code)))?;
        Ok(Device { raw })
    }

    /// Returns the number by which Windows and its graphics interfaces know the device.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` on other systems ([F253](crate::driver_facts#F253)).
    #[doc(alias = "cuDeviceGetLuid")]
    #[inline]
    pub fn luid(self) -> Result<DeviceLuid> {
        let (mut luid, mut node_mask) = ([0_u8; 8], 0);
        let to = luid.as_mut_ptr().cast();
        // SAFETY: writes 8 bytes and a number, to places that are valid for them.
        unsafe { answer!(cuDeviceGetLuid(to, &raw mut node_mask, self.raw)) }.check()?;
        Ok(DeviceLuid { luid, node_mask })
    }

    /// Returns the UUID.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceGetUuid")]
    #[inline]
    pub fn uuid(self) -> Result<DeviceUuid> {
        let mut uuid = ffi::CUuuid { bytes: [0; 16] };
        // SAFETY: writes one `CUuuid` to `uuid`, which is valid for it.
        unsafe { answer!(cuDeviceGetUuid_v2(&raw mut uuid, self.raw)) }.check()?;
        Ok(DeviceUuid(uuid.bytes.map(|b| b.to_ne_bytes()[0])))
    }

    /// Returns the total memory of the device in bytes.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceTotalMem")]
    #[inline]
    pub fn total_memory(self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: writes one `usize` to `bytes`, which is valid for it.
        unsafe { answer!(cuDeviceTotalMem_v2(&raw mut bytes, self.raw)) }.check()?;
        Ok(bytes)
    }

    /// Returns one attribute.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know; [`Error::InvalidArgument`]
    /// for a number that is not an attribute in [`ffi`].
    #[doc(alias = "cuDeviceGetAttribute")]
    #[doc(alias = "cudaDeviceGetAttribute")]
    #[inline]
    pub fn attribute(self, attribute: DeviceAttribute) -> Result<i32> {
        if attribute > ffi::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED {
            let reason = format!(
                "no device attribute has this number, {}: use one of `ffi::CU_DEVICE_ATTRIBUTE_…`",
                attribute.0
            );
            return Err(Error::InvalidArgument {
                call: name!(cuDeviceGetAttribute),
                reason: reason.into(),
            });
        }
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the attribute is one.
        unsafe { answer!(cuDeviceGetAttribute(&raw mut value, attribute, self.raw)) }
            .explain(|_| Some(no_attribute("device", attribute.0)))?;
        Ok(value)
    }

    /// Returns whether kernels of this device can access the memory of another one. A device is not its own peer
    /// ([F256](crate::driver_facts#F256)).
    ///
    /// [`PushedGuard::enable_peer_access`](crate::PushedGuard::enable_peer_access) and
    /// [`MemoryPool::set_access`](crate::MemoryPool::set_access) give this access. Copies between devices, such as
    /// [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer), do not need it.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Device, ffi};
    ///
    /// # fn main() -> cuscope::Result {
    /// let devices = Device::all()?;
    /// if let [first, second, ..] = devices[..] {
    ///     if first.can_access_peer(second)? {
    ///         let atomics = ffi::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    ///         println!("atomic operations: {}", first.p2p_attribute(second, atomics)? != 0);
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuDeviceCanAccessPeer")]
    #[doc(alias = "cudaDeviceCanAccessPeer")]
    #[inline]
    pub fn can_access_peer(self, peer: Device) -> Result<bool> {
        let mut can = 0;
        // SAFETY: writes one `c_int` to `can`, which is valid for it.
        unsafe { answer!(cuDeviceCanAccessPeer(&raw mut can, self.raw, peer.raw)) }.check()?;
        Ok(can != 0)
    }

    /// Returns one attribute of the link from this device to another one.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_DEVICE` for a device and itself; `CUDA_ERROR_INVALID_VALUE` for an attribute that the
    /// driver does not know ([F256](crate::driver_facts#F256)).
    #[doc(alias = "cuDeviceGetP2PAttribute")]
    #[inline]
    pub fn p2p_attribute(self, peer: Device, attribute: P2pAttribute) -> Result<i32> {
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the driver checks the attribute.
        unsafe { answer!(cuDeviceGetP2PAttribute(&raw mut value, attribute, self.raw, peer.raw)) }
            .explain(|code| match code {
                ffi::CUDA_ERROR_INVALID_VALUE => Some(no_attribute("link of devices", attribute.0)),
                _ => self.no_link(peer),
            })?;
        Ok(value)
    }

    /// Returns what the device can do on host memory by atomic operations of the link to it, one entry for each operation.
    /// None of a set means that the link has no such operation. Requires a driver of CUDA 13.0 or later.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for no operations, and for one that the driver does not know
    /// ([F495](crate::driver_facts#F495)); [`NeedsDriver`](crate::Error::NeedsDriver).
    #[doc(alias = "cuDeviceGetHostAtomicCapabilities")]
    #[inline]
    pub fn host_atomic_capabilities(
        self,
        operations: &[CUatomicOperation],
    ) -> Result<Vec<CUatomicOperationCapability>> {
        let get = ffi::cuDeviceGetHostAtomicCapabilities()?;
        capabilities(operations, |out, operations, count| {
            // SAFETY: reads `count` operations and writes as many sets, which both lists have.
            unsafe {
                answer!(cuDeviceGetHostAtomicCapabilities = get(out, operations, count, self.raw))
            }
        })
    }

    /// Returns what the device can do on memory of another one by atomic operations of the link between them, one entry for
    /// each operation. Requires a driver of CUDA 13.0 or later.
    ///
    /// # Errors
    /// The errors of [`host_atomic_capabilities`](Self::host_atomic_capabilities); `CUDA_ERROR_INVALID_DEVICE` for a device
    /// and itself.
    #[doc(alias = "cuDeviceGetP2PAtomicCapabilities")]
    #[inline]
    pub fn p2p_atomic_capabilities(
        self,
        peer: Device,
        operations: &[CUatomicOperation],
    ) -> Result<Vec<CUatomicOperationCapability>> {
        let get = ffi::cuDeviceGetP2PAtomicCapabilities()?;
        let (own, other) = (self.raw, peer.raw);
        capabilities(operations, |out, operations, count| {
            // SAFETY: as above.
            unsafe {
                answer!(cuDeviceGetP2PAtomicCapabilities = get(out, operations, count, own, other))
            }
        })
        .map_err(|error| error.because(|_| self.no_link(peer)))
    }

    /// Returns whether it is that two devices are one, which has no link.
    #[cold]
    fn no_link(self, peer: Device) -> Option<String> {
        (self == peer)
            .then(|| format!("device {} has no link with itself: name two devices", self.ordinal()))
    }

    /// Returns the compute capability, `(9, 0)` for 9.0.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub fn compute_capability(self) -> Result<(i32, i32)> {
        Ok((
            self.attribute(ffi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            self.attribute(ffi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ))
    }
}

impl fmt::Debug for Device {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.raw)
    }
}

/// Returns why there is no device with an ordinal.
#[cold]
fn no_device(ordinal: c_int) -> Option<String> {
    let count = Device::count().ok()?;
    Some(format!(
        "there is no device {ordinal}: this process has {count}, and ordinals start at 0; `Device::count` \
         returns the number, and CUDA_VISIBLE_DEVICES may hide some"
    ))
}

/// Returns why there is no device at a PCI address.
#[cold]
#[inline]
fn no_device_at(address: &str, code: ffi::CUresult) -> String {
    let addresses: Vec<_> = Device::all().unwrap_or_default();
    let addresses = addresses.into_iter().filter_map(|device| device.pci_bus_id().ok());
    let addresses = addresses.collect::<Vec<_>>().join(", ");
    match code {
        ffi::CUDA_ERROR_INVALID_DEVICE => {
            format!("no device of this process is at {address:?}: there are some at {addresses}")
        }
        _ => format!("{address:?} is no PCI address: write it as {addresses}"),
    }
}

/// Returns why nothing has the attribute with a number that [`ffi`] has.
#[cold]
pub(crate) fn no_attribute(what: &str, number: u32) -> String {
    let driver = crate::driver::driver_version();
    let driver = driver.map_or_else(|_| String::new(), |version| format!(", of CUDA {version},"));
    format!(
        "this driver{driver} does not know the attribute {number} of a {what}: update the driver"
    )
}

/// Returns the sets that a call writes, one for each operation.
fn capabilities(
    operations: &[CUatomicOperation],
    get: impl FnOnce(*mut c_uint, *const CUatomicOperation, c_uint) -> Answer,
) -> Result<Vec<CUatomicOperationCapability>> {
    let mut found = vec![0; operations.len()];
    let count = c_uint::try_from(operations.len()).unwrap_or(0);
    get(found.as_mut_ptr(), operations.as_ptr(), count).explain(|code| match operations {
        [] => Some("there are no operations: pass at least 1".to_owned()),
        _ => (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| {
            "this driver does not know one of the operations: pass `CU_ATOMIC_OPERATION_…` of its version"
                .to_owned()
        }),
    })?;
    Ok(found.into_iter().map(CUatomicOperationCapability::from_bits_retain).collect())
}

/// Returns a string that the driver writes into a buffer.
fn text(write: impl FnOnce(*mut c_char, c_int) -> Answer) -> Result<String> {
    let mut buffer = [0_u8; 256];
    write(buffer.as_mut_ptr().cast(), 256).check()?;
    let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_reads_as_nvidia_smi_writes_it() {
        let uuid = DeviceUuid([
            0xe0, 0x1e, 0xb3, 0xb5, 0x67, 0x3f, 0xf0, 0x47, 0xb5, 0x2b, 0x3c, 0x5c, 0xd9, 0x00,
            0x01, 0x02,
        ]);
        assert_eq!(uuid.to_string(), "GPU-e01eb3b5-673f-f047-b52b-3c5cd9000102");
    }
}
