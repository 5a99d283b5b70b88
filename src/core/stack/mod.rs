//! The calling thread's context stack as a chain of exclusive borrows.
//!
//! A guard's lifetime is the exclusive borrow of the guard or stack below it, and a guard has a destructor. So
//! a covered guard cannot be used (E0502), guards pop in order (E0505), and a popped guard is gone (E0382).
//! Lifetimes cannot handle a guard that is *leaked*; the record of the thread's entries does.

mod guard;
mod owned;
mod push;
mod stack_pos;
mod thread_stack;
mod token;

pub use guard::PushedGuard;
pub use owned::OwnedGuard;
pub use push::PushContext;
pub(crate) use thread_stack::in_driver_call;
pub(crate) use token::with_current;
pub use token::{ContextStack, NestedStack};
