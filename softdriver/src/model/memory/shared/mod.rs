//! Memory that processes share: an allocation that was exported, and one that was opened.

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) mod elsewhere;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) mod linux;

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) use elsewhere::Named;
#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) use elsewhere::Shared;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::Named;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::Shared;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A number that no other file has, of this process or of an earlier one with its number.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
    now.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Where another process finds shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The process that made it.
    pub(crate) process: u32,
    /// Its descriptor there.
    pub(crate) descriptor: i32,
    /// A number in its name, so that no other file is taken for it.
    pub(crate) number: u64,
}
