//! Memory and semaphores of other interfaces (F460 to F470). What other interfaces export is, here, a file in memory, and
//! an eventfd or a counter in a file in memory: `docs/software-driver.md` describes them for tests.

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) mod elsewhere;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) mod linux;
pub(crate) mod memory;
pub(crate) mod semaphore;

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) use elsewhere as system;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux as system;
