//! Memory that processes share: an allocation that was exported, and one that was opened.

#[cfg(any(not(target_os = "linux"), miri))]
mod elsewhere;
#[cfg(all(target_os = "linux", not(miri)))]
mod linux;

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) use elsewhere::Shared;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::Shared;

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
