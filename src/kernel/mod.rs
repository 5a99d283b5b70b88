//! Typed kernels, whose parameters were compared with a signature, and lists of arguments built at run time.
//!
//! The guide has a page about this: [kernels](crate::guide::kernels).

mod checked;
pub(crate) mod launchable;
mod list;
mod parameter;
mod signature;

pub use crate::error::{SignatureError, SignatureProblem};
pub use checked::{Checked, Kernel};
pub use launchable::{AnyArguments, Argument, ArgumentsOf, Launchable};
pub use list::ArgumentList;
pub use parameter::{
    ConditionHandle, In, Out, Parameter, SurfaceObject, TensorMapValue, TextureObject, Value,
};
pub use signature::Signature;
