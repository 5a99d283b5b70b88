//! The public operations, each with what it needs around it.

use crate::common::gpu::try_new_context;
use crate::common::kernels::STORE;
use cuscope::{Context, ContextStack, Device, PushedGuard, Result, context::SmSplitFlags, ffi};
use std::sync::atomic::{AtomicPtr, Ordering};

/// An operation, alone in the process.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) run: fn() -> Result,
}

fn device() -> Result<Device> {
    Device::get(0)
}

/// Runs `f` under a guard, and pops that.
fn pushed(f: impl FnOnce(&mut PushedGuard<'_>) -> Result) -> Result {
    let context = try_new_context()?;
    let mut stack = ContextStack::current_thread()?;
    let mut gpu = stack.push(&context)?;
    f(&mut gpu)?;
    gpu.pop()
}

/// The answer of `try_destroy` and `into_raw` if something else holds the context.
fn shared<R>(_: Context) -> Result<R> {
    panic!("nothing else holds the context")
}

/// The green context that was made last.
pub(crate) static GREEN: AtomicPtr<ffi::CUgreenCtx_st> = AtomicPtr::new(std::ptr::null_mut());

fn create_green() -> Result<Context> {
    let split = device()?.sm_resource()?.split_by_count(1, 8, SmSplitFlags::empty())?;
    let context = Context::create_green(&split.groups)?;
    GREEN.store(context.raw_green().expect("it is one"), Ordering::Relaxed);
    Ok(context)
}

fn store<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<cuscope::Function<'ctx>> {
    gpu.load_ptx(STORE)?.function("store")
}

macro_rules! operations {
    ($($name:literal => $run:expr;)*) => {
        pub(super) const OPERATIONS: &[Operation] =
            &[$(Operation { name: $name, run: || $run }),*];
    };
}

mod code;
mod contexts;
mod ends;
mod graphs;
mod ordered;
mod work;

/// All of them.
pub(crate) fn operations() -> impl Iterator<Item = &'static Operation> {
    [
        contexts::OPERATIONS,
        work::OPERATIONS,
        ordered::OPERATIONS,
        graphs::OPERATIONS,
        code::OPERATIONS,
        ends::OPERATIONS,
    ]
    .into_iter()
    .flatten()
}
