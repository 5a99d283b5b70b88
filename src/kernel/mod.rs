//! Typed kernels, whose parameters were compared with a signature, kernels that are launched safely, and lists of arguments
//! built at run time.
//!
//! The guide has a page about this: [kernels](crate::guide::kernels).

mod checked;
pub(crate) mod launchable;
#[cfg(feature = "guard")]
mod guarded;
mod launches;
mod list;
mod parameter;
mod signature;
mod trusted;

pub use crate::args::{KernelReads, KernelWrites};
pub use crate::error::{SignatureError, SignatureProblem};
#[cfg(feature = "guard")]
pub(crate) use checked::laid_out;
pub use checked::{Checked, Kernel};
#[cfg(feature = "guard")]
pub(crate) use guarded::{Guard, Use};
#[cfg(feature = "guard")]
pub use guarded::{GuardedFunction, GuardedKernel};
pub(crate) use launchable::{Accepted, opaque, safe};
pub use launchable::{
    AnyArguments, Argument, ArgumentsOf, Launchable, ListedArguments, SafeKernel,
};
pub use launches::Launches;
pub(crate) use launches::{launches, sealed as launches_sealed};
pub use list::ArgumentList;
pub use parameter::{
    ByValue, ConditionHandle, In, Out, Parameter, SurfaceObject, TensorMapValue, TextureObject,
    Value,
};
pub use signature::Signature;
pub use trusted::{Check, TrustedKernel};
