//! What the compiler and this crate say when a rule is broken, what it means, and what to do.
//!
//! Look for the headline of your message. Each entry names the programs in the repository's folder
//! `ui-tests` that get it, with the whole message beside them.
//!
//! | headline | entry |
//! |---|---|
//! | E0382: borrow of moved value: `gpu` | [the guard is gone](#the-guard-is-gone) |
//! | E0502: cannot borrow `outer` as immutable because it is also borrowed as mutable | [the guard is covered](#the-guard-is-covered) |
//! | E0505: cannot move out of `outer` because it is borrowed | [out of order](#out-of-order) |
//! | E0505: cannot move out of `context` because it is borrowed; E0716: temporary value dropped while borrowed | [the context is pushed](#the-context-is-pushed) |
//! | E0499: cannot borrow `stack` as mutable more than once at a time | [one guard at a time](#one-guard-at-a-time) |
//! | **E0597: `outer` does not live long enough** … when `outer` is dropped and runs the `Drop` code for type `PushedGuard` | [a handle under another guard](#a-handle-under-another-guard) |
//! | lifetime may not live long enough; `'a` and `'b` must be the same | [a lifetime for both](#a-lifetime-for-both) |
//! | E0515: cannot return value referencing local variable `stack` | [it leaves the function](#it-leaves-the-function) |
//! | E0277: `dyn TiedToOneThread` cannot be shared between threads safely; future cannot be sent between threads safely | [tied to one thread](#tied-to-one-thread) |
//! | E0521: borrowed data escapes outside of closure | [out of `reentrant`](#out-of-reentrant) |
//! | E0308: expected `&Stream`, found `&Detached<Stream>` | [detached handles](#detached-handles) |
//! | E0277: … is not a place on the context stack; E0308: types differ in mutability | [what a library takes](#what-a-library-takes) |
//! | E0277: … cannot be a kernel argument; … is not a tuple of kernel arguments; E0382: use of moved value: `y` | [launches](#launches) |
//! | E0597, E0505, E0503, E0506, E0499, E0502 with "argument requires that `x` is borrowed for `'1`" and "`s` has type `&'1 Scope`" | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0521: `inner` escapes the closure body; lifetime may not live long enough: `Held`, `Queue`, `Staged` is invariant over the parameter `'s` | [another scope's](#another-scopes) |
//! | E0277: … is not device memory that this scope can read | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0277: `RefCell<…State>` cannot be shared between threads safely | [tied to one thread](#tied-to-one-thread) |
//! | E0500: closure requires unique access to `*gpu` but it is already borrowed | [another scope's](#another-scopes) |
//! | E0597, E0505, E0502 at a graph, at a stream under capture; E0599: no method named `upload` found for struct `CaptureQueue` | [graphs](#graphs) |
//! | E0277: … does not name the buffers of a graph; `*mut CUgraphExec_st` cannot be shared between threads safely | [graphs](#graphs) |
//! | E0277: … cannot live in device memory; … is not PTX text | [types](#types) |
//! | E0308: mismatched types of buffers and slices; E0599: no … named `clone`, `default` | [types](#types) |
//! | E0277: … is not an image; E0308: expected `&Cubin`, found `&Ptx` | [images and variables](#images-and-variables) |
//! | E0277: … is no argument for a parameter …; … are not the arguments of a kernel; … is not a parameter of a kernel | [launches](#launches) |
//! | E0277: … is not a handle that can be detached; E0509 | [structs of handles](#structs-of-handles) |
//! | E0277: … which is sealed | [sealed traits](#sealed-traits) |
//! | E0133: call to unsafe function | [launches](#launches), [what is `unsafe` about contexts](#what-is-unsafe-about-contexts), [calls of the driver](#calls-of-the-driver) |
//! | error: unused `PushedGuard` that must be used; E0596 | [a guard needs a name](#a-guard-needs-a-name) |
//! | [`Error::StackTaken`], [`Suspended`], [`NotCurrent`], [`OtherContext`], sticky errors | [at run time](#at-run-time) |
//!
//! [`Error::StackTaken`]: crate::Error::StackTaken
//! [`Suspended`]: crate::Error::Suspended
//! [`NotCurrent`]: crate::Error::NotCurrent
//! [`OtherContext`]: crate::Error::OtherContext
//!
//! # The guard is gone
//!
//! *error\[E0382\]: borrow of moved value: `gpu`.* The guard was popped, or given away. Its context is
//! no longer current.
//!
//! ```compile_fail,E0382
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, context: &Context) -> Result {
//! let gpu = stack.push(context)?;
//! gpu.pop()?;
//! gpu.synchronize()
//! # }
//! ```
//! Pop later, or push again; that costs some 50 ns:
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! let gpu = stack.push(&context)?;
//! gpu.synchronize()?;
//! gpu.pop()?;
//! stack.push(&context)?.synchronize()
//! # }
//! ```
//! `ui-tests/use_after_pop.rs`. The same for a handle that was detached or attached:
//! `ui-tests/detached_then_used.rs`, `ui-tests/attached_twice.rs`; and for a context that was destroyed or
//! given to foreign code: `ui-tests/used_after_destroy.rs`, `ui-tests/used_after_into_raw.rs`.
//!
//! # The context is pushed
//!
//! *error\[E0505\]: cannot move out of `context` because it is borrowed.* A guard borrows its context, which
//! cannot be dropped, destroyed or given away while it is on the stack. *error\[E0716\]: temporary value
//! dropped while borrowed.* It needs a name, as nothing else would hold it.
//!
//! ```compile_fail,E0505
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, context: Context) -> Result {
//! let gpu = stack.push(&context)?;
//! drop(context);
//! gpu.synchronize()
//! # }
//! ```
//! Pop first, or push a clone that lives as long as the guard:
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! let pushed = context.clone();
//! let gpu = stack.push(&pushed)?;
//! drop(context);
//! gpu.synchronize()
//! # }
//! ```
//! `ui-tests/context_dropped_while_pushed.rs`, `ui-tests/context_destroyed_while_pushed.rs`,
//! `ui-tests/temporary_context_pushed.rs`.
//!
//! # The guard is covered
//!
//! *error\[E0502\]: cannot borrow `outer` as immutable because it is also borrowed as mutable.* Another
//! context was pushed on the guard and is current, as long as the inner guard exists. It may never be
//! named again, it is dropped only at the end of its block.
//!
//! ```compile_fail,E0502
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
//! let mut outer = stack.push(a)?;
//! let inner = outer.push(b)?;
//! outer.synchronize()?;
//! inner.pop()
//! # }
//! ```
//! Pop the inner guard first, or end its block:
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let a = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let b = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! let mut outer = stack.push(&a)?;
//! let inner = outer.push(&b)?;
//! inner.synchronize()?;
//! inner.pop()?;
//! outer.synchronize()
//! # }
//! ```
//! `ui-tests/covered_parent.rs`, `ui-tests/covered_parent_idle_child.rs`,
//! `ui-tests/limit_of_covered_guard.rs`. Operations that were taken from
//! the guard before, by `outer.on(&stream)`, keep it from being covered: `ui-tests/push_under_operations.rs`; so does a
//! profiling that is not stopped: `ui-tests/push_while_profiling.rs`.
//!
//! # Out of order
//!
//! *error\[E0505\]: cannot move out of `outer` because it is borrowed.* Something above is still there:
//! a guard that was pushed on this one (pop that first), operations taken from it by `on` (take them
//! again, that is free), or a handle that is used after its stack is dropped (use it before, or
//! [detach](crate::Branded::detach) it).
//!
//! ```compile_fail,E0505
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
//! let mut outer = stack.push(a)?;
//! let inner = outer.push(b)?;
//! outer.pop()?;
//! inner.pop()
//! # }
//! ```
//! ```no_run
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
//! let mut outer = stack.push(a)?;
//! let inner = outer.push(b)?;
//! inner.pop()?;
//! outer.pop()
//! # }
//! ```
//! `ui-tests/pop_out_of_order.rs`, `ui-tests/pop_under_operations.rs`, `ui-tests/handle_outlives_stack.rs`,
//! `ui-tests/drop_stream_under_operations.rs`, `ui-tests/bound_outlives_detached.rs`.
//!
//! # One guard at a time
//!
//! *error\[E0499\]: cannot borrow `stack` as mutable more than once at a time.* The line that says "first
//! borrow later used here" tells which of two cases it is.
//!
//! It names the first *guard*: a stack lends one guard at a time. Push the second on the first,
//! `first.push(b)`, or pop the first before. `ui-tests/two_guards.rs`.
//!
//! It names a *handle*: that came from the first guard and is used under the second, which may be of
//! another context. `ui-tests/mix_sequential.rs`, `ui-tests/brand_loop.rs`.
//!
//! ```compile_fail,E0499
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, context: &Context) -> Result {
//! let first = stack.push(context)?;
//! let stream = first.stream()?;
//! first.pop()?;
//! let second = stack.push(context)?;
//! second.on(&stream).record(&second.event()?)
//! # }
//! ```
//! To keep a handle over a pop, detach it; binding compares the contexts:
//! ```
//! # use cuscope::{Branded, Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! let first = stack.push(&context)?;
//! let stream = first.stream()?.detach();
//! first.pop()?;
//! let second = stack.push(&context)?;
//! second.on(second.bind(&stream)?).record(&second.event()?)
//! # }
//! ```
//!
//! # A handle under another guard
//!
//! *error\[E0597\]: `outer` does not live long enough … borrow might be used here, when `outer` is dropped
//! and runs the `Drop` code for type `PushedGuard`.* **A handle of `outer` is used under a guard that was
//! pushed on it.** The message shows neither the handle nor its use, and the remedy is not to make
//! anything live longer.
//!
//! A handle has the lifetime of its guard as a mark. To be used under `inner`, the handle of `outer`
//! would need the mark of both, and the compiler reports what follows from that: `inner` would borrow
//! `outer` for as long as the type of `outer` itself lasts.
//!
//! ```compile_fail,E0597
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
//! let mut outer = stack.push(a)?;
//! let stream = outer.stream()?;
//! let inner = outer.push(b)?;             // the error points here …
//! inner.on(&stream).record(&inner.event()?) // … and the mistake is here: `stream` is of `outer`
//! # }
//! ```
//! Look for a handle on the inner guard's lines that the outer guard made. Make it under the inner
//! guard, or use it when the inner one is popped:
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let a = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let b = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! let mut outer = stack.push(&a)?;
//! let stream = outer.stream()?;
//! let inner = outer.push(&b)?;
//! let own = inner.stream()?;
//! inner.on(&own).record(&inner.event()?)?;
//! inner.pop()?;
//! outer.on(&stream).record(&outer.event()?)
//! # }
//! ```
//! If both guards are of one context, detach the handle and [`bind`](crate::PushedGuard::bind) it under
//! the inner one. `ui-tests/mix_nested.rs`, `ui-tests/handle_of_other_guard_in_launch.rs`, `ui-tests/kernel_of_other_context.rs`, `ui-tests/function_outlives_guard.rs`,
//! `ui-tests/launch_event_of_other_context.rs`,
//! `ui-tests/event_of_other_context_recorded.rs`, `ui-tests/bound_under_another_guard.rs`,
//! `ui-tests/swap_guards.rs`. With more in between: `ui-tests/brand_option_take.rs`,
//! `ui-tests/brand_self_borrow.rs`, `ui-tests/brand_rc_cycle.rs`, `ui-tests/brand_scoped_thread.rs`,
//! `ui-tests/brand_suspended_future.rs`, `ui-tests/brand_never_returns.rs`, `ui-tests/brand_forget.rs`.
//!
//! # A lifetime for both
//!
//! *error: lifetime may not live long enough … `'a` and `'b` must be the same: replace one with the
//! other.* A function takes a guard and a handle, and does not say that they belong together.
//! What the message advises is right: one lifetime for both, also where it was not written.
//!
//! ```compile_fail
//! # use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};
//! fn clear(gpu: &PushedGuard<'_>, stream: &Stream<'_>, x: &mut DeviceBuffer<'_, u32>) -> Result {
//!     gpu.on(stream).zero(x)
//! }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};
//! fn clear<'ctx>(
//!     gpu: &PushedGuard<'ctx>,
//!     stream: &Stream<'ctx>,
//!     x: &mut DeviceBuffer<'ctx, u32>,
//! ) -> Result {
//!     gpu.on(stream).zero(x)
//! }
//! ```
//! `ui-tests/mix_generic.rs`; in a trait, give the lifetime to the trait: `ui-tests/erased_brand.rs`.
//! For a closure it is E0521: `|q: Queue<'_, '_>|` takes a queue of any guard, and its body a handle of one. Leave
//! the type out, or write a function.
//!
//! # It leaves the function
//!
//! *error\[E0515\]: cannot return value referencing local variable `stack`.* A guard or handle is returned
//! (or stored) and its stack stays behind. Take the stack or guard as an argument, or return the
//! handle detached. A struct cannot hold a stack and its guard; it can hold detached handles.
//!
//! ```compile_fail,E0515
//! # use cuscope::{Context, ContextStack, Result, Stream};
//! fn open<'ctx>(context: &Context) -> Result<Stream<'ctx>> {
//!     let mut stack = ContextStack::current_thread()?;
//!     let gpu = stack.push(context)?;
//!     let stream = gpu.stream()?;
//!     Ok(stream)
//! }
//! ```
//! ```
//! # use cuscope::{Branded, Context, ContextFlags, ContextStack, Detached, Device, Result, Stream};
//! fn open(context: &Context) -> Result<Detached<Stream<'static>>> {
//!     let mut stack = ContextStack::current_thread()?;
//!     Ok(stack.push(context)?.stream()?.detach())
//! }
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # open(&context).map(drop)
//! # }
//! ```
//! `ui-tests/return_handle.rs`, `ui-tests/store_guard_beside_stack.rs`.
//!
//! # Tied to one thread
//!
//! *error\[E0277\]: `dyn TiedToOneThread` cannot be shared between threads safely*, or *future cannot be
//! sent between threads safely.* Every thread has a context stack of its own, so guards and stacks stay
//! on theirs. Move or lend the context, and push it on the other thread's stack; move handles detached.
//!
//! ```compile_fail,E0277
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, context: &Context) -> Result {
//! let gpu = stack.push(context)?;
//! std::thread::scope(|threads| threads.spawn(|| gpu.synchronize()).join().unwrap())
//! # }
//! ```
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! let work = || {
//!     let mut stack = ContextStack::current_thread()?;
//!     stack.push(&context)?.synchronize()
//! };
//! std::thread::scope(|threads| threads.spawn(work).join().unwrap())
//! # }
//! ```
//! A future that has a guard over an `.await` cannot be sent either: drop the guard before, or run the
//! future on one thread. `ui-tests/send_guard.rs`, `ui-tests/share_guard.rs`, `ui-tests/send_token.rs`,
//! `ui-tests/share_token.rs`, `ui-tests/static_token.rs`, `ui-tests/send_nested_stack.rs`,
//! `ui-tests/spawn_future.rs`. So does what was seen to be current: `ui-tests/send_current_context.rs`.
//!
//! A host function runs on a thread of the driver, so it takes no guard with it, and borrows nothing (E0373):
//! `ui-tests/host_function_with_guard.rs`, `ui-tests/host_function_borrows.rs`.
//!
//! A queue stays on its scope's thread, too: give each thread a stack and a scope of its own, and share
//! the streams detached. `ui-tests/queue_sent.rs`.
//!
//! *error\[E0521\]: borrowed data escapes outside of function … must outlive `'static`.* A handle is moved to
//! a thread of its own with its guard's lifetime. Detach it first: `ui-tests/attached_handle_sent.rs`.
//!
//! # Out of `reentrant`
//!
//! *error\[E0521\]: borrowed data escapes outside of closure*, or *lifetime may not live long enough* at
//! the closure's result. A guard or handle leaves the closure of
//! [`ContextStack::reentrant`](crate::ContextStack::reentrant), which pops what is left when it returns.
//! Finish inside, or return handles detached.
//!
//! ```compile_fail
//! # use cuscope::{Context, ContextStack, Result, Stream};
//! # fn example(context: &Context) -> Result {
//! let stream = ContextStack::reentrant(|stack| stack.push(context)?.stream())?;
//! # Ok(()) }
//! ```
//! ```
//! # use cuscope::{Branded, Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! let stream = ContextStack::reentrant(|stack| Ok(stack.push(&context)?.stream()?.detach()))?;
//! # drop(stream);
//! # Ok(()) }
//! ```
//! `ui-tests/guard_leaves_reentrant.rs`, `ui-tests/guard_stashed_in_reentrant.rs`,
//! `ui-tests/swap_nested_stacks.rs`. Outside of a closure the same code means that a handle is put where
//! only `'static` values go: `ui-tests/brand_panic_any.rs`.
//!
//! # Detached handles
//!
//! *error\[E0308\]: mismatched types, expected `&Stream<'_>`, found `&Detached<Stream<'_>>`.* A detached
//! handle belongs to no guard. [`bind`](crate::PushedGuard::bind) lends it,
//! [`attach`](crate::PushedGuard::attach) takes it; both compare the contexts.
//!
//! ```compile_fail,E0308
//! # use cuscope::{Detached, PushedGuard, Result, Stream};
//! # fn example(gpu: &PushedGuard<'_>, stream: &Detached<Stream<'static>>) -> Result {
//! gpu.on(stream).record(&gpu.event()?)
//! # }
//! ```
//! ```no_run
//! # use cuscope::{Detached, PushedGuard, Result, Stream};
//! # fn example(gpu: &PushedGuard<'_>, stream: &Detached<Stream<'static>>) -> Result {
//! gpu.on(gpu.bind(stream)?).record(&gpu.event()?)
//! # }
//! ```
//! `ui-tests/detached_used.rs`.
//!
//! # Structs of handles
//!
//! [`handles!`](crate::handles) declares a struct that detaches as a whole. Its fields are handles, collections
//! of them, and plain values.
//!
//! *error\[E0277\]: `&str` is not a handle that can be detached from its guard.* A field borrows, and would
//! outlive what it borrows: own it, or wrap it in [`Plain`](crate::Plain) if it has no lifetime.
//! `ui-tests/handles_with_a_borrow.rs`.
//!
//! *error: lifetime may not live long enough … `'to` must outlive `'static`.* A field is a handle of another
//! guard than the struct's: `ui-tests/handles_of_another_lifetime.rs`.
//!
//! *error\[E0509\]: cannot move out of type `Watched`, which implements the `Drop` trait.*
//! `ui-tests/handles_with_drop.rs`.
//!
//! A struct under another guard gets the message that its handles would get
//! ([above](#a-handle-under-another-guard)): `ui-tests/handles_under_another_guard.rs`.
//!
//! # What a library takes
//!
//! *error\[E0277\]: `Context` is not a place on the context stack*, or *error\[E0308\]: … types differ in
//! mutability.* A function that pushes takes `&mut impl PushContext`: hand it `&mut stack`, or
//! `&mut gpu` to let it push on top of a guard.
//!
//! ```compile_fail,E0277
//! # use cuscope::{Context, PushContext, Result};
//! fn library(stack: &mut impl PushContext, own: &Context) -> Result {
//!     stack.push(own)?.synchronize()
//! }
//! # fn example(mut context: Context, own: &Context) -> Result {
//! library(&mut context, own)
//! # }
//! ```
//! ```no_run
//! # use cuscope::{Context, ContextStack, PushContext, Result};
//! fn library(stack: &mut impl PushContext, own: &Context) -> Result {
//!     stack.push(own)?.synchronize()
//! }
//! # fn example(stack: &mut ContextStack, context: &Context, own: &Context) -> Result {
//! let mut gpu = stack.push(context)?;
//! library(&mut gpu, own)
//! # }
//! ```
//! `ui-tests/context_to_library.rs`, `ui-tests/shared_guard_to_library.rs`. To push on a context
//! (*no method named `push` found*) is the same mistake: `ui-tests/context_is_not_a_stack.rs`.
//!
//! # Launches
//!
//! | headline | what to do | program |
//! |---|---|---|
//! | E0277: `DeviceBuffer<…>` cannot be a kernel argument | lend it: `&x` to read, `&mut x` to write | `ui-tests/owned_argument.rs`, `ui-tests/scope_owned_argument.rs` |
//! | E0277: `&f32`, `&[f32]` cannot be a kernel argument | numbers by value; upload slices to a buffer | `ui-tests/host_reference_argument.rs` |
//! | E0277: … is not a tuple of kernel arguments | one argument is `(x,)`; at most twelve, put more in a struct | `ui-tests/single_argument.rs`, `ui-tests/scope_single_argument.rs`, `ui-tests/too_many_arguments.rs` |
//! | E0502: cannot borrow `x` as mutable because it is also borrowed as immutable | what the kernel writes is no other argument of it | `ui-tests/aliased_arguments.rs` |
//! | E0133: call to unsafe function … requires unsafe block | check the kernel against the contract of [`launch`](crate::OnStream::launch) | `ui-tests/launch_without_unsafe.rs`, `ui-tests/scope_launch_without_unsafe.rs` |
//! | E0277: `&mut Held<…>` cannot be a kernel argument | what a scope holds is launched on by its queues: `s.on(&stream).launch(…)` | `ui-tests/held_in_blocking_launch.rs`, `ui-tests/mapped_in_blocking_launch.rs` |
//! | E0277: `&DeviceBuffer<…>` is no argument for a parameter `&mut [f32]` | the signature says that the [kernel](crate::Kernel) writes it: `&mut y` | `ui-tests/kernel_reads_for_written.rs` |
//! | E0277: … are not the arguments of a kernel … | as many arguments as the signature has parameters, each of its type | `ui-tests/kernel_with_too_few.rs` |
//! | E0277: … is not a parameter of a kernel; is not the signature of a kernel | a struct by value is `Value<Struct>`, memory `&[T]` or `&mut [T]`; one parameter is `(u32,)` | `ui-tests/signature_of_struct.rs` |
//! | E0277: `(…)` does not say how a kernel is launched | `LaunchConfig::new(blocks, threads)` | `ui-tests/launch_without_config.rs` |
//! | E0277: `&[f32]` is not memory that an access policy window can cover | pass `&buffer`, `&held`, or a reference to a slice of these | `ui-tests/window_over_host_memory.rs` |
//! | E0505: cannot move out of `event` because it is borrowed | a launch with the event borrows it until it is made: drop it later | `ui-tests/launch_event_dropped.rs` |
//! | E0597: `count` does not live long enough … argument requires that `count` is borrowed for `'static` | a hook of the driver's log borrows nothing: share by an `Arc` | `ui-tests/driver_log_hook_borrows.rs` |
//! | E0382: use of moved value: `y`, a `&mut Held` | a tuple takes it: write `&mut *y` to lend it again | `ui-tests/used_twice_through_mut_ref.rs` |
//! | E0502: cannot borrow `*y` as mutable, a `&mut Held` | what the kernel writes is no other argument of it | `ui-tests/held_aliased_arguments.rs` |
//!
//! ```compile_fail,E0277
//! # use cuscope::{DeviceBuffer, Function, LaunchConfig, OnStream, Result};
//! # fn example<'c>(queue: OnStream<'_, 'c>, kernel: &Function<'c>, x: DeviceBuffer<'c, f32>) -> Result {
//! # let config = LaunchConfig::new(1, 16);
//! unsafe { queue.launch(kernel, config, (16_u32, x)) }
//! # }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, Function, LaunchConfig, OnStream, Result};
//! # fn example<'c>(queue: OnStream<'_, 'c>, kernel: &Function<'c>, mut x: DeviceBuffer<'c, f32>) -> Result {
//! # let config = LaunchConfig::new(1, 16);
//! // SAFETY: the kernel is scale(unsigned n, float *x) over n elements.
//! unsafe { queue.launch(kernel, config, (16_u32, &mut x)) }
//! # }
//! ```
//!
//! # Borrowed by a scope
//!
//! *error … argument requires that `x` is borrowed for `'1`*, where *`s` has type `&'1 Scope<'1, …>`.* The
//! device may use `x` until the [scope](crate::PushedGuard::scope) ends, which is after its closure.
//!
//! | headline | what to do | program |
//! |---|---|---|
//! | E0597: `x` does not live long enough | it is made inside the closure: make it outside, or take [`s.scratch`](crate::Scope::scratch) | `ui-tests/local_buffer_held.rs`, `ui-tests/local_slice_uploaded.rs` |
//! | the same, with `move \|s\|` | it is moved into the closure: leave `move` out | `ui-tests/moved_slice_uploaded.rs` |
//! | E0505: cannot move out of `buffer` | drop it after the scope | `ui-tests/dropped_while_held.rs` |
//! | E0503, E0506: cannot use, cannot assign to `host[_]` | a transfer uses it: do so after the scope, or [stage](crate::Scope::stage) it | `ui-tests/host_read_in_flight.rs`, `ui-tests/host_written_in_flight.rs` |
//! | E0499: `*host` was mutably borrowed here in the previous iteration of the loop | a slice takes one download: take slices of their own, or stage it | `ui-tests/download_twice.rs` |
//! | E0499: cannot borrow `*buffer` as mutable more than once | hold it once, and use what holds it on all queues | `ui-tests/held_twice.rs`, `ui-tests/written_through_plain_buffer.rs` |
//! | E0502: cannot borrow `buffer` as mutable, immutable | hold it first, and read `&held` | `ui-tests/held_while_read.rs`, `ui-tests/read_while_held.rs`, `ui-tests/written_while_read.rs` |
//! | E0502: cannot borrow `*staged` as immutable | what [`access`](crate::Staged::access) lent is used after the next transfer: ask again | `ui-tests/staged_accessed_in_flight.rs` |
//! | E0499: cannot borrow `*part`, `*mapped` as mutable more than once | what a scope holds, or `access` lent, is used by its queues alone, or before the next launch | `ui-tests/part_used_while_held.rs`, `ui-tests/mapped_accessed_in_flight.rs` |
//! | E0502: cannot borrow `pinned` as immutable | a kernel of the scope writes it: read it after the scope, or [map](crate::Scope::map) it | `ui-tests/pinned_read_in_flight.rs` |
//! | E0716: temporary value dropped while borrowed, a `slice_mut` | take the part above the scope, or split what holds the buffer | `ui-tests/part_held_as_temporary.rs` |
//! | E0277: … is not host memory that this scope stages | a slice is copied by `upload` and `download`; `s.stage` and `s.map` make what is staged | `ui-tests/host_slice_staged.rs` |
//! | E0308: expected `&Stream`, found `&OnDefaultStream` | a scope takes streams that were created: `gpu.stream()?` | `ui-tests/default_stream_in_scope.rs` |
//! | E0382: use of moved value: `held`, by `split_at` or `chunks` | use its parts, which stand in its place | `ui-tests/held_used_after_split.rs` |
//! | E0277: `&[f32]` is not device memory that this scope can read | a download reads `&buffer` or `&held` | `ui-tests/host_memory_as_source.rs` |
//!
//! ```compile_fail,E0506
//! # use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};
//! # fn example<'c>(gpu: &PushedGuard<'c>, stream: &Stream<'c>, x: &mut DeviceBuffer<'c, f32>) -> Result {
//! let mut host = [1.0; 64];
//! gpu.scope(|s| {
//!     s.on(stream).upload(&host, &mut s.hold(x))?;
//!     host[0] = 2.0; // while it is read
//!     Ok(())
//! })
//! # }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};
//! # fn example<'c>(gpu: &PushedGuard<'c>, stream: &Stream<'c>, x: &mut DeviceBuffer<'c, f32>) -> Result {
//! let mut host = [1.0; 64];
//! gpu.scope(|s| {
//!     let mut host = s.stage(&mut host);
//!     s.on(stream).upload_staged(&host, &mut s.hold(x))?;
//!     host.access()?[0] = 2.0; // waits
//!     Ok(())
//! })
//! # }
//! ```
//!
//! # Another scope's
//!
//! *error\[E0521\]: borrowed data escapes outside of closure … `inner` escapes the closure body here.* What
//! one scope lends is used in another one, or after it. A scope orders and waits for its own work only.
//! Use the queues of the scope that holds the buffer: `ui-tests/held_in_other_scope.rs`,
//! `ui-tests/held_read_in_other_scope.rs`, `ui-tests/staged_in_other_scope.rs`, `ui-tests/mapped_in_other_scope.rs`. After a scope, the buffer itself is there again:
//! `ui-tests/held_escapes.rs`, `ui-tests/queue_escapes.rs`.
//!
//! *error\[E0500\]: closure requires unique access to `*gpu` but it is already borrowed.* A context is pushed
//! on the guard inside its scope: push before or after. `ui-tests/push_inside_scope.rs`.
//!
//! *error: lifetime may not live long enough* at a stream or buffer: it is another guard's, see [a lifetime for
//! both](#a-lifetime-for-both). `ui-tests/stream_of_other_guard_in_scope.rs`, `ui-tests/attributes_of_other_guard.rs`.
//!
//! # Graphs
//!
//! A stream that is captured belongs to the capture, a graph that is replayed to the scope, and each replay
//! names the buffers of its graph.
//!
//! | headline | what to do | program |
//! |---|---|---|
//! | E0502: cannot borrow `stream` as mutable, immutable | capture a stream of its own, that nothing else uses meanwhile | `ui-tests/captured_stream_in_scope.rs`, `ui-tests/scope_on_captured_stream.rs`, `ui-tests/stream_used_while_captured.rs`, `ui-tests/forked_stream_used.rs` |
//! | E0308: expected mutable reference `&mut Stream` | capture what you have alone | `ui-tests/shared_stream_captured.rs` |
//! | E0521: `c` escapes the closure body | what a capture lends ends with it | `ui-tests/capture_escapes.rs` |
//! | E0597: `buffer` does not live long enough | make it outside of the closure, or take [`c.scratch`](crate::Capture::scratch) | `ui-tests/local_buffer_captured.rs` |
//! | E0599: no method named `upload` found for struct `CaptureQueue` | no host memory in a graph: upload before a replay, download after it | `ui-tests/host_memory_in_capture.rs` |
//! | E0133: call to unsafe function | a launch is `unsafe` where it is captured, not where it is replayed | `ui-tests/capture_launch_without_unsafe.rs` |
//! | E0505: cannot move out of `graph`; E0597: `graph` does not live long enough | it runs until the scope ends: make it before, drop it after | `ui-tests/graph_dropped_in_flight.rs`, `ui-tests/local_graph_replayed.rs` |
//! | E0515: returns a value referencing data owned by the current function | return the graph [detached](crate::Branded::detach) | `ui-tests/graph_outlives_stack.rs` |
//! | E0277: `*mut CUgraphExec_st` cannot be shared between threads safely | one thread at a time has a graph: send it, or capture one for each | `ui-tests/graph_shared_between_threads.rs` |
//! | E0277: `&mut Held<…>` does not name the buffers of a graph | replay it on a queue of the scope | `ui-tests/held_replayed_blocking.rs` |
//! | E0502: cannot borrow `y` as mutable, immutable | what a graph writes is named once, with `&mut`, and read when the replay is over | `ui-tests/replay_aliased.rs`, `ui-tests/replay_named_while_in_flight.rs` |
//! | E0308: expected `Node<Memset>`, found `Node<Kernel>` | give a change the node that can have it: [`NodeId`](crate::NodeId) becomes it by `try_into` | `ui-tests/node_of_other_kind.rs` |
//! | E0521: `g` escapes the closure body; lifetime may not live long enough | return nodes from the closure of a builder; what a node allocates is for its graph alone | `ui-tests/builder_escapes.rs`, `ui-tests/graph_memory_leaves_builder.rs` |
//! | E0597: `buffer` does not live long enough; E0505: cannot move out of `x` | make what a graph is built with outside of the closure, and drop it after | `ui-tests/local_buffer_built.rs`, `ui-tests/dropped_while_built.rs` |
//! | E0382: borrow of moved value: `memory` | add what uses memory before what frees it | `ui-tests/graph_memory_used_after_free.rs` |
//! | E0597: `count` does not live long enough | a function of a graph owns what it uses | `ui-tests/graph_function_borrows.rs` |
//! | E0133: call to unsafe function | a launch is `unsafe` where its node is added | `ui-tests/kernel_node_without_unsafe.rs` |
//! | E0502: cannot borrow `*graph` as mutable | change it before or after the scope | `ui-tests/graph_changed_in_flight.rs` |
//!
//! ```compile_fail,E0599
//! # use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};
//! # fn example<'c>(gpu: &PushedGuard<'c>, stream: &mut Stream<'c>, x: &DeviceBuffer<'c, f32>, y: &mut DeviceBuffer<'c, f32>) -> Result {
//! let mut host = [0.0; 64];
//! let graph = gpu.capture(stream, |c| {
//!     let mut y = c.hold(y);
//!     c.queue().copy(x, &mut y)?;
//!     c.queue().download(&y, &mut host)
//! })?;
//! # Ok(()) }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};
//! # fn example<'c>(gpu: &PushedGuard<'c>, stream: &mut Stream<'c>, x: &DeviceBuffer<'c, f32>, y: &mut DeviceBuffer<'c, f32>) -> Result {
//! let mut host = [0.0; 64];
//! let graph = gpu.capture(stream, |c| c.queue().copy(x, &mut c.hold(y)))?;
//! gpu.scope(|s| {
//!     let (q, mut y) = (s.on(stream), s.hold(y));
//!     q.replay(&graph, (x, &mut y))?; // names what it reads and writes
//!     q.download(&y, &mut host)
//! })
//! # }
//! ```
//!
//! # Types
//!
//! *error\[E0277\]: `bool` cannot live in device memory.* The device may leave any bytes behind, and a
//! `bool`, a `char`, a reference or an enum is not any bytes; a struct with padding has bytes that may
//! not be read. Use numbers, arrays, and `#[repr(C)]` structs of them:
//! ```no_run
//! # use cuscope::{PushedGuard, Result};
//! #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
//! #[repr(C)]
//! struct Particle {
//!     position: [f32; 3],
//!     alive: u32, // not `bool`; and no padding, as all fields have four bytes
//! }
//! # fn example(gpu: &PushedGuard<'_>) -> Result {
//! let particles = gpu.alloc::<Particle>(1000)?;
//! # Ok(()) }
//! ```
//! `ui-tests/not_plain_data.rs`, `ui-tests/alloc_not_plain_data.rs`. One mistake may give several errors:
//! the first one tells the place.
//!
//! *error\[E0277\]: `&[u8]` is not PTX text.* The driver reads PTX up to a NUL, so it must be text:
//! `include_str!`, not `include_bytes!`. `ui-tests/ptx_of_bytes.rs`.
//!
//! *error\[E0277\]: `DeviceBuffer<…, f32>` is not device memory with elements of type `f64`; error\[E0308\]: types
//! differ in mutability.* Slice and buffer have the same element type, and what is written is lent with
//! `&mut`, and is no part to be read: `ui-tests/element_types_differ.rs`,
//! `ui-tests/upload_to_shared_buffer.rs`, `ui-tests/read_part_written.rs`. It cannot be read by the same
//! call (E0502), nor while a slice of it is there: `ui-tests/copy_to_itself.rs`,
//! `ui-tests/buffer_written_while_sliced.rs`, `ui-tests/buffer_used_beside_its_part.rs`. Parts that are written
//! do not overlap (E0499), and go before their buffer does (E0505): `ui-tests/parts_overlap.rs`,
//! `ui-tests/part_outlives_buffer.rs`.
//!
//! *error\[E0599\]: no … named `clone`, `default`.* A guard stands for one entry of the stack and has no
//! clone: lend it. There is no handle of the default stream: create one, `gpu.stream()?`.
//! `ui-tests/guard_cloned.rs`, `ui-tests/default_stream_is_no_handle.rs`. Operations on the default streams are
//! those of a guard, `gpu.on_legacy_default()`, on its thread (E0277) and while it is on top (E0502):
//! `ui-tests/default_stream_sent.rs`, `ui-tests/default_stream_under_another_guard.rs`.
//!
//! # Page-locked memory
//!
//! *error\[E0499\]: cannot borrow `data` as mutable more than once at a time, or E0515: cannot return value referencing
//! local variable `data`, or a lifetime error.* A slice is borrowed while it is registered: use it through
//! what registered it, and keep what lives longer in a [`PinnedBuffer`](crate::PinnedBuffer).
//! `ui-tests/registered_slice_used.rs`, `ui-tests/registered_outlives_slice.rs`,
//! `ui-tests/registered_slice_leaves_closure.rs`.
//!
//! *error\[E0133\]: call to unsafe function `register`.* Its value must not be leaked. Register a slice for a
//! closure instead, by `with_registered`: `ui-tests/register_without_unsafe.rs`.
//!
//! *error\[E0505\]: cannot move out of `pinned` because it is borrowed.* Drop it after the last use of what
//! was lent of it: `ui-tests/pinned_freed_while_lent.rs`. It holds plain data, as device memory does:
//! `ui-tests/pinned_not_plain_data.rs`.
//!
//! *error\[E0597\]: `gpu` does not live long enough, or E0499.* A pool is of a device, but a buffer from it
//! still belongs to the guard of its stream: `ui-tests/pool_buffer_under_another_guard.rs`.
//!
//! # Images and variables
//!
//! *error\[E0277\]: `&[u8]` is not an image; E0308: expected `&Cubin`, found `&Ptx`.* An image is of one kind,
//! and its bytes are checked when it is made: `gpu.load(&Cubin::new(bytes)?)`. `ui-tests/image_of_other_kind.rs`.
//!
//! *error\[E0133\]: call to unsafe function `Linker::add_code`.* The linker follows all of machine code: that a compiler
//! wrote it is for you to know. PTX is added by [`add`](crate::Linker::add). `ui-tests/link_code_without_unsafe.rs`.
//!
//! *error\[E0499\]: cannot borrow `counter` as mutable more than once at a time.* A
//! [variable](crate::Module::variable) is one buffer, lent as any other: `ui-tests/variable_lent_twice.rs`.
//!
//! # Sealed traits
//!
//! *error\[E0277\]: `Mine` cannot implement `PushContext`, which is sealed.* Also `Branded`, `KernelArg`,
//! `KernelArgs`, `PtxText`, `Image`, `Name`, `Signature`, `Parameter`, `Launchable`, and `Source`, `ScopeArg`, `ScopeArgs` of scopes, `GraphBuffers`, `ScopeGraphBuffers`, `DeviceQueue`: their implementations are part of the proof. The note says what to do
//! instead. [`Element`](crate::Element) is open, through the derives of `bytemuck`.
//! `ui-tests/push_context_is_sealed.rs`, `ui-tests/branded_is_sealed.rs`,
//! `ui-tests/kernel_arg_is_sealed.rs`, `ui-tests/kernel_args_is_sealed.rs`, `ui-tests/ptx_text_is_sealed.rs`,
//! `ui-tests/scope_traits_are_sealed.rs`, `ui-tests/graph_buffers_are_sealed.rs`,
//! `ui-tests/device_memory_is_sealed.rs`, `ui-tests/staged_memory_is_sealed.rs`,
//! `ui-tests/signature_is_sealed.rs`.
//!
//! # What is `unsafe` about contexts
//!
//! *error\[E0133\]: call to unsafe function …* Taking a context from foreign code, since the driver follows its
//! handle unchecked, and resetting a primary context, which takes it from everybody else in the process:
//! `ui-tests/raw_context_without_unsafe.rs`, `ui-tests/reset_without_unsafe.rs`. Their documentation lists
//! what to make sure of.
//!
//! # Calls of the driver
//!
//! *error\[E0133\]: call to unsafe function `cuCtxGetId` …* [`call!`](crate::call!) checks what a function of the
//! driver answers. It cannot check what the function is given, and has no `unsafe` of its own:
//! `ui-tests/call_without_unsafe.rs`. Put the call in an `unsafe` block, and say there why the obligations of the
//! function hold.
//!
//! # A guard needs a name
//!
//! *error: unused `PushedGuard` that must be used.* The guard is dropped, and the context popped, at the
//! end of the statement. Do not follow the advice `let _ = …`, which drops it at once as well; write
//! `let gpu = stack.push(&context)?;`. `ui-tests/unused_guard.rs`.
//!
//! *error\[E0596\]: cannot borrow `stack` as mutable.* Pushing changes the stack: `let mut stack`, and
//! `let mut outer` for a guard that is pushed on. `ui-tests/stack_not_mut.rs`.
//!
//! # At run time
//!
//! What no compiler can see comes back as an [`Error`](crate::Error). No call was made to the driver.
//!
//! | error | what happened | what to do |
//! |---|---|---|
//! | [`StackTaken`] | the thread has a [`ContextStack`](crate::ContextStack) already, or runs inside `reentrant`, or one was leaked | hand the stack or guard on as `&mut impl PushContext`; in code that was handed none, use `reentrant` |
//! | [`Suspended`] | a guard or stack is used inside a `reentrant` call that began after it was made | push on the stack that the closure was given |
//! | [`NotCurrent`] | other code on this thread set or popped a context: `cudaSetDevice`, a library that does not restore | call such code outside of the guard, or have it restore what it found |
//! | [`GraphBuffers`](crate::Error::GraphBuffers) | a replay names other buffers than were captured, or for another access | name each once: `&x` for what the graph reads, `&mut y` for what it writes |
//! | [`OtherContext`] | a detached handle meets a guard of another context, or handles were mixed through leaked guards | use a guard of the handle's [`context`](crate::Stream::context) |
//!
//! [`StackTaken`]: crate::Error::StackTaken
//!
//! An error that [is sticky](crate::Error::is_sticky) came from the driver: a kernel faulted, maybe in an
//! earlier call, and no call in any context of this process succeeds any more. Only a new process can
//! use the GPU again. Run the kernel under `compute-sanitizer` to find the fault.
//!
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Error, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! let mut stack = ContextStack::current_thread()?;
//! assert_eq!(ContextStack::current_thread().err(), Some(Error::StackTaken));
//!
//! let mut outer = stack.push(&context)?;
//! ContextStack::reentrant(|inner| {
//!     assert!(matches!(outer.push(&context), Err(Error::Suspended { .. })));
//!     inner.push(&context)?.synchronize()
//! })
//! # }
//! ```
