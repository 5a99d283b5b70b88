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

use crate::entry::Answer;
use core::ffi::c_char;
use cuscope_sys::CUresult;
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

/// The contents of a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) place: Place,
    pub(crate) size: u64,
    /// Of memory of a pool: the pool's number.
    pub(crate) pool: u64,
}

impl Told {
    /// The bytes of a handle.
    pub(crate) fn bytes(self, magic: u64) -> [c_char; 64] {
        let Self { place: Place { process, descriptor, number }, size, pool } = self;
        let parts = [magic, u64::from(process), descriptor as u64, number, size, pool];
        let mut reserved: [c_char; 64] = [0; 64];
        for (byte, to) in parts.iter().flat_map(|part| part.to_le_bytes()).zip(&mut reserved) {
            *to = byte as c_char;
        }
        reserved
    }

    /// The error `none` for what is none.
    pub(crate) fn from(magic: u64, reserved: [c_char; 64], none: CUresult) -> Answer<Self> {
        let part = |index: usize| {
            let bytes = std::array::from_fn(|i| reserved[8 * index + i] as u8);
            u64::from_le_bytes(bytes)
        };
        let [found, process, descriptor, number, size, pool] = [0, 1, 2, 3, 4, 5].map(part);
        if found != magic || reserved[48..].iter().any(|&byte| byte != 0) {
            return Err(none);
        }
        let place = Place { process: process as u32, descriptor: descriptor as i32, number };
        Ok(Self { place, size, pool })
    }
}
