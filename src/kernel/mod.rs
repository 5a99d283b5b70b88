//! Typed kernels: functions whose parameters were compared with a signature.

mod checked;
mod entries;
mod error;
mod launchable;
mod parameter;
mod signature;

pub use checked::{Checked, Kernel};
pub(crate) use entries::PtxEntry;
pub use error::{SignatureError, SignatureProblem};
pub use launchable::Launchable;
pub use parameter::{Parameter, Value};
pub use signature::Signature;
