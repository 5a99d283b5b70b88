//! Memory and semaphores of other interfaces (F460 to F470). What other interfaces export is, here, a file in memory, and
//! an eventfd or a counter in a file in memory: `docs/software-driver.md` describes them for tests.

pub(crate) mod memory;
pub(crate) mod nodes;
pub(crate) mod semaphore;
