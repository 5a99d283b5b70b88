//! The stack of a thread, contexts, what ends and what fails, and what foreign code and other threads do meanwhile.

mod attacks;
mod bad_input;
mod bindings;
#[path = "../common/mod.rs"]
mod common;
mod contexts;
mod diagnostics;
mod endings;
mod faults;
mod foreign;
mod foreign_handles;
mod leaks;
mod over_budget;
mod owned_guards;
mod properties;
mod raw_calls;
#[cfg(target_os = "linux")] // it exports memory by descriptors, which other systems do not have
mod refusals;
mod releases;
mod stack;
mod stack_depth;
mod threads;
mod three_uses;
mod user_structs;
