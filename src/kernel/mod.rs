//! Typed kernels: functions whose parameters were compared with a signature.

mod checked;
pub(crate) mod launchable;
mod parameter;
mod signature;

pub use crate::error::{SignatureError, SignatureProblem};
pub use checked::{Checked, Kernel};
pub use launchable::Launchable;
pub use parameter::{Parameter, Value};
pub use signature::Signature;
