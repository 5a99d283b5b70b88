//! Memory and semaphores of other interfaces (F460 to F470). What other interfaces export is, here, a file in memory, and
//! an eventfd or a counter in a file in memory: `docs/software-driver.md` describes them for tests.

pub(crate) mod memory;
pub(crate) mod nodes;
pub(crate) mod semaphore;

pub use memory::cuDestroyExternalMemory;
pub use memory::cuExternalMemoryGetMappedBuffer;
pub use memory::cuExternalMemoryGetMappedMipmappedArray;
pub use memory::cuImportExternalMemory;
pub use semaphore::cuDestroyExternalSemaphore;
pub use semaphore::cuImportExternalSemaphore;
pub use semaphore::cuSignalExternalSemaphoresAsync;
pub use semaphore::cuWaitExternalSemaphoresAsync;
