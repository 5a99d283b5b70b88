//! Memory and semaphores of other interfaces (F460 to F470). What other interfaces export is, here, a file in memory, and
//! an eventfd or a counter in a file in memory: `docs/software-driver.md` describes them for tests.

#[cfg(any(not(target_os = "linux"), miri))]
mod elsewhere;
#[cfg(all(target_os = "linux", not(miri)))]
mod linux;
mod memory;
pub(crate) mod nodes;
mod semaphore;

#[cfg(any(not(target_os = "linux"), miri))]
use elsewhere as system;
#[cfg(all(target_os = "linux", not(miri)))]
use linux as system;

pub use memory::{
    cuDestroyExternalMemory, cuExternalMemoryGetMappedBuffer,
    cuExternalMemoryGetMappedMipmappedArray, cuImportExternalMemory,
};
pub use semaphore::{
    cuDestroyExternalSemaphore, cuImportExternalSemaphore, cuSignalExternalSemaphoresAsync,
    cuWaitExternalSemaphoresAsync,
};

pub(crate) use memory::ExternalMemory;
pub(crate) use semaphore::{ExternalSemaphore, Signals, Waits};
