//! The attributes of a device: those of an H200 (F252), but for what there is none of here.

use crate::entry::Answer;
use crate::lowered::Attribute;
use crate::model::device::Device;
use crate::model::memory::multicast;
use crate::model::memory::physical::Physical;
use core::ffi::c_int;
use cuscope_sys::*;

/// The answers of an H200 with driver 580, from the attribute 1 on.
#[rustfmt::skip]
const OF_AN_H200: [c_int; 147] = [
    1024, 1024, 1024, 64, 2_147_483_647, 65_535, 65_535, 49_152, 65_536, 32, 2_147_483_647, 65_536,
    1_980_000, 512, 1, 132, 0, 0, 1, 0, 131_072, 131_072, 65_536, 16_384, 16_384, 16_384, 32_768,
    32_768, 2048, 512, 1, 1, 0, 6, 0, 3_201_000, 6016, 62_914_560, 2048, 3, 1, 32_768, 2048, 1,
    32_768, 32_768, 8192, 8192, 32_768, 0, 32, 32_768, 32_768, 2046, 32_768, 131_072, 65_536,
    16_384, 16_384, 16_384, 32_768, 2048, 32_768, 32_768, 2048, 32_768, 32_768, 2046, 268_435_456,
    131_072, 65_000, 2_097_120, 32_768, 32_768, 9, 0, 32_768, 1, 1, 1, 233_472, 65_536, 1, 0, 0, 0,
    2, 0, 1, 1, 1, 0, 0, 0, 1, 1, 232_448, 0, 1, 0, 0, 1, 1, 0, 0, 32, 1, 39_321_600, 134_217_728,
    1, 1024, 1, 1, 1, 1, 1, 1, 100, 9, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 0, -1, 0, 0, 0, 0, 0, 0, 0,
    590_680_286, 415_174_878, 1, 1, 0, 1, 1, 0, 0,
];

/// Attributes that an H200 has and this driver has not: 0.
const NOT_MODELLED: [CUdevice_attribute; 14] = [
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH,
    CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING,
    CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
];

/// One attribute of a device; INVALID_VALUE for what is none.
pub(crate) fn attribute(device: &Device, attribute: CUdevice_attribute) -> Answer<c_int> {
    Ok(full(device, attribute)?.min(device.most(Attribute::OfDevice(attribute))))
}

/// The same of a device that has all that there is.
fn full(device: &Device, attribute: CUdevice_attribute) -> Answer<c_int> {
    match attribute {
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => Ok(device.number as c_int),
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID => Ok(0),
        // Of pools, a set of kinds: the descriptors of files alone.
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES
        | CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED => Ok(c_int::from(Physical::IS_SHARED)),
        CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED => Ok(c_int::from(multicast::is_possible())),
        _ if NOT_MODELLED.contains(&attribute) => Ok(0),
        CUdevice_attribute(number) => {
            let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            let value = index.and_then(|index| OF_AN_H200.get(index));
            value.copied().ok_or(CUDA_ERROR_INVALID_VALUE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::limits::MAX_PERSISTING;

    #[test]
    fn attributes_that_the_driver_uses_are_those_that_it_reports() {
        use crate::model::device::*;
        let device = Device::new(0, 3, Vec::new());
        let told = |of| attribute(&device, of).unwrap();
        for (of, value) in [
            (CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, MAX_THREADS as c_int),
            (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, MAX_BLOCK[2] as c_int),
            (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, MAX_GRID[0] as c_int),
            (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, MAX_GRID[1] as c_int),
            (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, MAX_SHARED as c_int),
            (CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, MAX_CONSTANT as c_int),
            (CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, MULTIPROCESSORS as c_int),
            (CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, MAX_PERSISTING as c_int),
            (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9),
            (CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 3),
            (CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED, 0),
        ] {
            assert_eq!(told(of), value, "{of:?}");
        }
        for none in [0, 148] {
            assert!(attribute(&device, CUdevice_attribute(none)).is_err());
        }
    }
}
