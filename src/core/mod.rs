//! The heart of the crate: the calls of the driver, contexts, and the stack of a thread.
//!
//! Nothing here imports a module of `src/` outside this folder, so you can review it alone (`tests/rules/house.rs`). All
//! else, such as memory, streams and graphs, relies on it: a guard of `stack` says which context is current, and the
//! handles that the guard makes carry its brand.
//!
//! # What is trusted
//!
//! - The compiler: the borrow checker, the drop checker and auto traits.
//! - The driver, as far as [the facts](crate::driver_facts) have measured it.
//! - The blocks of `unsafe` in this folder. Nearly all call the driver. Those that touch the memory of Rust itself are
//!   listed in `docs/unsafe.md`, with those of the other modules.
//! - Nothing that the program does without `unsafe`. It may leak, panic, move and drop in any order, and each hook,
//!   subscriber and destructor of it may call everything ([`re-entered`](crate::soundness#re-entered)).
//! - Nothing that foreign code does to the stack, but what the driver does not let us see (below).
//!
//! # In which order to read it
//!
//! | module | what to check there |
//! |---|---|
//! | `brand` | The two markers: an invariant lifetime, and a type that is neither `Send` nor `Sync`. Fifty lines. |
//! | `error` | Data and messages, with which codes mean that a call enqueued nothing (`advice`). |
//! | `call` | `answer!`: the name, call and check of a driver function. `fault` notes faults of the process. |
//! | `sync` | The primitives that threads share; loom takes their place in the tests of `tests/loom`. |
//! | `driver` | The start; the child of a `fork`; the capture mode of the thread; releases in destructors. |
//! | `name`, `device` | Names with a NUL at their end. Devices are numbers: nothing is owned. |
//! | `registry` | What threads share: the live contexts, the log of entries of each thread, page-locked memory. |
//! | `context` | The owners of contexts. `mod.rs` ends them once; `wait` is the only place that blocks on the device. |
//! | `stack` | The claim itself. `stack_pos` does the book-keeping, `thread_stack` keeps it for one thread. |
//! | `stack::guard`, `stack::token` | The types that users hold: who borrows whom, and what each destructor does. |
//!
//! The stack's argument has three parts. The types order pushes and pops: a guard borrows the level below it
//! exclusively, and its destructor makes the borrow last as long as the guard exists
//! ([`covered-unusable`](crate::soundness#covered-unusable)). The log of entries replaces the types if the program leaks
//! a guard ([`leaked-settled`](crate::soundness#leaked-settled)). The driver's answer is compared with the log
//! before each call that relies on the current context ([`right-context`](crate::soundness#right-context)), as foreign
//! code in the process changes the stack without asking.
//!
//! # The known holes of the design
//!
//! - Entries of the driver's stack have no identity ([F8](crate::driver_facts#F8)). If foreign code pops our entry and
//!   pushes the same context, we take its entry for ours.
//! - Between a comparison and the call that relies on it, a signal handler of the same thread can change the current
//!   context.
//! - Foreign code that destroys a context of ours ([F89](crate::driver_facts#F89)), or leaves a destroyed one on top of
//!   ours ([F13](crate::driver_facts#F13), [F14](crate::driver_facts#F14)), makes the driver follow dangling pointers.
//! - A leaked guard leaves its entry until the level below it is used again, and a leaked `ContextStack` leaves the
//!   thread without one.
//! - A fibre that moves a running stack between threads moves values that are not `Send`.
//! - If the global allocator of the program calls this crate, a lock or borrow that is held may stop it.
//!
//! "Known holes" of [SOUNDNESS.md](crate::soundness) has all of them, with what a program must avoid.

pub(crate) mod brand;
pub(crate) mod call;
pub mod context;
pub mod stack;
pub mod device;
pub(crate) mod driver;
pub mod error;
pub(crate) mod name;
pub(crate) mod registry;
pub(crate) mod sync;
