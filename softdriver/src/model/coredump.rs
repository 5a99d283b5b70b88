//! Settings of core dumps (F323). None is ever written: a fault of a kernel here leaves nothing to look at.

use crate::entry::Answer;
use crate::{entry, sync};
use core::ffi::{c_int, c_void};
use cuscope_sys::*;
use std::sync::{Mutex, PoisonError};

/// Bytes of a name with its NUL, at most.
const NAME: usize = 1024;
/// The flags of a lightweight dump.
const LIGHTWEIGHT: c_int = 0x2f;
/// The flag of a program that goes on: the host does not dump core.
const SKIP_ABORT: c_int = 0x10;

/// The settings of the process, or of a context.
#[derive(Clone)]
pub(crate) struct Settings {
    enabled: bool,
    pub(crate) user_trigger: bool,
    file: Vec<u8>,
    pipe: Vec<u8>,
    /// Two switches are flags as well: of a lightweight dump, and of none of the host.
    flags: c_int,
}

/// Those of the process, with which contexts begin.
pub(crate) static GLOBAL: Mutex<Settings> = Mutex::new(Settings {
    enabled: false,
    user_trigger: false,
    file: Vec::new(),
    pipe: Vec::new(),
    flags: 0,
});

/// The settings of a new context.
impl Default for Settings {
    fn default() -> Self {
        GLOBAL.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Sets the switches and flags of the process to what they are at first. Names stay.
pub(crate) fn begin() {
    let mut settings = sync::lock(&GLOBAL);
    (settings.enabled, settings.user_trigger, settings.flags) = (false, false, 0);
}

/// A setting as it is read and written.
enum Place<'a> {
    Switch(&'a mut bool),
    Flags(&'a mut c_int),
    /// Some of the flags, as a switch that is on if all are set, or if none is.
    Of(&'a mut c_int, c_int, bool),
    Name(&'a mut Vec<u8>),
}

impl Settings {
    fn place(&mut self, which: CUcoredumpSettings, global: bool) -> Answer<Place<'_>> {
        Ok(match which {
            CU_COREDUMP_ENABLE_ON_EXCEPTION => Place::Switch(&mut self.enabled),
            CU_COREDUMP_TRIGGER_HOST => Place::Of(&mut self.flags, SKIP_ABORT, false),
            CU_COREDUMP_LIGHTWEIGHT => Place::Of(&mut self.flags, LIGHTWEIGHT, true),
            CU_COREDUMP_ENABLE_USER_TRIGGER if global => Place::Switch(&mut self.user_trigger),
            CU_COREDUMP_FILE => Place::Name(&mut self.file),
            CU_COREDUMP_PIPE if global => Place::Name(&mut self.pipe),
            CU_COREDUMP_GENERATION_FLAGS => Place::Flags(&mut self.flags),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        })
    }

    /// Writes a setting to where it fits; with no place for it, how much it needs.
    pub(crate) fn get(
        &mut self,
        which: CUcoredumpSettings,
        global: bool,
        value: *mut c_void,
        size: *mut usize,
    ) -> Answer {
        let place = self.place(which, global)?;
        let room = entry::read(size.cast_const())?;
        let needed = match place {
            Place::Switch(_) | Place::Of(..) => 1,
            Place::Flags(_) => size_of::<c_int>(),
            Place::Name(_) => NAME,
        };
        if value.is_null() {
            return entry::write(size, needed);
        }
        match place {
            Place::Name(name) if room <= name.len() => Err(CUDA_ERROR_INVALID_VALUE),
            Place::Switch(_) | Place::Of(..) | Place::Flags(_) if room != needed => {
                Err(CUDA_ERROR_INVALID_VALUE)
            }
            Place::Switch(is) => entry::write(value.cast(), u8::from(*is)),
            Place::Of(flags, some, on) => {
                entry::write(value.cast(), u8::from((*flags & some == some) == on))
            }
            Place::Flags(flags) => entry::write(value.cast(), *flags),
            Place::Name(name) => {
                let bytes = name.iter().copied().chain(std::iter::repeat(0)).take(room);
                bytes.enumerate().try_for_each(|(i, byte)| {
                    entry::write(value.cast::<u8>().wrapping_add(i), byte)
                })
            }
        }
    }

    pub(crate) fn set(
        &mut self,
        which: CUcoredumpSettings,
        global: bool,
        value: *const c_void,
        size: *const usize,
    ) -> Answer {
        let place = self.place(which, global)?;
        let size = entry::read(size)?;
        let fits = match place {
            Place::Switch(_) | Place::Of(..) => size == 1,
            Place::Flags(_) => size == size_of::<c_int>(),
            Place::Name(_) => size <= NAME,
        };
        if !fits {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if value.is_null() {
            return Ok(());
        }
        match place {
            Place::Switch(is) => *is = entry::read(value.cast::<u8>())? != 0,
            Place::Of(flags, some, on) => {
                let set = (entry::read(value.cast::<u8>())? != 0) == on;
                *flags = if set { *flags | some } else { *flags & !some };
            }
            Place::Flags(flags) => *flags = entry::read(value.cast())?,
            Place::Name(name) => {
                name.clear();
                for i in 0..size.min(NAME - 1) {
                    match entry::element(value.cast::<u8>(), i)? {
                        0 => break,
                        byte => name.push(byte),
                    }
                }
                with_process(name);
            }
        }
        self.enabled |= which == CU_COREDUMP_ENABLE_USER_TRIGGER && self.user_trigger;
        Ok(())
    }
}

/// Puts the number of the process in the place of `%p`.
fn with_process(name: &mut Vec<u8>) {
    if let Some(at) = name.windows(2).position(|two| two == b"%p") {
        name.splice(at..at + 2, std::process::id().to_string().into_bytes());
    }
}
