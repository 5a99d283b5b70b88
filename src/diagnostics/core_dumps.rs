//! Core dumps of the GPU.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::{Error, Reason, Result};
use crate::name::{path_of, path_with_nul};
use crate::stack::PushedGuard;
use ffi::CUcoredumpSettings;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// The maximum length of a name in bytes, with its NUL ([F323](crate::driver_facts#F323)).
const NAME: usize = 1024;

ffi::flags! {
    /// Flags that control the contents of a core dump and how it is made.
    #[derive(Default)]
    pub struct CoreDumpFlags: u32 {
        /// Leaves out the images before relocation.
        const SKIP_NONRELOCATED_ELF_IMAGES = ffi::CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES.0 as u32;
        /// Leaves out global memory.
        const SKIP_GLOBAL_MEMORY = ffi::CU_COREDUMP_SKIP_GLOBAL_MEMORY.0 as u32;
        /// Leaves out shared memory.
        const SKIP_SHARED_MEMORY = ffi::CU_COREDUMP_SKIP_SHARED_MEMORY.0 as u32;
        /// Leaves out local memory.
        const SKIP_LOCAL_MEMORY = ffi::CU_COREDUMP_SKIP_LOCAL_MEMORY.0 as u32;
        /// Lets the program continue instead of aborting it.
        const SKIP_ABORT = ffi::CU_COREDUMP_SKIP_ABORT.0 as u32;
        /// Leaves out constant memory.
        const SKIP_CONSTBANK_MEMORY = ffi::CU_COREDUMP_SKIP_CONSTBANK_MEMORY.0 as u32;
        /// Compresses the file.
        const GZIP_COMPRESS = ffi::CU_COREDUMP_GZIP_COMPRESS.0 as u32;
        const _ = !0;
    }
}

/// Settings of the core dumps that the driver writes when a kernel faults.
///
/// [`CoreDumps::process`] returns the settings for contexts that are created later, and
/// [`PushedGuard::core_dumps`] the settings of an existing context. Requires a driver of CUDA 12.1 or later.
///
/// **After a dump the driver aborts the program**, unless [`SKIP_ABORT`](CoreDumpFlags::SKIP_ABORT) is set.
#[derive(Clone, Copy, Debug)]
pub struct CoreDumps<'g, 'ctx> {
    /// `None` for the process.
    of: Option<&'g PushedGuard<'ctx>>,
}

impl CoreDumps<'static, 'static> {
    /// Returns the settings with which contexts start. They belong to the process and need no context.
    ///
    /// Each call for them initialises the driver first: `cuInit` would otherwise reset every setting except file
    /// names, and crashes if dumps are already [`enabled`](Self::enabled) ([F323](crate::driver_facts#F323)).
    #[must_use]
    pub fn process() -> Self {
        CoreDumps { of: None }
    }
}

/// # Core dumps
impl<'ctx> PushedGuard<'ctx> {
    /// Returns the core dump settings of the context.
    #[must_use]
    pub fn core_dumps(&self) -> CoreDumps<'_, 'ctx> {
        CoreDumps { of: Some(self) }
    }
}

impl CoreDumps<'_, '_> {
    /// Returns whether a fault makes a dump (default: no).
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver). For the process, the errors of [`init`](crate::init). For a
    /// context, [`NotCurrent`](Error::NotCurrent) and a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuCoredumpGetAttribute")]
    #[doc(alias = "cuCoredumpGetAttributeGlobal")]
    #[inline]
    pub fn enabled(&self) -> Result<bool> {
        self.switch(ffi::CU_COREDUMP_ENABLE_ON_EXCEPTION)
    }

    /// Sets whether a fault makes a dump.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[doc(alias = "cuCoredumpSetAttribute")]
    #[doc(alias = "cuCoredumpSetAttributeGlobal")]
    #[inline]
    pub fn set_enabled(&self, enabled: bool) -> Result {
        self.set(ffi::CU_COREDUMP_ENABLE_ON_EXCEPTION, &[enabled.into()])
    }

    /// Returns whether the program also dumps core and is aborted (default: yes). The opposite of
    /// [`SKIP_ABORT`](CoreDumpFlags::SKIP_ABORT) ([F323](crate::driver_facts#F323)).
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn host(&self) -> Result<bool> {
        self.switch(ffi::CU_COREDUMP_TRIGGER_HOST)
    }

    /// Sets whether the program also dumps core and is aborted. Changes the flag too.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn set_host(&self, host: bool) -> Result {
        self.set(ffi::CU_COREDUMP_TRIGGER_HOST, &[host.into()])
    }

    /// Returns whether lightweight dumps are on (default: off).
    ///
    /// This is shorthand for all `SKIP_…` flags of images and of global, shared, local and constant memory
    /// ([F323](crate::driver_facts#F323)).
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn lightweight(&self) -> Result<bool> {
        self.switch(ffi::CU_COREDUMP_LIGHTWEIGHT)
    }

    /// Sets whether lightweight dumps are on. Changes the flags too.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn set_lightweight(&self, lightweight: bool) -> Result {
        self.set(ffi::CU_COREDUMP_LIGHTWEIGHT, &[lightweight.into()])
    }

    /// Returns whether a write to [the pipe](Self::pipe) makes a dump. This is a setting of the process.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled); for a context, `CUDA_ERROR_INVALID_VALUE`.
    #[inline]
    pub fn user_trigger(&self) -> Result<bool> {
        self.switch(ffi::CU_COREDUMP_ENABLE_USER_TRIGGER)
    }

    /// Sets whether a write to the pipe makes a dump. Call it before any context exists. Faults then make a
    /// dump too ([F323](crate::driver_facts#F323)).
    ///
    /// # Errors
    /// The errors of [`user_trigger`](Self::user_trigger).
    #[inline]
    pub fn set_user_trigger(&self, enabled: bool) -> Result {
        self.set(ffi::CU_COREDUMP_ENABLE_USER_TRIGGER, &[enabled.into()])
    }

    /// Returns the file name of dumps. It is empty if the driver chooses the name.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn file(&self) -> Result<PathBuf> {
        self.name(ffi::CU_COREDUMP_FILE)
    }

    /// Sets the file name of dumps.
    ///
    /// The driver replaces `%p` by the process number, immediately ([F323](crate::driver_facts#F323)), `%h` by
    /// the host name and `%t` by the time.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a name of more than 1023 bytes, or with a NUL; the errors of
    /// [`enabled`](Self::enabled).
    pub fn set_file(&self, file: impl AsRef<Path>) -> Result {
        self.set_name(ffi::CU_COREDUMP_FILE, file.as_ref())
    }

    /// Returns the name of the pipe for [`user_trigger`](Self::user_trigger).
    ///
    /// # Errors
    /// The errors of [`user_trigger`](Self::user_trigger).
    #[inline]
    pub fn pipe(&self) -> Result<PathBuf> {
        self.name(ffi::CU_COREDUMP_PIPE)
    }

    /// Sets the name of the pipe. Call it before you enable the trigger.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` once the trigger is enabled and a context exists
    /// ([F323](crate::driver_facts#F323)); the errors of [`user_trigger`](Self::user_trigger) and
    /// [`set_file`](Self::set_file).
    pub fn set_pipe(&self, pipe: impl AsRef<Path>) -> Result {
        self.set_name(ffi::CU_COREDUMP_PIPE, pipe.as_ref())
    }

    /// Returns the flags for the contents of dumps. Requires a driver of CUDA 12.5 or later.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn flags(&self) -> Result<CoreDumpFlags> {
        let mut bytes = [0; 4];
        self.get(ffi::CU_COREDUMP_GENERATION_FLAGS, &mut bytes)?;
        Ok(CoreDumpFlags::from_bits_retain(u32::from_ne_bytes(bytes)))
    }

    /// Sets the flags for the contents of dumps.
    ///
    /// # Errors
    /// The errors of [`enabled`](Self::enabled).
    #[inline]
    pub fn set_flags(&self, flags: CoreDumpFlags) -> Result {
        self.set(ffi::CU_COREDUMP_GENERATION_FLAGS, &flags.bits().to_ne_bytes())
    }

    /// Returns whether it is that a context does not have the setting.
    #[cold]
    fn not_of_context(&self, which: CUcoredumpSettings) -> Option<String> {
        let of_process = [ffi::CU_COREDUMP_ENABLE_USER_TRIGGER, ffi::CU_COREDUMP_PIPE];
        (self.of.is_some() && of_process.contains(&which)).then(|| {
            "the trigger and its pipe are settings of the process, not of a context: use `CoreDumps::process()`"
                .to_owned()
        })
    }

    #[inline]
    fn switch(&self, which: CUcoredumpSettings) -> Result<bool> {
        let mut byte = [0];
        self.get(which, &mut byte)?;
        Ok(byte != [0])
    }

    #[inline]
    fn name(&self, which: CUcoredumpSettings) -> Result<PathBuf> {
        let mut bytes = vec![0; NAME];
        self.get(which, &mut bytes)?;
        bytes.truncate(bytes.iter().position(|&byte| byte == 0).unwrap_or(NAME));
        Ok(path_of(bytes))
    }

    #[inline]
    fn set_name(&self, which: CUcoredumpSettings, name: &Path) -> Result {
        let call = match self.of {
            Some(_) => name!(cuCoredumpSetAttribute),
            None => name!(cuCoredumpSetAttributeGlobal),
        };
        let refused = |reason: Reason| Error::InvalidArgument { call, reason };
        let text = path_with_nul(name)
            .ok_or_else(|| refused("the file name contains a NUL byte: use another name".into()))?;
        let (bytes, most) = (text.as_bytes().len(), NAME - 1);
        if bytes > most {
            let reason =
                format!("the file name has {bytes} bytes, and may have {most}: use another name");
            return Err(refused(reason.into()));
        }
        self.set(which, text.as_bytes_with_nul())
    }

    #[inline]
    fn get(&self, which: CUcoredumpSettings, to: &mut [u8]) -> Result {
        let mut size = to.len();
        let value = to.as_mut_ptr().cast();
        let answer = if let Some(gpu) = self.of {
            let get = ffi::cuCoredumpGetAttribute()?;
            gpu.enter(name!(cuCoredumpGetAttribute))?;
            // SAFETY: `to` has `size` bytes, which is what the setting has, or for a name as many as any has; any
            // bytes are a value of them. The current context is the guard's, as `enter` found.
            unsafe { answer!(cuCoredumpGetAttribute = get(which, value, &raw mut size)) }
        } else {
            let get = ffi::cuCoredumpGetAttributeGlobal()?;
            crate::init()?;
            // SAFETY: `to` is as above; the driver is initialised.
            unsafe { answer!(cuCoredumpGetAttributeGlobal = get(which, value, &raw mut size)) }
        };
        answer.explain(|_| self.not_of_context(which))
    }

    #[inline]
    fn set(&self, which: CUcoredumpSettings, from: &[u8]) -> Result {
        let mut size = from.len();
        let value = from.as_ptr().cast::<c_void>().cast_mut();
        let answer = if let Some(gpu) = self.of {
            let set = ffi::cuCoredumpSetAttribute()?;
            gpu.enter(name!(cuCoredumpSetAttribute))?;
            // SAFETY: the driver reads `size` bytes of `from` and changes none; a name ends in NUL. The current
            // context is the guard's, as `enter` found.
            unsafe { answer!(cuCoredumpSetAttribute = set(which, value, &raw mut size)) }
        } else {
            let set = ffi::cuCoredumpSetAttributeGlobal()?;
            crate::init()?;
            // SAFETY: `from` is as above; the driver is initialised.
            unsafe { answer!(cuCoredumpSetAttributeGlobal = set(which, value, &raw mut size)) }
        };
        answer.explain(|code| {
            if code == ffi::CUDA_ERROR_NOT_SUPPORTED && which == ffi::CU_COREDUMP_PIPE {
                return Some(
                    "the trigger is enabled and a context exists, which has opened its pipe: set the pipe \
                     before the first context is created"
                        .to_owned(),
                );
            }
            self.not_of_context(which)
        })
    }
}
