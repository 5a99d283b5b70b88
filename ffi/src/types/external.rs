//! Memory and semaphores of other interfaces, handles of other processes.

use crate::CUDA_ARRAY3D_DESCRIPTOR;
use core::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};

/// A handle to memory that other nodes of the fabric can import.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemFabricHandle_v1 {
    /// For the driver alone.
    pub data: [c_uchar; 64],
}

/// A handle to memory that other nodes of the fabric can import.
pub type CUmemFabricHandle = CUmemFabricHandle_v1;

/// A handle to an event that another process can open.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUipcEventHandle_v1 {
    /// Reserved; zero.
    pub reserved: [c_char; 64],
}

/// A handle to an event that another process can open.
pub type CUipcEventHandle = CUipcEventHandle_v1;

/// A handle to memory that another process can open.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUipcMemHandle_v1 {
    /// Reserved; zero.
    pub reserved: [c_char; 64],
}

/// A handle to memory that another process can open.
pub type CUipcMemHandle = CUipcMemHandle_v1;

flags! {
    /// How memory of another process is opened.
    pub struct CUipcMem_flags: c_uint {
        /// Peer access is enabled if it is needed.
        const CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 0x1;
    }
}

enumeration! {
    /// Kinds of handles to memory of other interfaces.
    pub enum CUexternalMemoryHandleType: c_uint {
        /// A file descriptor.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
        /// A handle of Windows.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
        /// A handle of Windows that all processes share.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
        /// A heap of Direct3D 12.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
        /// A committed resource of Direct3D 12.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5,
        /// A resource of Direct3D 11.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
        /// A resource of Direct3D 11, by a handle that all processes share.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7,
        /// An `NvSciBufObj`.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF = 8,
        /// The file descriptor of a DMA-BUF.
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD = 9,
    }
}

/// Memory of another interface, to be imported.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1 {
    /// The kind of handle.
    pub r#type: CUexternalMemoryHandleType,
    /// The handle, by its type.
    pub handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle,
    /// Bytes of the memory.
    pub size: c_ulonglong,
    /// Flags: [`CUDA_EXTERNAL_MEMORY_DEDICATED`].
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// The field `handle` of [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle {
    /// A file descriptor.
    pub fd: c_int,
    /// A handle of Windows, or its name.
    pub win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle_win32,
    /// An `NvSciBufObj`.
    pub nvSciBufObject: *const c_void,
}

/// The field `win32` of [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle_win32 {
    /// The handle.
    pub handle: *mut c_void,
    /// The name of the object; null if the handle is given.
    pub name: *const c_void,
}

/// Memory of another interface, to be imported.
pub type CUDA_EXTERNAL_MEMORY_HANDLE_DESC = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;

/// A buffer in imported memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1 {
    /// Bytes from the start.
    pub offset: c_ulonglong,
    /// Bytes.
    pub size: c_ulonglong,
    /// Zero.
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// A buffer in imported memory.
pub type CUDA_EXTERNAL_MEMORY_BUFFER_DESC = CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;

/// A mipmapped array in imported memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1 {
    /// Bytes from the start.
    pub offset: c_ulonglong,
    /// The array.
    pub arrayDesc: CUDA_ARRAY3D_DESCRIPTOR,
    /// How many mip levels.
    pub numLevels: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// A mipmapped array in imported memory.
pub type CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1;

enumeration! {
    /// Kinds of handles to semaphores of other interfaces.
    pub enum CUexternalSemaphoreHandleType: c_uint {
        /// A file descriptor.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
        /// A handle of Windows.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
        /// A handle of Windows that all processes share.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
        /// A fence of Direct3D 12.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
        /// A fence of Direct3D 11.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE = 5,
        /// An `NvSciSyncObj`.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC = 6,
        /// A keyed mutex of Direct3D 11.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX = 7,
        /// A keyed mutex of Direct3D 11, by a handle that all processes share.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT = 8,
        /// A timeline semaphore, by a file descriptor.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
        /// A timeline semaphore, by a handle of Windows.
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10,
    }
}

/// A semaphore of another interface, to be imported.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 {
    /// The kind of handle.
    pub r#type: CUexternalSemaphoreHandleType,
    /// The handle, by its type.
    pub handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle,
    /// Zero.
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// The field `handle` of [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle {
    /// A file descriptor.
    pub fd: c_int,
    /// A handle of Windows, or its name.
    pub win32: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32,
    /// An `NvSciSyncObj`.
    pub nvSciSyncObj: *const c_void,
}

/// The field `win32` of [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32 {
    /// The handle.
    pub handle: *mut c_void,
    /// The name of the object; null if the handle is given.
    pub name: *const c_void,
}

/// A semaphore of another interface, to be imported.
pub type CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1;

/// How an imported semaphore is signalled.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 {
    /// The parameters, by the kind of semaphore.
    pub params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// The field `params` of [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params {
    /// A fence.
    pub fence: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_fence,
    /// For a semaphore of NvSciSync.
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_nvSciSync,
    /// For a keyed mutex.
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_keyedMutex,
    /// Reserved; zero.
    pub reserved: [c_uint; 12],
}

/// The field `fence` of [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_fence {
    /// The value to compare with or to write.
    pub value: c_ulonglong,
}

/// The field `nvSciSync` of [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_nvSciSync {
    /// A fence.
    pub fence: *mut c_void,
    /// Reserved; zero.
    pub reserved: c_ulonglong,
}

/// The field `keyedMutex` of [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_keyedMutex {
    /// The key.
    pub key: c_ulonglong,
}

/// How an imported semaphore is signalled.
pub type CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1;

/// How an imported semaphore is waited for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 {
    /// The parameters, by the kind of semaphore.
    pub params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// The field `params` of [`CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params {
    /// A fence.
    pub fence: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_fence,
    /// For a semaphore of NvSciSync.
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_nvSciSync,
    /// For a keyed mutex.
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_keyedMutex,
    /// Reserved; zero.
    pub reserved: [c_uint; 10],
}

/// The field `fence` of [`CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_fence {
    /// The value to compare with or to write.
    pub value: c_ulonglong,
}

/// The field `nvSciSync` of [`CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_nvSciSync {
    /// A fence.
    pub fence: *mut c_void,
    /// Reserved; zero.
    pub reserved: c_ulonglong,
}

/// The field `keyedMutex` of [`CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_keyedMutex {
    /// The key.
    pub key: c_ulonglong,
    /// Milliseconds to wait at most.
    pub timeoutMs: c_uint,
}

/// How an imported semaphore is waited for.
pub type CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1;

/// A size in elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUextent3D_v1 {
    /// The width.
    pub width: usize,
    /// The height.
    pub height: usize,
    /// The depth.
    pub depth: usize,
}

/// A size in elements.
pub type CUextent3D = CUextent3D_v1;

/// Bytes of a handle for another process.
pub const CU_IPC_HANDLE_SIZE: c_uint = 64;
/// The memory is a dedicated resource.
pub const CUDA_EXTERNAL_MEMORY_DEDICATED: c_uint = 0x1;
/// Signal without synchronising the memory of NvSciBuf.
pub const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC: c_uint = 0x1;
/// Wait without synchronising the memory of NvSciBuf.
pub const CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC: c_uint = 0x2;
/// Ask for the attributes of NvSciSync that signalling needs.
pub const CUDA_NVSCISYNC_ATTR_SIGNAL: c_uint = 0x1;
/// Ask for the attributes of NvSciSync that waiting needs.
pub const CUDA_NVSCISYNC_ATTR_WAIT: c_uint = 0x2;
