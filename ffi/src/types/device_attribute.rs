//! The attributes of a device.

use core::ffi::c_uint;

enumeration! {
    /// An attribute of a device, for `cuDeviceGetAttribute`.
    pub enum CUdevice_attribute: c_uint {
        /// Threads in a block, at most.
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        /// Extent of a block in x, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        /// Extent of a block in y, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        /// Extent of a block in z, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        /// Extent of a grid in x, at most.
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        /// Extent of a grid in y, at most.
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        /// Extent of a grid in z, at most.
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        /// Shared memory of a block in bytes, at most, without opting in to more.
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        /// The earlier name of [`CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK`].
        CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
        /// Constant memory in bytes.
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
        /// Threads in a warp.
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        /// Greatest pitch of a copy, in bytes.
        CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
        /// 32-bit registers of a block, at most.
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
        /// The earlier name of [`CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK`].
        CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
        /// Clock frequency in kHz.
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
        /// Alignment of textures, in bytes.
        CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
        /// Whether copies and kernels overlap; [`CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT`] says
        /// more.
        CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
        /// Number of multiprocessors.
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        /// 1 if kernels are stopped after a time.
        CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
        /// 1 if the device uses the host's memory.
        CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
        /// 1 if host memory can be mapped into the device's address space.
        CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
        /// Who may use the device: a `CUcomputemode`.
        CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
        /// Greatest width of a 1D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
        /// Greatest width of a 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
        /// Greatest height of a 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
        /// Greatest width of a 3D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
        /// Greatest height of a 3D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
        /// Greatest depth of a 3D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
        /// Greatest width of a layered 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
        /// Greatest height of a layered 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
        /// Most layers of a layered 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
        /// Greatest width of a layered 2D texture; the earlier name.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
        /// Greatest height of a layered 2D texture; the earlier name.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
        /// Most layers of a layered 2D texture; the earlier name.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29,
        /// Alignment of surfaces, in bytes.
        CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
        /// 1 if kernels of one context can run at the same time.
        CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
        /// 1 if error correction is on.
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
        /// PCI bus number.
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
        /// PCI device number.
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
        /// Whether the driver is a TCC driver of Windows.
        CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
        /// Memory clock frequency in kHz.
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
        /// Width of the memory bus in bits.
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
        /// Size of the L2 cache in bytes.
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        /// Threads resident on a multiprocessor, at most.
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        /// Number of copy engines.
        CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
        /// 1 if host and device share one address space.
        CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
        /// Greatest width of a layered 1D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
        /// Most layers of a layered 1D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
        /// Without meaning; not to be used.
        CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
        /// Greatest width of a gathered 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45,
        /// Greatest height of a gathered 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
        /// Greatest width of a 3D texture, where the other extents are the alternate ones.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
        /// Greatest height of a 3D texture, where the other extents are the alternate ones.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
        /// Greatest depth of a 3D texture, where the other extents are the alternate ones.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49,
        /// PCI domain number.
        CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
        /// Alignment of the pitch of textures, in bytes.
        CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
        /// Greatest width of a cube map texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
        /// Greatest width of a layered cube map texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
        /// Most layers of a layered cube map texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54,
        /// Greatest width of a 1D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
        /// Greatest width of a 2D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,
        /// Greatest height of a 2D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
        /// Greatest width of a 3D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,
        /// Greatest height of a 3D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
        /// Greatest depth of a 3D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60,
        /// Greatest width of a layered 1D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
        /// Most layers of a layered 1D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
        /// Greatest width of a layered 2D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
        /// Greatest height of a layered 2D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
        /// Most layers of a layered 2D surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65,
        /// Greatest width of a cube map surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
        /// Greatest width of a layered cube map surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
        /// Most layers of a layered cube map surface.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
        /// Greatest width of a linear 1D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
        /// Greatest width of a linear 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
        /// Greatest height of a linear 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71,
        /// Greatest pitch of a linear 2D texture, in bytes.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
        /// Greatest width of a mipmapped 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
        /// Greatest height of a mipmapped 2D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74,
        /// Compute capability, the number before the point.
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        /// Compute capability, the number after the point.
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        /// Greatest width of a mipmapped 1D texture.
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
        /// 1 if streams have priorities.
        CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
        /// Whether global memory is cached in L1.
        CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
        /// Whether local memory is cached in L1.
        CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
        /// Shared memory of a multiprocessor in bytes.
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
        /// 32-bit registers of a multiprocessor.
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        /// 1 if managed memory is available.
        CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
        /// Whether other devices are on the same board.
        CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
        /// A number that the devices of a board share.
        CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
        /// Whether atomic operations work on host memory.
        CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
        /// How much faster single precision is than double.
        CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
        /// Whether the device accesses pageable host memory.
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
        /// Whether host and device access managed memory at the same time.
        CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
        /// Whether kernels can be preempted.
        CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
        /// Whether registered host memory has the host's address on the device.
        CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
        /// Whether streams wait for and write values, in the first form of the functions.
        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92,
        /// Whether that goes for 64 bits, in the first form of the functions.
        CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
        /// Whether that goes for `CU_STREAM_WAIT_VALUE_NOR`, in the first form of the functions.
        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94,
        /// 1 if cooperative launches are available.
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
        /// Whether a cooperative launch can span devices.
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
        /// Shared memory of a block in bytes, at most, for a kernel that opted in.
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        /// Whether a stream can flush remote writes.
        CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
        /// Whether host memory can be registered.
        CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
        /// Whether the device uses the host's page tables for pageable memory.
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
        /// Whether the host accesses managed memory on the device where it is.
        CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
        /// The earlier name of [`CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`].
        CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
        /// Whether memory is mapped by `cuMemMap` and its like.
        CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
        /// Whether allocations are exported as file descriptors.
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
        /// Whether allocations are exported as handles of Windows.
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
        /// Whether allocations are exported as handles of Windows that all processes share.
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
        /// Blocks resident on a multiprocessor, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
        /// Whether memory can be compressed.
        CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
        /// Greatest part of the L2 cache for data that persist, in bytes.
        CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
        /// Greatest range of a `CUaccessPolicyWindow`, in bytes.
        CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
        /// Whether other devices access memory mapped by `cuMemMap`.
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
        /// Shared memory of a block that the driver keeps, in bytes.
        CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
        /// Whether arrays can be sparse.
        CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED = 112,
        /// Whether host memory can be registered to be read only.
        CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
        /// Whether timeline semaphores can be imported.
        CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
        /// 1 if stream-ordered allocation is available.
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
        /// Whether other devices access the memory directly.
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
        /// How writes of other devices are flushed: `CUflushGPUDirectRDMAWritesOptions`.
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
        /// Who sees writes of other devices in order: `CUGPUDirectRDMAWritesOrdering`.
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
        /// The handles that pools are exported as: bits of `CUmemAllocationHandleType`.
        CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119,
        /// Whether a launch can have clusters.
        CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
        /// Whether memory can be mapped to arrays later.
        CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121,
        /// Whether streams wait for and write values of 64 bits.
        CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
        /// Whether streams wait with `CU_STREAM_WAIT_VALUE_NOR`.
        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
        /// Whether memory is exported as a DMA-BUF.
        CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
        /// Whether events are shared with other processes.
        CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
        /// Domains of memory synchronisation.
        CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
        /// Whether kernels can use tensor maps.
        CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
        /// Whether allocations are exported to the fabric.
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128,
        /// Whether function pointers are the same for host and device.
        CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
        /// How the memory is a NUMA node: `CUdeviceNumaConfig`.
        CU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130,
        /// The NUMA node of the memory.
        CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
        /// Whether the device can be in multicast objects.
        CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
        /// Whether the process is a client of MPS.
        CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,
        /// The host's NUMA node nearest to the device.
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
        /// Whether a context can share with Direct3D 12.
        CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED = 135,
        /// The algorithms of the decompression engine: bits of `CUmemDecompressAlgorithm`.
        CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK = 136,
        /// Most bytes that can be decompressed at once.
        CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137,
        /// Whether a context can share with Vulkan.
        CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED = 138,
        /// The PCI device and vendor, 16 bits each.
        CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
        /// The PCI subsystem and its vendor, 16 bits each.
        CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID = 140,
        /// Whether `cuMemMap` and its like work on NUMA nodes of the host.
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141,
        /// Whether pools can be on NUMA nodes of the host.
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142,
        /// Whether memory of the host's NUMA nodes is shared with other machines.
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143,
        /// Whether pools can be in host memory.
        CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED = 144,
        /// Whether `cuMemMap` and its like work on host memory.
        CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145,
        /// Whether page-locked host memory is exported as a DMA-BUF.
        CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146,
        /// Whether only some atomic operations work on host memory.
        CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147,
        /// Whether streams do atomic reductions.
        CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED = 148,
        /// Locality domains.
        CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT = 149,
        /// Oversized shared memory of a block, in bytes, at most.
        CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK = 150,
        /// Whether a stream can share with Direct3D 12.
        CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED = 151,
        /// Whether a DMA-BUF of the memory can be mapped by `mmap`.
        CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED = 152,
        /// Whether there are logical endpoints of one device.
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED = 153,
        /// Whether there are logical endpoints of several devices.
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED = 154,
        /// Whether logical endpoints count operations.
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED = 155,
        /// Whether the owner of a logical endpoint of one device can access it.
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED = 156,
        /// Multiprocessors of each locality domain.
        CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT = 157,
        /// The handles that logical endpoints are exported as.
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES = 158,
        /// Whether a stream can share with Vulkan.
        CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED = 159,
        /// Least bytes that must be accessible for `CU_TENSOR_MAP_ALLOC_CLASS_LARGE`.
        CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE = 160,
        /// Whether other devices access the memory of locality domains.
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED = 161,
        // skipped CU_DEVICE_ATTRIBUTE_MAX: counts the names above, differently in every header
    }
}
