//! The calling thread's context stack as a chain of exclusive borrows.
//!
//! A guard's lifetime is the exclusive borrow of what lies below it, and a guard has a destructor.
//! So a guard that is covered cannot be used (E0502), guards pop in order (E0505), and a guard is
//! gone once it is popped (E0382). Lifetimes say nothing about a guard that is *leaked*; the levels
//! in [`level`] do.

mod guard;
mod level;
mod push;
mod token;

pub use guard::PushedGuard;
pub use push::PushContext;
pub use token::{ContextStack, NestedStack};
