//! Errors, and how to fix them.
//!
//! The guide has a page about this: [errors and faults](crate::guide::errors).

mod advice;
#[cfg(unix)]
mod descriptor;
mod driver;
pub(crate) mod image;
mod load;
mod out_of_bounds;
mod reason;
mod refused;
mod refused_launch;
mod signature;

use ffi::CUresult;
use std::fmt;
use std::path::PathBuf;

pub(crate) use advice::{is_sticky, means_not_taken};
#[cfg(unix)]
pub(crate) use descriptor::wrong_descriptor;
pub use driver::DriverError;
pub use image::{ImageError, ImageKind, ImageProblem};
pub use load::LoadError;
pub use out_of_bounds::{GuardError, OutOfBounds};
pub use reason::Reason;
pub use refused::RefusedError;
pub use refused_launch::RefusedLaunch;
pub use signature::{SignatureError, SignatureProblem};

/// Returns the name of a function of [`ffi`], also in a constant: `name!(cuInit)` is `"cuInit"`.
macro_rules! name {
    ($function:ident) => {{
        // The function must exist, or this does not compile.
        let _ = ffi::$function;
        stringify!($function)
    }};
}
pub(crate) use name;

/// The result of the fallible functions in this crate.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// An error of this crate. Every message names the driver call and says how to fix the program.
///
/// `{:?}` writes the message behind the name of the variant, since a `main` that returns the error shows that. `{:#?}` writes
/// the fields.
#[doc(alias = "cudaError_t")]
#[doc(alias = "cudaGetLastError")]
#[doc(alias = "cudaGetErrorString")]
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The driver refused a call.
    #[error(transparent)]
    Driver(DriverError),
    /// The driver refused a call, and the reason is known.
    #[error(transparent)]
    Refused(Box<RefusedError>),
    /// There is no driver on this machine. Only programs with the feature `load` start there.
    #[error("`cuInit` was not called: {0}")]
    NoDriver(ffi::NotLoaded),
    /// The driver refused an image. Contains the compiler's log.
    #[error(transparent)]
    Load(Box<LoadError>),
    /// NVRTC refused a program, or is missing.
    #[cfg(feature = "nvrtc-load")]
    #[error(transparent)]
    Nvrtc(Box<cuscope_nvrtc::NvrtcError>),
    /// This thread already has a [`ContextStack`](crate::ContextStack), or runs inside
    /// [`ContextStack::reentrant`](crate::ContextStack::reentrant).
    #[error(
        "this thread's context stack is taken: pass the existing stack or guard on as `&mut impl \
         PushContext`, or call `ContextStack::reentrant` in code that receives neither"
    )]
    StackTaken,
    /// A guard or stack was used inside a [`reentrant`](crate::ContextStack::reentrant) call that began after
    /// its creation, or while an [`OwnedGuard`](crate::stack::OwnedGuard) lives that was made after it.
    #[error(
        "`{call}` was not called: this guard or stack is suspended until the running \
         `ContextStack::reentrant` call returns, or the `OwnedGuard` that was made after it is dropped; push on \
         the stack that the call passes to its closure, or use the younger guard"
    )]
    Suspended {
        /// The driver call that was not made.
        call: &'static str,
    },
    /// Code outside this crate changed the thread's current context.
    #[error(
        "`{call}` was not called: the guard's context is not current on this thread, because code \
         outside this crate pushed, popped or set a context; that code must restore the context \
         that it found"
    )]
    NotCurrent {
        /// The driver call that was not made.
        call: &'static str,
    },
    /// A handle belongs to another context than the guard or stream that it is used with.
    #[error(
        "`{call}` was refused: a handle and the guard or stream that it is used with belong to \
         different contexts; create both under guards of the same context"
    )]
    OtherContext {
        /// The call that was refused: a driver call, or a method that makes none.
        call: &'static str,
    },
    /// Memory belongs to another stream than the one that it is used with.
    #[error(
        "`{call}` was not called: memory among the arguments belongs to another stream; use it with its own stream, \
         move it to this one with `hand_over`, or `share` it to read it in several"
    )]
    OtherStream {
        /// The driver call that was not made.
        call: &'static str,
    },
    /// Two lengths that must be equal differ.
    #[error(
        "`{call}` was not called: the source has {from} elements and the destination {to}; \
         pass slices and buffers of equal length"
    )]
    LengthMismatch {
        /// The driver call that was not made.
        call: &'static str,
        /// The number of elements in the source.
        from: usize,
        /// The number of elements in the destination.
        to: usize,
    },
    /// Two extents that must be equal differ.
    #[error(
        "`{call}` was not called: the source has {} x {} x {} elements (width, height, depth) and the destination \
         {} x {} x {}; copy between parts of one extent",
        extents[0][0], extents[0][1], extents[0][2], extents[1][0], extents[1][1], extents[1][2]
    )]
    ExtentMismatch {
        /// The driver call that was not made.
        call: &'static str,
        /// Width, height and depth of the source, and of the destination.
        extents: Box<[[usize; 3]; 2]>,
    },
    /// The buffers passed to a replay are not those of its graph.
    #[error(
        "`{call}` was not called: the buffers that were passed ({named}) are not those of the graph \
         ({captured}); pass each of them once, `&x` if the graph reads it and `&mut y` if the graph \
         writes it; to use other buffers, capture the graph again"
    )]
    GraphBuffers {
        /// The driver call that was not made.
        call: &'static str,
        /// The number of buffers that the graph has.
        captured: usize,
        /// The number of buffers that were passed.
        named: usize,
    },
    /// A part of a buffer does not lie inside the buffer, or ends before it begins. The same for other ranges.
    #[error("`{call}` was refused: {}", unit.reason(*end, *len))]
    InvalidRange {
        /// The method that refused, or the driver call that was not made.
        call: &'static str,
        /// The end of the requested part.
        end: usize,
        /// The end of the whole.
        len: usize,
        /// The unit of both of them.
        unit: RangeUnit,
    },
    /// An argument is invalid for every driver.
    #[error("`{call}` was not called: {reason}")]
    InvalidArgument {
        /// The driver call that was not made.
        call: &'static str,
        /// The mistake and how to fix it.
        reason: Reason,
    },
    /// The driver on this machine is older than the function.
    #[error(
        "`{call}` was not called: it requires CUDA {}.{}, and the driver on this machine is older: \
         update the driver",
        since / 1000, since % 1000 / 10
    )]
    NeedsDriver {
        /// The driver call that was not made.
        call: &'static str,
        /// The version of CUDA that introduced it: 1000 x major + 10 x minor.
        since: u32,
    },
    /// The driver returned a value that this version of the crate has no name for.
    #[error(
        "`{call}` returned {value}, which this version of cuscope does not know: call the function \
         through `cuscope::ffi`"
    )]
    UnknownValue {
        /// The driver call.
        call: &'static str,
        /// The value that it returned.
        value: u32,
    },
    /// Bytes are not the image that they were declared as. The driver did not see them.
    #[error(transparent)]
    Image(Box<ImageError>),
    /// A typed kernel has other parameters than its signature.
    #[error(transparent)]
    Signature(Box<SignatureError>),
    /// The check of a [`TrustedKernel`](crate::TrustedKernel) refused a launch.
    #[error(transparent)]
    LaunchRefused(Box<RefusedLaunch>),
    /// A guarded kernel was to access memory outside of its arguments. The access was not made.
    #[error(transparent)]
    OutOfBounds(Box<OutOfBounds>),
    /// PTX text, or a kernel in it, cannot be guarded.
    #[error(transparent)]
    Guard(Box<GuardError>),
    /// A variable of a module does not consist of whole elements of the type.
    #[error(
        "`{call}`: the variable has {bytes} bytes, and is not an array of aligned elements of \
         {size} bytes; use the type that the code declares"
    )]
    VariableType {
        /// The driver call that found it.
        call: &'static str,
        /// The size of the variable in bytes.
        bytes: usize,
        /// The size of an element in bytes.
        size: usize,
    },
    /// A variable of a module is lent already.
    #[error(
        "`{call}`: the variable is already lent, and only one view of it can exist: borrow that \
         view with `&` or `&mut`, or drop it first"
    )]
    VariableLent {
        /// The driver call that found it.
        call: &'static str,
    },
    /// No block of a kernel fits on the device.
    #[error(
        "`{call}` found no block size that fits: the kernel needs more shared memory than a block \
         has on this device; request less"
    )]
    NothingFits {
        /// The driver call that reported it.
        call: &'static str,
    },
    /// A file could not be read.
    #[error("`{call}` was not called: cannot read {}: {kind}; check the path", path.display())]
    File {
        /// The driver call that was not made.
        call: &'static str,
        /// The file.
        path: Box<PathBuf>,
        /// The reason.
        kind: std::io::ErrorKind,
    },
}

/// The unit of the numbers of an [`InvalidRange`](Error::InvalidRange).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RangeUnit {
    /// Elements of a part.
    Elements,
    /// Elements of each chunk: none were requested.
    Chunk,
    /// Elements that a buffer is to grow to.
    Capacity,
    /// Bytes of an allocation, a mapping or a binding.
    Bytes,
    /// Levels of detail.
    Levels,
}

impl RangeUnit {
    #[cold]
    fn reason(self, end: usize, len: usize) -> String {
        match self {
            RangeUnit::Elements => format!(
                "the part ends at element {end} of {len}, or before it begins; pass a range inside the buffer"
            ),
            RangeUnit::Chunk => {
                format!("chunks of 0 of the {len} elements were requested; pass at least 1")
            }
            RangeUnit::Capacity => format!(
                "{end} elements were requested, and the capacity is {len}, for which addresses are \
                 reserved; pass a greater capacity to `PushedGuard::alloc_growable`"
            ),
            RangeUnit::Bytes => format!(
                "it would end at byte {end}, and there are {len} bytes; pass an offset and a size \
                 whose sum is at most that"
            ),
            RangeUnit::Levels => {
                format!(
                    "there are {len} levels, the first of which is 0, and no {end}th; pass a smaller number"
                )
            }
        }
    }
}

impl Error {
    /// Returns the error of every call if there is no driver.
    fn without_driver() -> Option<Error> {
        ffi::load().err().map(Error::NoDriver)
    }

    /// Returns the error of a call that was not made because Rust's allocator does not have as much memory as it needs.
    #[cold]
    #[inline]
    pub(crate) fn no_host_memory(call: &'static str) -> Error {
        Error::Driver(DriverError::new(call, ffi::CUDA_ERROR_OUT_OF_MEMORY))
    }

    /// Returns the error with the reason, as far as it is known: `why` looks for it if a driver call failed, but not after a
    /// fault, when the driver answers nothing any more. It may call the driver.
    #[cold]
    pub(crate) fn because(self, why: impl FnOnce(CUresult) -> Option<String>) -> Error {
        let Error::Driver(driver) = self else { return self };
        if driver.is_sticky() || driver.code == ffi::CUDA_ERROR_NOT_INITIALIZED {
            return self;
        }
        why(driver.code).map_or(self, |reason| RefusedError::new(driver, reason).into())
    }

    /// Returns the driver's error code, if the driver returned one, and `CUDA_ERROR_OUT_OF_MEMORY` if a call was not made
    /// because the host does not have as much memory as it needs.
    #[must_use]
    pub fn code(&self) -> Option<CUresult> {
        match self {
            Error::Driver(e) => Some(e.code),
            Error::Refused(e) => Some(e.driver().code),
            Error::Load(e) => Some(e.driver().code),
            _ => None,
        }
    }

    /// Returns the driver function that failed or was not called, as libcuda exports it. If a method of this
    /// crate refused and makes no driver call, returns that method.
    #[must_use]
    pub fn call(&self) -> Option<&'static str> {
        match self {
            Error::Driver(e) => Some(e.call),
            Error::Refused(e) => Some(e.driver().call),
            Error::Load(e) => Some(e.driver().call),
            #[cfg(feature = "nvrtc-load")]
            Error::Nvrtc(e) => Some(e.call()),
            Error::NoDriver(_) => Some(name!(cuInit)),
            Error::StackTaken => None,
            Error::Image(_) => Some(image::LOAD),
            Error::Signature(_) => Some(name!(cuFuncGetParamInfo)),
            Error::LaunchRefused(e) => Some(e.call()),
            Error::OutOfBounds(_) => Some(name!(cuLaunchKernel)),
            Error::Guard(_) => Some(image::LOAD),
            Error::Suspended { call }
            | Error::NotCurrent { call }
            | Error::OtherContext { call }
            | Error::OtherStream { call }
            | Error::LengthMismatch { call, .. }
            | Error::ExtentMismatch { call, .. }
            | Error::GraphBuffers { call, .. }
            | Error::InvalidRange { call, .. }
            | Error::InvalidArgument { call, .. }
            | Error::NeedsDriver { call, .. }
            | Error::UnknownValue { call, .. }
            | Error::VariableType { call, .. }
            | Error::VariableLent { call }
            | Error::NothingFits { call }
            | Error::File { call, .. } => Some(call),
        }
    }

    /// Returns whether this machine has no GPU that the process can use: no driver, no device, a driver that is too old, or
    /// the toolkit's stub in place of the driver. A program that also runs without a GPU asks this.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Device, Result};
    ///
    /// fn gpus() -> Result<Vec<Device>> {
    ///     match Device::all() {
    ///         Err(error) if error.is_unavailable() => Ok(Vec::new()),
    ///         all => all,
    ///     }
    /// }
    /// # assert!(!gpus()?.is_empty());
    /// # Ok::<(), cuscope::Error>(())
    /// ```
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        match self {
            Error::NoDriver(_) => true,
            Error::NeedsDriver { call, .. } => *call == name!(cuInit),
            _ => self.code().is_some_and(|code| {
                [
                    ffi::CUDA_ERROR_NO_DEVICE,
                    ffi::CUDA_ERROR_STUB_LIBRARY,
                    ffi::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                    ffi::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
                ]
                .contains(&code)
            }),
        }
    }

    /// Returns whether only a new process can use the GPU again. See [`DriverError::is_sticky`].
    #[must_use]
    pub fn is_sticky(&self) -> bool {
        self.code().is_some_and(advice::is_sticky)
    }

    /// Returns whether the context is of no more use: what a runtime calls poisoned, and after which it gives up the server
    /// that works in this context. That is every error that [is sticky](Self::is_sticky), and
    ///
    /// - `CUDA_ERROR_ECC_UNCORRECTABLE` (214): memory of the GPU had an error that was not corrected. Results are wrong;
    ///   NVIDIA does not say whether later calls fail too.
    /// - `CUDA_ERROR_CONTEXT_IS_DESTROYED` (709): code outside this crate destroyed the context. Other contexts go on.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, Error, Result};
    ///
    /// /// A server that never works on in a context that is lost.
    /// struct Server {
    ///     context: Context,
    ///     poisoned: Option<Error>,
    /// }
    ///
    /// impl Server {
    ///     fn run(&mut self, work: impl FnOnce(&Context) -> Result) -> Result {
    ///         if let Some(error) = &self.poisoned {
    ///             return Err(error.clone());
    ///         }
    ///         work(&self.context).inspect_err(|error| {
    ///             self.poisoned = error.is_poisoned().then(|| error.clone());
    ///         })
    ///     }
    /// }
    /// ```
    #[must_use]
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.code().is_some_and(advice::is_poisoned)
    }
}

/// Writes the message for `{:?}`, and the fields for `{:#?}`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fields) = self.parts();
        if !f.alternate() {
            return write!(f, "{name}: {self}");
        }
        let mut shown = f.debug_struct(name);
        for (name, value) in fields {
            shown.field(name, value);
        }
        shown.finish()
    }
}

impl Error {
    /// Returns the name of the variant, and its fields with their names.
    #[cold]
    fn parts(&self) -> (&'static str, Vec<(&'static str, &dyn fmt::Debug)>) {
        match self {
            Error::Driver(e) => ("Driver", vec![("call", &e.call), ("code", &e.code)]),
            Error::Refused(e) => ("Refused", vec![("error", e)]),
            Error::NoDriver(e) => ("NoDriver", vec![("reason", e)]),
            Error::Load(e) => ("Load", vec![("error", e)]),
            #[cfg(feature = "nvrtc-load")]
            Error::Nvrtc(e) => ("Nvrtc", vec![("error", e)]),
            Error::StackTaken => ("StackTaken", vec![]),
            Error::Suspended { call } => ("Suspended", vec![("call", call)]),
            Error::NotCurrent { call } => ("NotCurrent", vec![("call", call)]),
            Error::OtherContext { call } => ("OtherContext", vec![("call", call)]),
            Error::OtherStream { call } => ("OtherStream", vec![("call", call)]),
            Error::LengthMismatch { call, from, to } => {
                ("LengthMismatch", vec![("call", call), ("from", from), ("to", to)])
            }
            Error::ExtentMismatch { call, extents } => {
                ("ExtentMismatch", vec![("call", call), ("extents", extents)])
            }
            Error::GraphBuffers { call, captured, named } => {
                ("GraphBuffers", vec![("call", call), ("captured", captured), ("named", named)])
            }
            Error::InvalidRange { call, end, len, unit } => {
                ("InvalidRange", vec![("call", call), ("end", end), ("len", len), ("unit", unit)])
            }
            Error::InvalidArgument { call, reason } => {
                ("InvalidArgument", vec![("call", call), ("reason", reason)])
            }
            Error::NeedsDriver { call, since } => {
                ("NeedsDriver", vec![("call", call), ("since", since)])
            }
            Error::UnknownValue { call, value } => {
                ("UnknownValue", vec![("call", call), ("value", value)])
            }
            Error::Image(e) => ("Image", vec![("error", e)]),
            Error::Signature(e) => ("Signature", vec![("error", e)]),
            Error::LaunchRefused(e) => ("LaunchRefused", vec![("error", e)]),
            Error::OutOfBounds(e) => ("OutOfBounds", vec![("error", e)]),
            Error::Guard(e) => ("Guard", vec![("error", e)]),
            Error::VariableType { call, bytes, size } => {
                ("VariableType", vec![("call", call), ("bytes", bytes), ("size", size)])
            }
            Error::VariableLent { call } => ("VariableLent", vec![("call", call)]),
            Error::NothingFits { call } => ("NothingFits", vec![("call", call)]),
            Error::File { call, path, kind } => {
                ("File", vec![("call", call), ("path", path), ("kind", kind)])
            }
        }
    }
}

/// Writes `{:?}` of a part of an error as its message behind its name, and `{:#?}` as its fields.
macro_rules! debug_with_message {
    ($name:ident: $($field:ident)*) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if !f.alternate() {
                    return write!(f, concat!(stringify!($name), ": {}"), self);
                }
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }
    };
}
pub(crate) use debug_with_message;

#[diagnostic::do_not_recommend]
impl From<ffi::NeedsDriver> for Error {
    fn from(needs: ffi::NeedsDriver) -> Self {
        Error::without_driver()
            .unwrap_or(Error::NeedsDriver { call: needs.function, since: needs.since })
    }
}

#[diagnostic::do_not_recommend]
impl From<DriverError> for Error {
    fn from(error: DriverError) -> Self {
        Error::without_driver().unwrap_or(Error::Driver(error))
    }
}

#[diagnostic::do_not_recommend]
impl From<ffi::NotLoaded> for Error {
    fn from(not_loaded: ffi::NotLoaded) -> Self {
        Error::NoDriver(not_loaded)
    }
}

macro_rules! from_box {
    ($($variant:ident: $error:ty),*) => { $(
        #[diagnostic::do_not_recommend]
        impl From<Box<$error>> for Error {
            fn from(error: Box<$error>) -> Self {
                Error::$variant(error)
            }
        }
    )* };
}
from_box!(
    Load: LoadError,
    Refused: RefusedError,
    LaunchRefused: RefusedLaunch,
    Image: ImageError,
    Signature: SignatureError,
    OutOfBounds: OutOfBounds,
    Guard: GuardError
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_call_the_code_and_what_to_do() {
        let e = Error::from(DriverError::new(name!(cuMemAlloc_v2), ffi::CUDA_ERROR_OUT_OF_MEMORY));
        let text = e.to_string();
        for part in ["`cuMemAlloc_v2`", "CUDA_ERROR_OUT_OF_MEMORY", "2", "free"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
        assert_eq!(e.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
    }

    /// `main` prints this. The message is in it, and the fields are in the long form.
    #[test]
    fn debug_has_the_message_and_its_long_form_the_fields() {
        let call = name!(cuInit);
        let taken = format!("{:?}", Error::StackTaken);
        assert!(taken.starts_with("StackTaken: this thread's context stack is taken"), "{taken}");
        let driver = DriverError::new(call, ffi::CUDA_ERROR_INVALID_PTX);
        let load = LoadError::new(driver, "line 1; wrong".to_owned(), Some(b"frob"));
        let signature = SignatureError {
            kernel: "k".to_owned(),
            index: 0,
            problem: SignatureProblem::TooMany { given: "u32" },
            listed: false,
        };
        let path = Box::new(PathBuf::from("/nowhere"));
        let no_image = ImageError::new(ImageKind::Cubin, ImageProblem::Empty);
        let refused = RefusedError::new(driver, "pass less".to_owned());
        let launch = RefusedLaunch {
            call,
            kernel: "k".to_owned(),
            launch: "1 x 1 x 1".to_owned(),
            arguments: "7".to_owned(),
        };
        let outside = OutOfBounds { line: 7, ..OutOfBounds::default() };
        let unguarded = GuardError {
            kernel: None,
            line: 8,
            instruction: "trap;".to_owned(),
            reason: "it traps".to_owned(),
        };
        for (error, name, field) in [
            (Error::GraphBuffers { call, captured: 2, named: 3 }, "GraphBuffers", "captured: 2"),
            (Error::Driver(driver), "Driver", "code: "),
            (Box::new(load).into(), "Load", "log: \"line 1; wrong\""),
            (Box::new(signature).into(), "Signature", "kernel: \"k\""),
            (Error::File { call, path, kind: std::io::ErrorKind::NotFound }, "File", "NotFound"),
            (refused.into(), "Refused", "reason: \"pass less\""),
            (no_image.into(), "Image", "problem: Empty"),
            (Box::new(launch).into(), "LaunchRefused", "arguments: \"7\""),
            (Error::OutOfBounds(Box::new(outside)), "OutOfBounds", "line: 7"),
            (Error::Guard(Box::new(unguarded)), "Guard", "line: 8"),
        ] {
            let (short, long) = (format!("{error:?}"), format!("{error:#?}"));
            assert_eq!(short, format!("{name}: {error}"));
            assert!(long.starts_with(&format!("{name} {{")) && long.contains(field), "{long}");
        }
    }

    #[test]
    fn a_machine_without_a_usable_gpu_is_told_from_a_mistake() {
        let call = name!(cuInit);
        let driver = |code| Error::Driver(DriverError::new(call, code));
        for error in [
            driver(ffi::CUDA_ERROR_NO_DEVICE),
            driver(ffi::CUDA_ERROR_STUB_LIBRARY),
            driver(ffi::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
            driver(ffi::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
            Error::NeedsDriver { call, since: 12000 },
        ] {
            assert!(error.is_unavailable(), "{error}");
        }
        for error in [
            driver(ffi::CUDA_ERROR_INVALID_DEVICE),
            driver(ffi::CUDA_ERROR_OUT_OF_MEMORY),
            Error::NeedsDriver { call: name!(cuFuncGetName), since: 12030 },
            Error::StackTaken,
        ] {
            assert!(!error.is_unavailable(), "{error}");
        }
    }

    #[test]
    fn a_range_that_is_refused_has_its_numbers() {
        let call = name!(cuMemAlloc_v2);
        for (unit, words) in [
            (RangeUnit::Elements, "ends at element 9 of 4"),
            (RangeUnit::Chunk, "chunks of 0 of the 4 elements"),
            (RangeUnit::Capacity, "9 elements were requested, and the capacity is 4"),
            (RangeUnit::Bytes, "end at byte 9, and there are 4 bytes"),
            (RangeUnit::Levels, "there are 4 levels, the first of which is 0, and no 9th"),
        ] {
            let text = Error::InvalidRange { call, end: 9, len: 4, unit }.to_string();
            assert!(text.contains(words), "{words:?} is not in: {text}");
        }
    }

    #[test]
    fn a_known_reason_is_apart_from_the_code() {
        let driver = DriverError::new(name!(cuLinkComplete), ffi::CUDA_ERROR_INVALID_VALUE);
        let load = LoadError::new(driver, String::new(), None);
        assert_eq!(load.reason(), None);
        assert_eq!(load.because(Some("link it".to_owned())).reason(), Some("link it"));
        let refused = RefusedError::new(driver, "pass less".to_owned());
        assert_eq!((refused.driver(), refused.reason()), (driver, "pass less"));
    }

    /// What looks for one may call the driver, which fails then too, so that it would find a wrong one.
    #[test]
    fn no_reason_is_looked_for_where_the_driver_answers_nothing_any_more() {
        let asks = |code| {
            let mut asked = false;
            let _ = Error::from(DriverError::new(name!(cuInit), code)).because(|_| {
                asked = true;
                None
            });
            asked
        };
        assert!(!asks(ffi::CUDA_ERROR_ILLEGAL_ADDRESS) && !asks(ffi::CUDA_ERROR_NOT_INITIALIZED));
        assert!(asks(ffi::CUDA_ERROR_INVALID_VALUE) && asks(ffi::CUDA_ERROR_STUB_LIBRARY));
        let is_sticky = |code| DriverError::new(name!(cuInit), code).is_sticky();
        assert!(is_sticky(ffi::CUDA_ERROR_ILLEGAL_ADDRESS));
        assert!(!is_sticky(ffi::CUDA_ERROR_INVALID_VALUE));
    }

    #[test]
    fn errors_stay_small() {
        assert!(size_of::<Error>() <= 40, "{}", size_of::<Error>());
    }

    #[test]
    fn an_error_names_its_call() {
        let call = name!(cuInit);
        for error in [
            Error::Suspended { call },
            Error::NotCurrent { call },
            Error::OtherContext { call },
            Error::OtherStream { call },
            Error::LengthMismatch { call, from: 1, to: 2 },
            Error::GraphBuffers { call, captured: 1, named: 2 },
            Error::ExtentMismatch { call, extents: [[1; 3], [2; 3]].into() },
            Error::InvalidRange { call, end: 2, len: 1, unit: RangeUnit::Bytes },
            Error::InvalidArgument { call, reason: "".into() },
            Error::NeedsDriver { call, since: 13000 },
            Error::UnknownValue { call, value: 7 },
            Error::VariableType { call, bytes: 6, size: 4 },
            Error::VariableLent { call },
            Error::NothingFits { call },
            Error::from(DriverError::new(call, CUresult(1))),
        ] {
            assert_eq!(error.call(), Some(call), "{error:?}");
            assert!(error.to_string().contains(call), "{error}");
            assert!(format!("{error:#?}").contains(&format!("call: {call:?}")), "{error:#?}");
        }
        assert_eq!(Error::StackTaken.call(), None);
        let needs = ffi::NeedsDriver { function: call, since: 13000 };
        assert_eq!(Error::from(needs), Error::NeedsDriver { call, since: 13000 });
        let text = format!("{:?}", DriverError::new(call, CUresult(1)));
        assert!(text.starts_with(&format!("DriverError: `{call}`")), "{text}");
    }
}
