//! The messages that you get when you break a rule: what each one means, and how to fix the program.
//!
//! Look for the code of your message, then for its words. Each entry names the programs that get it in the repository's
//! folder `ui-tests`. The whole message is beside each program. If there are several errors, begin with the first.
//!
//! | headline | entry |
//! |---|---|
//! | E0046: not all trait items implemented | [sealed traits](#sealed-traits) |
//! | E0080: evaluation panicked: derive(Pod) was applied to a type with padding | [types](#types) |
//! | E0106: missing lifetime specifier, in the signature of a kernel | [launches](#launches) |
//! | E0106: missing lifetime specifier, at a handle in a struct | [structs of your own](#structs-of-your-own) |
//! | E0133: call to unsafe function | [launches](#launches), [graphs](#graphs), [page-locked memory](#page-locked-memory), [images and variables](#images-and-variables), [what is `unsafe` about contexts](#what-is-unsafe-about-contexts), [handles of other code](#handles-of-other-code), [calls of the driver](#calls-of-the-driver) |
//! | E0277: … cannot be a kernel argument; … is not a tuple of kernel arguments; … is not an argument for a parameter …; … are not the arguments of a kernel with the signature …; … is not a parameter of a kernel; … is not the signature of a kernel; … cannot be launched; … is not a launch configuration; … is not memory that an access policy window can cover; … cannot be the element of a tensor map | [launches](#launches) |
//! | E0277: … is not device memory that this scope can read, that this scope holds; `ScopedBuffer<…>` is not device memory; … is not host memory that this scope borrows | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0277: … an ordered stream can read; … belongs to no ordered stream; … belongs to an ordered stream; `Ordered<…>` is not device memory, cannot be a kernel argument | [ordered streams](#ordered-streams) |
//! | E0277: … cannot be the buffers of a graph; `dyn OneThreadAtATime` cannot be shared between threads safely | [graphs](#graphs) |
//! | E0277: … cannot live in device memory; … cannot be passed to a kernel by value; … has no constructor; … is not device memory with elements of type …; a fill cannot set elements of type …; … is not text | [types](#types) |
//! | E0277: … is not an image | [images and variables](#images-and-variables) |
//! | E0277: `dyn TiedToOneThread` cannot be shared between threads safely; future cannot be sent between threads safely | [tied to one thread](#tied-to-one-thread) |
//! | E0277: `*mut u8` cannot be sent between threads safely, at what keeps a foreign handle alive | [handles of other code](#handles-of-other-code) |
//! | E0277: `?` couldn't convert the error to `cuscope::Error` | [errors of your own](#errors-of-your-own) |
//! | E0277: expected a `FnOnce(&mut PushedGuard<'ctx>)` closure | [closures](#closures) |
//! | E0277: … is not a place on the context stack | [what a library takes](#what-a-library-takes) |
//! | E0277: … is not a handle that can be detached | [structs of handles](#structs-of-handles) |
//! | E0277: … which is sealed | [sealed traits](#sealed-traits) |
//! | E0282: type annotations needed, at `async \|s\|` | [closures](#closures) |
//! | E0282, E0283: type annotations needed, at `try_scope` and the like | [errors of your own](#errors-of-your-own) |
//! | E0308: expected `&Stream`, found `&Detached<Stream>` | [detached handles](#detached-handles) |
//! | E0308: expected `&Stream`, found `&SyncDefaultStream` | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0308: expected `&mut Stream`, found `&Stream`; expected `Node<…>`, found `Node<…>` | [graphs](#graphs) |
//! | E0308: … found `&PushedGuard`; types differ in mutability | [what a library takes](#what-a-library-takes) |
//! | E0308: … found `&DeviceBuffer`; types differ in mutability; mismatched types of buffers and slices | [types](#types) |
//! | E0308: expected `PinnedBuffer`; expected `&mut Ordered<_>`; types differ in mutability, at `ordered.stream()` | [ordered streams](#ordered-streams) |
//! | E0308: expected `&Cubin`, found `&Ptx` | [images and variables](#images-and-variables) |
//! | E0308: expected `&MemoryPool`, found `&ImportedPool` | [handles of other code](#handles-of-other-code) |
//! | E0308: expected `Key`, found `()` | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0373: closure may outlive the current function | [tied to one thread](#tied-to-one-thread) |
//! | E0382: borrow of moved value: `gpu`, `stream`, `context` | [the guard is gone](#the-guard-is-gone) |
//! | E0382: use of moved value: `arguments`; `y`, a `&mut ScopedBuffer` | [launches](#launches) |
//! | E0382: borrow of moved value: `held`, `y`, a `ScopedBuffer` | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0382: borrow of moved value: `memory` of a graph | [graphs](#graphs) |
//! | E0382: borrow of moved value: `part` | [types](#types) |
//! | E0382: borrow of moved value: `x`, an `Ordered`; `host`, a `PinnedBuffer` | [ordered streams](#ordered-streams) |
//! | E0382: use of moved value: `tensor` | [handles of other code](#handles-of-other-code) |
//! | **E0499, E0502, E0503, E0505, E0506, E0597, E0716 with “argument requires that `x` is borrowed for `'1`” and “`s` has type `&'1 Scope`”** | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0499, E0502, E0505, E0597 with “`c` has type `&'1 Capture`” or “`g` has type `&'1 GraphBuilder`”, at `replay` or `replay_alone`, or at a stream under capture | [graphs](#graphs) |
//! | E0423: cannot initialize a tuple struct which contains private fields: `BrandKey` | [sealed traits](#sealed-traits) |
//! | E0499: cannot borrow `stack` as mutable more than once at a time | [one guard at a time](#one-guard-at-a-time) |
//! | E0499, E0502: cannot borrow `*self` | [structs of your own](#structs-of-your-own) |
//! | E0499: cannot borrow `x` as mutable more than once at a time: parts of a buffer; a variable; a registered slice; by `hold_ordered` | [types](#types), [images and variables](#images-and-variables), [page-locked memory](#page-locked-memory), [ordered streams](#ordered-streams) |
//! | E0500: closure requires unique access to `*gpu` but it is already borrowed | [another scope's](#another-scopes) |
//! | E0500: closure requires unique access to `*x`, at `foreign` | [handles of other code](#handles-of-other-code) |
//! | E0502: cannot borrow `outer` as immutable because it is also borrowed as mutable | [the guard is covered](#the-guard-is-covered) |
//! | E0502: cannot borrow `x` as mutable because it is also borrowed as immutable, in the arguments of a launch | [launches](#launches), [ordered streams](#ordered-streams) |
//! | E0502: cannot borrow `x`: a buffer beside its part, a copy to itself, a default stream under another guard | [types](#types) |
//! | E0502, E0505: cannot borrow, or move out of, `buffer`, which `host_slice` lends | [page-locked memory](#page-locked-memory) |
//! | E0505: cannot move out of `outer` because it is borrowed | [out of order](#out-of-order) |
//! | E0505: cannot move out of `context` because it is borrowed | [the context is pushed](#the-context-is-pushed) |
//! | E0505: cannot move out of `x`, a buffer with a part; of `pinned`; of `event`; of `buffer`, which a tensor map has | [types](#types), [page-locked memory](#page-locked-memory), [launches](#launches) |
//! | E0509: cannot move out of type …, which implements the `Drop` trait | [structs of handles](#structs-of-handles) |
//! | E0515: cannot return value referencing local variable `stack`; E0505: cannot move out of `stack` | [it leaves the function](#it-leaves-the-function) |
//! | E0515: … referencing local variable `stack`, a graph; … `data`, a registered slice | [graphs](#graphs), [page-locked memory](#page-locked-memory) |
//! | E0521: borrowed data escapes outside of closure, of `reentrant` or `with`; at `push` or `insert` of a collection in it | [out of `reentrant`](#out-of-reentrant) |
//! | E0521: `inner`, `s` escapes the closure body, of `scope` | [another scope's](#another-scopes) |
//! | E0521: `c`, `g` escapes the closure body, of `capture` or `build_graph` | [graphs](#graphs) |
//! | E0521: … escapes the closure body, of a closure that takes a handle | [closures](#closures) |
//! | E0521: borrowed data escapes outside of function … must outlive `'static` | [tied to one thread](#tied-to-one-thread), [handles of other code](#handles-of-other-code) |
//! | E0596: cannot borrow `stack` as mutable | [a guard needs a name](#a-guard-needs-a-name) |
//! | E0596: cannot borrow `*x`, `*part` as mutable, behind a `&` reference | [types](#types) |
//! | **E0597: `outer` does not live long enough** … when `outer` is dropped and runs the `Drop` code for type `PushedGuard` | [a handle under another guard](#a-handle-under-another-guard); at `push` or `insert` of a collection: [memory of two guards](#memory-of-two-guards) |
//! | E0597: `count`, `name` does not live long enough … borrowed for `'static` | [launches](#launches), [graphs](#graphs), [structs of handles](#structs-of-handles) |
//! | E0599: no method named `push` | [what a library takes](#what-a-library-takes) |
//! | E0599: no … named `clone`, `default`, `new` | [types](#types) |
//! | E0599: no method named `upload` found for struct `CaptureStream` | [graphs](#graphs) |
//! | E0599: no method named `detach` | [detached handles](#detached-handles) |
//! | E0609: no field on type `Detached<…>`; E0616: field of `Detached` is private | [structs of your own](#structs-of-your-own) |
//! | E0616: field `0` of struct `Ordered` is private | [ordered streams](#ordered-streams) |
//! | E0621: explicit lifetime required in the type of `gpu`, and of a context | [a lifetime for both](#a-lifetime-for-both), [memory of two guards](#memory-of-two-guards) |
//! | E0621: explicit lifetime required in the type of `host`, `from`, `to` | [borrowed by a scope](#borrowed-by-a-scope) |
//! | E0631: type mismatch in closure arguments | [closures](#closures) |
//! | E0716: temporary value dropped while borrowed: a context; a part in a scope; a part of an `Ordered` | [the context is pushed](#the-context-is-pushed), [borrowed by a scope](#borrowed-by-a-scope), [ordered streams](#ordered-streams) |
//! | lifetime may not live long enough, twice, in both orders; `'a` and `'b` must be the same; “introduce a named lifetime parameter” | [a lifetime for both](#a-lifetime-for-both); in a collection: [memory of two guards](#memory-of-two-guards) |
//! | lifetime may not live long enough, twice: must outlive `'2`, must outlive `'static`, from `with`, with “adding 'move' keyword before the nested closure” | [out of `reentrant`](#out-of-reentrant) |
//! | lifetime may not live long enough … “adding 'move' keyword before the nested closure”; `ScopedBuffer`, `ScopedStream`, `ScopedHostSlice` is invariant over the parameter `'s` | [another scope's](#another-scopes) |
//! | lifetime may not live long enough … returning this value requires that `'1` must outlive `'2`, from `reentrant` or `with`; from `build_graph`; from `with_registered` | [out of `reentrant`](#out-of-reentrant), [graphs](#graphs), [page-locked memory](#page-locked-memory) |
//! | lifetime may not live long enough, at `arguments.push(x)`; at a field of `handles!` | [launches](#launches), [structs of handles](#structs-of-handles) |
//! | unused `PushedGuard` that must be used; non-binding let on a type that has a destructor | [a guard needs a name](#a-guard-needs-a-name) |
//! | [`Error::StackTaken`], [`Suspended`], [`NotCurrent`], [`OtherContext`], sticky errors | [at run time](#at-run-time) |
//!
//! [`Error::StackTaken`]: crate::Error::StackTaken
//! [`Suspended`]: crate::Error::Suspended
//! [`NotCurrent`]: crate::Error::NotCurrent
//! [`OtherContext`]: crate::Error::OtherContext
//!
//! # The guard is gone
//!
//! *error\[E0382\]: borrow of moved value: `gpu`.* The guard was popped or moved. Its context is no longer
//! current.
//!
//! ```compile_fail,E0382
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, context: &Context) -> Result {
//! let gpu = stack.push(context)?;
//! gpu.pop()?;
//! gpu.synchronize()
//! # }
//! ```
//! Pop later, or push again, which costs about 50 ns:
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
//! `ui-tests/use_after_pop.rs`. A handle that was detached or attached gets the same message:
//! `ui-tests/detached_then_used.rs`, `ui-tests/attached_twice.rs`. So does a context that was destroyed or
//! given to foreign code: `ui-tests/used_after_destroy.rs`, `ui-tests/used_after_into_raw.rs`. Do not follow the advice
//! `context.clone().try_destroy()`, or the same with `into_raw`. It compiles, and always fails: the clone is not alone. Use
//! the context before.
//!
//! # The context is pushed
//!
//! *error\[E0505\]: cannot move out of `context` because it is borrowed.* A guard borrows its context. You
//! cannot drop, destroy or move the context while it is on the stack. *error\[E0716\]: temporary value dropped
//! while borrowed.* Bind the context to a variable, since nothing else holds it.
//!
//! ```compile_fail,E0505
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, context: Context) -> Result {
//! let gpu = stack.push(&context)?;
//! drop(context);
//! gpu.synchronize()
//! # }
//! ```
//! Pop first, or push a clone that lives as long as the guard. The advice `stack.push(&context.clone())` leads to E0716:
//! the clone needs a name.
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
//! `ui-tests/context_dropped_while_pushed.rs`, `ui-tests/context_dropped_under_its_nested_guard.rs`, `ui-tests/context_destroyed_while_pushed.rs`,
//! `ui-tests/temporary_context_pushed.rs`.
//!
//! # The guard is covered
//!
//! *error\[E0502\]: cannot borrow `outer` as immutable because it is also borrowed as mutable.* Another context
//! was pushed on the guard, and is current as long as the inner guard exists. Even if you never use the inner
//! guard again, it is dropped only at the end of its block.
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
//! `ui-tests/covered_parent.rs`, `ui-tests/covered_parent_idle_child.rs`, `ui-tests/limit_of_covered_guard.rs`.
//! You cannot cover a guard while operations that it returned, by `outer.on(&stream)`, are alive:
//! `ui-tests/push_under_operations.rs`. The same is true for profiling that has not stopped:
//! `ui-tests/push_while_profiling.rs`, `ui-tests/push_while_a_profiler_lives.rs`.
//!
//! # Out of order
//!
//! *error\[E0505\]: cannot move out of `outer` because it is borrowed.* Something that depends on it is still
//! alive: a guard that was pushed on this one (pop that first), operations from its `on` (call `on` again,
//! which is free), or a handle that is used after its stack is dropped (use it before, or
//! [detach](crate::Detached::new) it).
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
//! *error\[E0499\]: cannot borrow `stack` as mutable more than once at a time.* The line "first borrow later
//! used here" shows which of two cases it is.
//!
//! It names the first *guard*: a stack lends one guard at a time. Push the second context on the first guard,
//! `first.push(b)`, or pop the first guard before. `ui-tests/two_guards.rs`.
//!
//! It names a *handle*: the first guard created it, and you use it under the second, which may belong to
//! another context. `ui-tests/mix_sequential.rs`, `ui-tests/brand_loop.rs`,
//! `ui-tests/pitched_under_another_guard.rs`, `ui-tests/texture_under_another_guard.rs`,
//! `ui-tests/arc_of_a_handle_outlives_its_guard.rs`,
//! `ui-tests/function_outlives_guard.rs`.
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
//! To keep a handle after a pop, detach it. Binding compares the contexts:
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
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
//! *error\[E0597\]: `outer` does not live long enough … borrow might be used here, when `outer` is dropped and
//! runs the `Drop` code for type `PushedGuard`.* **You use a handle of `outer` under a guard that was pushed on
//! it.** The message shows neither the handle nor its use, and making something live longer does not help.
//!
//! A handle carries the lifetime of its guard as a mark. To work under `inner`, the handle of `outer` would
//! need the mark of both. The compiler reports a consequence of that: `inner` would borrow `outer` for as long
//! as the type of `outer` itself lasts.
//!
//! ```compile_fail,E0597
//! # use cuscope::{Context, ContextStack, Result};
//! # fn example(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
//! let mut outer = stack.push(a)?;
//! let stream = outer.stream()?;
//! let inner = outer.push(b)?;             // the error points here …
//! inner.on(&stream).record(&inner.event()?) // … and the mistake is here: `stream` belongs to `outer`
//! # }
//! ```
//! Look for a handle on the inner guard's lines that the outer guard created. Create it under the inner guard,
//! or use it after the inner guard is popped:
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
//! If both guards are guards of one context, detach the handle and [`bind`](crate::PushedGuard::bind) it under
//! the inner one. `ui-tests/mix_nested.rs`, `ui-tests/graph_under_another_guard.rs`,
//! `ui-tests/pitched_of_covered_guard.rs`, `ui-tests/handle_of_other_guard_in_launch.rs`,
//! `ui-tests/kernel_of_other_context.rs`,
//! `ui-tests/launch_event_of_other_context.rs`, `ui-tests/event_of_other_context_recorded.rs`,
//! `ui-tests/bound_under_another_guard.rs`, `ui-tests/swap_guards.rs`. The same for structs of handles and memory of
//! a pool: `ui-tests/handles_under_another_guard.rs`, `ui-tests/pool_buffer_under_another_guard.rs`. With more code in between:
//! `ui-tests/brand_option_take.rs`, `ui-tests/brand_self_borrow.rs`, `ui-tests/brand_rc_cycle.rs`,
//! `ui-tests/brand_scoped_thread.rs`, `ui-tests/brand_suspended_future.rs`, `ui-tests/brand_never_returns.rs`,
//! `ui-tests/brand_forget.rs`.
//!
//! A copy between guards is an operation of its own: [`copy_from_peer`](crate::SyncStream::copy_from_peer) reads
//! memory of any guard, and [`copy_to_peer`](crate::SyncStream::copy_to_peer) writes it. The memory at the other
//! end belongs to the guard of the stream. `ui-tests/peer_copy_to_covered.rs`.
//!
//! # A lifetime for both
//!
//! *error: lifetime may not live long enough … `'a` and `'b` must be the same: replace one with the other.* A
//! function takes a guard and a handle, but its signature does not say that they belong together. Use one lifetime for
//! both, also where you did not write one.
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
//! The advice in the message is wrong for memory that a scope holds. A [`ScopedStream`](crate::ScopedStream) has two
//! lifetimes, the scope's and the guard's, which are never one. The memory has the scope's:
//! ```no_run
//! # use cuscope::{Result, ScopedBuffer, ScopedStream};
//! fn clear<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, u32>) -> Result {
//!     stream.zero(x)
//! }
//! ```
//! If you follow the advice, the function compiles, and every call of it is an error.
//! `ui-tests/helper_without_the_scopes_lifetime.rs`.
//!
//! *error\[E0621\]: explicit lifetime required in the type of `gpu`*, in a recursion that pushes and collects handles.
//! Each level has a guard of its own, which the handles would outlive. The advice to add `'ctx` leads to E0597: `inner` does
//! not live long enough. Collect the handles detached, in a `Vec<Detached<Stream<'static>>>`:
//! `ui-tests/handles_from_a_recursion.rs`.
//!
//! `ui-tests/mix_generic.rs`, `ui-tests/texture_of_array_of_any_guard.rs`, `ui-tests/graphics_under_another_guard.rs`. In a
//! trait, give the lifetime to the trait: `ui-tests/erased_brand.rs`. For a
//! closure the error is E0521: `|stream: ScopedStream<'_, '_>|` takes a stream of any guard, and its body takes
//! a handle of one guard. Omit the type, or write a function.
//!
//! # Memory of two guards
//!
//! *error: lifetime may not live long enough … argument requires that `'2` must outlive `'1`*, and then the same with *`'1`
//! must outlive `'2`*; or *error\[E0597\]: `outer` does not live long enough*, at the `push` of an inner guard; or
//! *error\[E0621\]: explicit lifetime required in the type of `gpu`*, and of the context. You put handles of two guards in one
//! `Vec`, array or map.
//!
//! All elements have one type, and the lifetime of their guard is a part of it. The two errors are one mistake: each lifetime
//! has to last as long as the other, so they would have to be the same, and the notes that speak of an invariant parameter
//! say the same. An inner guard ends before the guard that it was pushed on, so its memory never belongs to that one. Do not
//! follow the advice to write one lifetime for both, unless there is one guard: the function compiles, and no program can
//! call it with the guards of two contexts. Neither does it help to make something live longer.
//!
//! Keep the handles detached. Detached memory of any number of contexts is of one type, outlives its guards, and works again
//! under a guard of its own context:
//!
//! ```compile_fail
//! # use cuscope::{DeviceBuffer, PushedGuard, Result};
//! # fn example(first: &PushedGuard<'_>, second: &PushedGuard<'_>) -> Result {
//! let mut shares: Vec<DeviceBuffer<'_, f32>> = Vec::new();
//! shares.push(first.alloc(16)?);
//! shares.push(second.alloc(16)?);
//! # Ok(()) }
//! ```
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let first = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let second = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! let mut shares = Vec::new();
//! for context in [&first, &second] {
//!     shares.push(stack.push(context)?.alloc::<f32>(16)?.detach());
//! }
//! for (context, share) in [&first, &second].into_iter().zip(shares) {
//!     let gpu = stack.push(context)?;
//!     let (mut share, stream) = (gpu.attach(share)?, gpu.stream()?);
//!     gpu.on(&stream).zero(&mut share)?;
//! }
//! # Ok(()) }
//! ```
//! Or have a collection for each guard. The example `many_devices` is a whole program.
//! `ui-tests/collection_of_two_guards.rs`, `ui-tests/inner_memory_in_outer_collection.rs`,
//! `ui-tests/inner_memory_kept_by_the_caller.rs`.
//!
//! # It leaves the function
//!
//! *error\[E0515\]: cannot return value referencing local variable `stack`.* You return (or store) a guard or
//! handle without its stack. Take the stack or guard as an argument, or return the handle detached. A struct
//! cannot hold a stack and its guard, but it can hold detached handles.
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
//! # use cuscope::{Context, ContextFlags, ContextStack, Detached, Device, Result, Stream};
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
//! *error\[E0277\]: `dyn TiedToOneThread` cannot be shared between threads safely*, or *future cannot be sent
//! between threads safely.* Every thread has its own context stack, so guards and stacks stay on their thread.
//! Move or lend the context, and push it on the other thread's stack. Move handles detached.
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
//! A future that keeps a guard across an `.await` cannot be sent either. Drop the guard before, or run the
//! future on one thread. `ui-tests/send_guard.rs`, `ui-tests/share_guard.rs`, `ui-tests/send_token.rs`,
//! `ui-tests/share_token.rs`, `ui-tests/static_token.rs`, `ui-tests/send_nested_stack.rs`,
//! `ui-tests/spawn_future.rs`. A [`CurrentContext`](crate::context::CurrentContext) stays on its thread too:
//! `ui-tests/send_current_context.rs`.
//!
//! A host function runs on a thread of the driver, so it cannot capture a guard: `ui-tests/host_function_with_guard.rs`. It
//! borrows nothing (E0373). The advice `move` is right for what the function owns from then on. If you need the value later,
//! `move` compiles and is wrong: it copies a number, and the function counts in the copy. Share the value by an `Arc`:
//! `ui-tests/host_function_borrows.rs`, `ui-tests/host_function_not_sent.rs`.
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! # let gpu = stack.push(&context)?;
//! # let stream = gpu.stream()?;
//! let count = Arc::new(AtomicU32::new(0));
//! let seen = Arc::clone(&count);
//! gpu.on(&stream).host_function(move || _ = seen.fetch_add(1, Ordering::Relaxed))?;
//! stream.synchronize()?;
//! assert_eq!(count.load(Ordering::Relaxed), 1);
//! # Ok(()) }
//! ```
//!
//! A `ScopedStream` stays on its scope's thread, too. Give each thread its own stack and scope, and share the
//! streams detached. `ui-tests/scoped_stream_sent.rs`.
//!
//! *error\[E0521\]: borrowed data escapes outside of function … must outlive `'static`.* You move a handle to
//! its own thread while it has its guard's lifetime. Detach it first: `ui-tests/attached_handle_sent.rs`. An owned guard has its
//! place on the stack of one thread, too: `ui-tests/owned_guard_sent.rs` (E0277). You get it
//! too if you detach a map whose keys borrow: take `String` or a number as the key: `ui-tests/map_with_borrowed_keys.rs`.
//!
//! # Out of `reentrant`
//!
//! *error\[E0521\]: borrowed data escapes outside of closure*, or *lifetime may not live long enough* at the
//! closure's result. A guard or handle leaves the closure of
//! [`ContextStack::reentrant`](crate::ContextStack::reentrant), which pops the remaining entries when it
//! returns. Complete the work inside, or return handles detached.
//!
//! ```compile_fail
//! # use cuscope::{Context, ContextStack, Result, Stream};
//! # fn example(context: &Context) -> Result {
//! let stream = ContextStack::reentrant(|stack| stack.push(context)?.stream())?;
//! # Ok(()) }
//! ```
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
//! # fn main() -> Result {
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! let stream = ContextStack::reentrant(|stack| Ok(stack.push(&context)?.stream()?.detach()))?;
//! # drop(stream);
//! # Ok(()) }
//! ```
//! The same holds for [`Context::with`](crate::Context::with), also for a handle that its closure attaches or binds: that is
//! one of the guard of this call. *lifetime may not live long enough* comes twice there, for the lifetime of the guard and for
//! that of the result, and the advice to add `move` changes nothing. A collection outside of the closure gets *E0521 … `gpu`
//! escapes the closure body here*. Leave the handle detached, and [bind](crate::PushedGuard::bind) it in each closure that
//! uses it. `ui-tests/with_attaches_and_returns.rs`, `ui-tests/with_attaches_for_later.rs`.
//!
//! `ui-tests/guard_leaves_reentrant.rs`,
//! `ui-tests/guard_leaves_with.rs`, `ui-tests/stream_leaves_an_owned_guard.rs`, `ui-tests/guard_stashed_in_reentrant.rs`, `ui-tests/swap_nested_stacks.rs`. Outside a closure the same code means that you put a handle in a place for
//! `'static` values: `ui-tests/brand_panic_any.rs`.
//!
//! # Errors of your own
//!
//! *error\[E0277\]: `?` couldn't convert the error to `cuscope::Error`.* A closure of the crate returns
//! [`cuscope::Error`](crate::Error), and `?` in it meets another error, such as that of `std::fs::read`. Each method that
//! takes such a closure has a second one for your error type: [`try_scope`](crate::PushedGuard::try_scope),
//! [`try_capture`](crate::PushedGuard::try_capture), [`try_build_graph`](crate::PushedGuard::try_build_graph),
//! [`Context::try_with`](crate::Context::try_with), [`try_reentrant`](crate::ContextStack::try_reentrant) and so on. The
//! type implements `From<cuscope::Error>`, as `Box<dyn Error>` does.
//!
//! ```compile_fail,E0277
//! # use cuscope::{Context, Result};
//! # fn example(context: &Context) -> std::result::Result<(), Box<dyn std::error::Error>> {
//! context.with(|gpu| {
//!     let image = std::fs::read("kernels.ptx")?;
//!     gpu.synchronize()
//! })?;
//! # Ok(()) }
//! ```
//! ```no_run
//! # use cuscope::Context;
//! # fn example(context: &Context) -> Result<(), Box<dyn std::error::Error>> {
//! context.try_with(|gpu| {
//!     let image = std::fs::read("kernels.ptx")?;
//!     Ok(gpu.synchronize()?)
//! })
//! # }
//! ```
//! `ui-tests/closure_with_another_error.rs`. With `try_scope`, E0282 or E0283 (type annotations needed) says that nothing
//! tells the error type: call `scope`, or name it, as in `|s| -> Result<_, Box<dyn Error>> { … }`.
//!
//! # Detached handles
//!
//! *error\[E0308\]: mismatched types, expected `&Stream<'_>`, found `&Detached<Stream<'_>>`.* A detached handle
//! belongs to no guard. [`bind`](crate::PushedGuard::bind) lends it, and [`attach`](crate::PushedGuard::attach)
//! takes it. Both compare the contexts.
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
//! `ui-tests/detached_used.rs`. A struct is not cloned while it is detached: `ui-tests/detached_struct_cloned.rs`.
//!
//! *error\[E0599\]: no method named `detach` found for tuple* (for an array, a `Vec`). Handles and structs of them have the
//! method. Call [`Detached::new`](crate::Detached::new) for collections. `ui-tests/tuple_detached_without_the_trait.rs`.
//!
//! # Structs of your own
//!
//! *error\[E0106\]: missing lifetime specifier*, at a handle in a struct. Do not follow the advice to give the struct a
//! lifetime if it owns its GPU state: it could not outlive the guard. Keep the handles detached, each for itself
//! (`Detached<Stream<'static>>`) or in a struct that [`handles!`](crate::handles) declares. The lifetime is right for a
//! struct that borrows for a while. `ui-tests/struct_without_a_lifetime.rs`.
//!
//! *error\[E0609\]: no field `weights` on type `Detached<Layer>`.* The fields are there under a guard:
//! `gpu.bind(&self.layer)?.weights`. `ui-tests/field_of_a_detached_struct.rs`. *error\[E0616\]: field `0` of struct
//! `Detached` is private*: the same. `ui-tests/inside_of_a_detached_handle.rs`.
//!
//! *error\[E0502\]: cannot borrow `*self` as immutable* (or *E0499 … as mutable*) *because it is also borrowed as mutable.*
//! The guard borrows the stack in `self`, and a method borrows all of `self`. Borrow the fields apart, or keep no stack in
//! the struct and let [`Context::with`](crate::Context::with) push. `ui-tests/self_used_under_its_guard.rs`.
//!
//! ```compile_fail,E0499
//! # use cuscope::{Context, ContextStack, Result};
//! # struct Model { context: Context, stack: ContextStack, steps: u64 }
//! # impl Model {
//! #     fn count(&mut self) { self.steps += 1; }
//! fn step(&mut self) -> Result {
//!     let gpu = self.stack.push(&self.context)?;
//!     self.count();
//!     gpu.synchronize()
//! }
//! # }
//! ```
//! ```no_run
//! # use cuscope::{Context, ContextStack, Result};
//! # struct Model { context: Context, stack: ContextStack, steps: u64 }
//! # impl Model {
//! fn step(&mut self) -> Result {
//!     let Self { context, stack, steps } = self;
//!     let gpu = stack.push(context)?;
//!     *steps += 1;
//!     gpu.synchronize()
//! }
//! # }
//! ```
//!
//! # Closures
//!
//! *error\[E0631\]: type mismatch in closure arguments.* [`Context::with`](crate::Context::with) lends the guard
//! exclusively, so that its closure can push. Write `|gpu|` without a type. `ui-tests/closure_of_a_shared_guard.rs`.
//!
//! *error\[E0521\]: borrowed data escapes outside of closure*, at a closure that takes handles and captures the guard. A
//! closure cannot say that they belong together. Write a function, which names the guard's lifetime:
//! `fn total<'ctx>(gpu: &PushedGuard<'ctx>, x: &DeviceBuffer<'ctx, f32>)`. `ui-tests/closure_that_takes_handles.rs`.
//!
//! *error\[E0277\]: expected a `FnOnce(&mut PushedGuard<'ctx>)` closure*, in a helper that takes a closure and passes it on; with
//! `|gpu| f(gpu)` the error is E0521. The helper's signature names one lifetime, and the guard has another one in each call. Give
//! the lifetime to the closure: `f: impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result<R>`. For a
//! [scope](crate::PushedGuard::scope) it is `f: impl for<'s> FnOnce(&'s Scope<'s, 'env, 'ctx>) -> Result<R>`.
//! `ui-tests/helper_with_a_closure_for_one_guard.rs`.
//!
//! *error\[E0282\]: type annotations needed*, at `gpu.scope(async |s| …)`. The closure of a scope enqueues and returns, and
//! then `scope` waits, so it is not `async`. Await before or after it, or use an [ordered
//! stream](crate::PushedGuard::ordered_stream), whose `Pending` values are futures with the feature `async`.
//! `ui-tests/async_closure_of_a_scope.rs`.
//!
//! # Structs of handles
//!
//! [`handles!`](crate::handles) declares a struct that detaches as a whole. Its fields are handles, collections
//! of them, and plain values.
//!
//! *error\[E0277\]: `&str` is not a handle that can be detached from its guard.* A field borrows, and would
//! outlive its target. Own the value, or wrap it in [`Plain`](crate::detached::Plain) if it has no lifetime.
//! `ui-tests/handles_with_a_borrow.rs`. What is in `Plain` borrows nothing either (E0597): `ui-tests/plain_value_that_borrows.rs`.
//!
//! *error: lifetime may not live long enough … `'to` must outlive `'static`.* A field is a handle of another
//! guard than the struct's: `ui-tests/handles_of_another_lifetime.rs`.
//!
//! *error\[E0509\]: cannot move out of type `Watched`, which implements the `Drop` trait.*
//! `ui-tests/handles_with_drop.rs`.
//!
//! A struct under another guard gets the message of its handles ([above](#a-handle-under-another-guard)):
//! `ui-tests/handles_under_another_guard.rs`.
//!
//! # What a library takes
//!
//! *error\[E0277\]: `Context` is not a place on the context stack*, or *error\[E0308\]: … types differ in
//! mutability.* A function that pushes takes `&mut impl PushContext`. Pass it `&mut stack`, or pass `&mut gpu`
//! to let it push on top of a guard.
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
//! `ui-tests/context_to_library.rs`, `ui-tests/shared_guard_to_library.rs`. Pushing on a context (*no method
//! named `push` found*) is the same mistake: `ui-tests/context_is_not_a_stack.rs`.
//!
//! # Launches
//!
//! | headline | what to do | program |
//! |---|---|---|
//! | E0277: `Params`, a struct of yours, cannot be a kernel argument | derive `Pod` and `Zeroable`, [without padding](crate::guide::kernels#structs) | `ui-tests/argument_not_plain_data.rs` |
//! | E0277: `Params` cannot be passed to a kernel by value | the same | `ui-tests/value_not_plain_data.rs` |
//! | E0277: `usize` is not an argument for a parameter `u32` | a number has the type of the parameter: `len as u32` | `ui-tests/number_of_another_type.rs` |
//! | E0277: `DeviceBuffer<…>` cannot be a kernel argument | borrow it: `&x` to read, `&mut x` to write | `ui-tests/owned_argument.rs`, `ui-tests/scope_owned_argument.rs` |
//! | E0277: `&Array<…>` cannot be a kernel argument | pass a texture or a surface of it: `gpu.texture(&array, …)` | `ui-tests/array_in_launch.rs` |
//! | E0277: `&f32`, `&[f32]` cannot be a kernel argument | pass numbers by value; upload slices to a buffer | `ui-tests/host_reference_argument.rs` |
//! | E0277: … is not a tuple of kernel arguments | write one argument as `(x,)`; at most 32: put more in a struct, or in a list, [`kernel.arguments()`](crate::Function::arguments) | `ui-tests/single_argument.rs`, `ui-tests/scope_single_argument.rs`, `ui-tests/too_many_arguments.rs` |
//! | E0502: cannot borrow `x` as mutable because it is also borrowed as immutable | pass memory that the kernel writes only once | `ui-tests/aliased_arguments.rs`, `ui-tests/argument_list_aliases.rs` |
//! | E0382: use of moved value: `arguments`, a list | a list is for one launch: make one for each | `ui-tests/argument_list_used_twice.rs` |
//! | lifetime may not live long enough, at `arguments.push(x)` | the memory and the kernel have different guards: use memory of the kernel's guard | `ui-tests/argument_list_of_another_guard.rs` |
//! | E0133: call to unsafe function … requires unsafe block | check the kernel against the contract of [`launch_unchecked`](crate::SyncStream::launch_unchecked) | `ui-tests/launch_without_unsafe.rs`, `ui-tests/launches_without_unsafe.rs`, `ui-tests/scope_launch_without_unsafe.rs` |
//! | E0277: the launch of `Kernel<…>`, `Function<…>` is not safe | load the kernel by [`load_guarded`](crate::guide::safe_kernels); or [trust](crate::Kernel::trust) it once, with a check of each launch; or call `launch_unchecked` | `ui-tests/plain_kernel_launched_safely.rs` |
//! | E0133: call to unsafe function `trust` | you vouch for the kernel: write why it stays inside its arguments whenever the check accepts the launch | `ui-tests/trust_without_unsafe.rs` |
//! | E0277: `&mut ScopedBuffer<…>` cannot be a kernel argument | launch on a stream of the scope that holds it: `s.on(&stream).launch_unchecked(…)` | `ui-tests/held_in_blocking_launch.rs`, `ui-tests/mapped_in_blocking_launch.rs` |
//! | E0277: `&DeviceBuffer<…>` is not an argument for a parameter `&mut [f32]`, `Out<f32>` | pass `&mut y`: by its signature the [kernel](crate::Kernel) writes it | `ui-tests/kernel_reads_for_written.rs`, `ui-tests/out_given_shared_memory.rs`, `ui-tests/trusted_with_other_arguments.rs` |
//! | E0106: missing lifetime specifier, at `&[f32]` in a [`Kernel`](crate::Kernel) of a struct | add no lifetime, but write [`In<f32>`](crate::In) for `&[f32]` and [`Out<f32>`](crate::Out) for `&mut [f32]` | `ui-tests/signature_with_a_lifetime.rs` |
//! | E0277: `(u32,)` are not the arguments of a kernel with the signature `(u32, &mut [f32])` | pass as many arguments as the [kernel](crate::Kernel)'s signature has parameters | `ui-tests/kernel_with_too_few.rs` |
//! | E0277: `(u32, &mut DeviceBuffer<…>)` are not the arguments of a kernel with the signature `ListedArguments` | its parameters are those of the run: push the arguments to a list, `kernel.arguments()` | `ui-tests/tuple_for_guarded_function.rs` |
//! | E0277: `A` is not a tuple of kernel arguments, where `A: KernelArgs<'ctx>` | the arguments are lent to a scope: bound them by `KernelArgs<'ctx, InScope<'s>>` | `ui-tests/call_arguments_in_scope.rs` |
//! | E0277: … is not a parameter of a kernel; is not the signature of a kernel | write a struct by value as `Value<Struct>`, memory as `&[T]` or `&mut [T]` (in a struct `In<T>` or `Out<T>`), and one parameter as `module.kernel::<(u32,)>(…)`. Do not follow the advice `(module,).kernel`, which has no such method | `ui-tests/signature_of_struct.rs` |
//! | E0277: `T` is not a parameter of a kernel, where `T: Element` | write `Value<T>` in the signature, which stands for a number too | `ui-tests/parameter_of_any_element.rs` |
//! | E0277: `LibraryKernel`, `Module`, `Detached<…>` cannot be launched with … | launch a [`Function`](crate::Function) or [`Kernel`](crate::Kernel): look it up, take that of the library's kernel, bind it | `ui-tests/launch_of_no_kernel.rs` |
//! | E0277: `(…)` is not a launch configuration | pass `LaunchConfig::new(blocks, threads)` | `ui-tests/launch_without_config.rs` |
//! | E0277: `&[f32]` is not memory that an access policy window can cover | pass `&buffer`, `&held`, or a reference to a slice of these | `ui-tests/window_over_host_memory.rs` |
//! | E0505: cannot move out of `buffer` because it is borrowed, by a [tensor map](crate::tensor_map) | drop it behind the last launch with the map | `ui-tests/tensor_map_freed_memory.rs` |
//! | E0277: … cannot be the element of a tensor map | use a type that the accelerator knows, or [cast](crate::DeviceBuffer::cast) the memory | `ui-tests/tensor_map_element.rs` |
//! | E0133: call to unsafe function `alloc_unscoped`, `alloc_from_unscoped`, `fill_unscoped`, `attach` | use `alloc` and `fill`, which wait, a scope or an ordered stream; or order every other use yourself | `ui-tests/unordered_memory_without_unsafe.rs` |
//! | E0505: cannot move out of `event` because it is borrowed | the launch configuration borrows the event until the launch: drop it later | `ui-tests/launch_event_dropped.rs` |
//! | E0597: `count` does not live long enough … argument requires that `count` is borrowed for `'static` | a hook of the driver's log, or of memory over its budget, borrows nothing: share data through an `Arc` | `ui-tests/driver_log_hook_borrows.rs`, `ui-tests/over_budget_hook_borrows.rs` |
//! | E0382: use of moved value: `y`, a `&mut ScopedBuffer` | a tuple takes it: write `&mut *y` to borrow it again | `ui-tests/used_twice_through_mut_ref.rs` |
//! | E0502: cannot borrow `*y` as mutable, a `&mut ScopedBuffer` | pass memory that the kernel writes only once | `ui-tests/held_aliased_arguments.rs`, `ui-tests/held_texture_read_and_written.rs` |
//!
//! ```compile_fail,E0277
//! # use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};
//! # fn example<'c>(stream: SyncStream<'_, 'c>, kernel: &Function<'c>, x: DeviceBuffer<'c, f32>) -> Result {
//! # let config = LaunchConfig::new(1, 16);
//! unsafe { stream.launch_unchecked(kernel, config, (16_u32, x)) }
//! # }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};
//! # fn example<'c>(stream: SyncStream<'_, 'c>, kernel: &Function<'c>, mut x: DeviceBuffer<'c, f32>) -> Result {
//! # let config = LaunchConfig::new(1, 16);
//! // SAFETY: the kernel is scale(unsigned n, float *x) over n elements.
//! unsafe { stream.launch_unchecked(kernel, config, (16_u32, &mut x)) }
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
//! | E0597: `x` does not live long enough | it is created inside the closure: create it outside, or use [scratch memory](crate::ScopedStream::scratch) | `ui-tests/local_buffer_held.rs`, `ui-tests/pitched_local_held.rs`, `ui-tests/local_buffer_launched.rs`, `ui-tests/local_part_launched.rs`, `ui-tests/argument_list_of_local_buffer.rs`, `ui-tests/local_slice_uploaded.rs` |
//! | the same, with `move \|s\|` | it is moved into the closure: omit `move` | `ui-tests/moved_slice_uploaded.rs`, `ui-tests/local_pinned_launched.rs`, `ui-tests/local_buffer_replayed.rs`, `ui-tests/stream_value_in_scope.rs`, `ui-tests/semaphore_in_scope.rs` |
//! | the same, with E0505: cannot move out of `buffer` | the closure drops it, and so takes it in: drop it after the scope | `ui-tests/dropped_while_held.rs` |
//! | E0503, E0506: cannot use, cannot assign to `host[_]` | a transfer uses it: use it after the scope, or [stage](crate::Scope::stage) it | `ui-tests/host_read_in_flight.rs`, `ui-tests/host_written_in_flight.rs` |
//! | E0499: `*host` was mutably borrowed here in the previous iteration of the loop | a slice takes one download: use a slice for each, or stage it | `ui-tests/download_twice.rs` |
//! | E0499: cannot borrow `*buffer` as mutable more than once | hold it once, and use the held buffer on all streams | `ui-tests/held_twice.rs`, `ui-tests/written_through_plain_buffer.rs` |
//! | E0502: cannot borrow `buffer` as mutable, immutable | hold it first, and read `&held` | `ui-tests/held_while_read.rs`, `ui-tests/read_while_held.rs`, `ui-tests/written_while_read.rs` |
//! | E0502: cannot borrow `*staged` as immutable | the slice from [`access`](crate::ScopedHostSlice::access) is used after the next transfer: call it again | `ui-tests/staged_accessed_in_flight.rs` |
//! | E0499: cannot borrow `*part`, `*mapped` as mutable more than once | use a held part only on the scope's streams, and a slice from `access` only before the next launch | `ui-tests/part_used_while_held.rs`, `ui-tests/mapped_accessed_in_flight.rs` |
//! | E0502: cannot borrow `pinned` as immutable | a kernel of the scope writes it: read it after the scope, or [map](crate::Scope::map) it | `ui-tests/pinned_read_in_flight.rs` |
//! | E0621: explicit lifetime required in the type of `host`, `from`, `to` | a function of yours takes what a scope borrows: take it for the scope's lifetime, `&'s [T]` | `ui-tests/lent_for_less_than_a_scope.rs` |
//! | E0716: temporary value dropped while borrowed, a `slice_mut` | create the part before the scope, or split the held buffer | `ui-tests/part_held_as_temporary.rs` |
//! | E0502: cannot borrow `*y` as mutable, a `slice` and a `slice_mut` in one launch | [split](crate::ScopedBuffer::split_at) the held buffer: its parts are buffers of their own | `ui-tests/held_parts_in_one_launch.rs` |
//! | E0277: `ScopedSlice<…>` is not device memory that this scope holds | pass `&mut held.slice_mut(..)?` | `ui-tests/held_part_to_read_written.rs` |
//! | E0277: … is not host memory that this scope borrows | copy a slice by `upload` and `download`; `s.stage` and `s.map` stage memory | `ui-tests/host_slice_staged.rs` |
//! | E0308: expected `&Stream`, found `&SyncDefaultStream` | create a stream for the scope: `gpu.stream()?` | `ui-tests/default_stream_in_scope.rs` |
//! | E0382: use of moved value: `held`, by `split_at` or `chunks` | use its parts, which replace it | `ui-tests/held_used_after_split.rs`, `ui-tests/pitched_held_used_after_split.rs` |
//! | E0505: cannot move out of `x`; E0382: borrow of moved value: `y` | drop scratch memory after its last use | `ui-tests/scratch_used_after_drop.rs` |
//! | E0277: … is not device memory that this scope holds | hold the buffer, and pass `&mut held` | `ui-tests/pitched_written_without_hold.rs`, `ui-tests/holdable_is_sealed.rs` |
//! | E0499, E0502, E0597 at `copy_from_peer`, `copy_to_peer` | the scope borrows memory of the other context until it ends: create it outside, and [hold it for the other context](crate::Scope::hold_peer) to write it. Copy to held memory from its own context: `s.on_peer(&theirs).copy_from_peer(&x, &mut held)` | `ui-tests/peer_memory_in_scope.rs` |
//! | E0277: `ScopedBuffer<…>` is not device memory with elements of type …, at `copy_to_peer` | copy to held memory from its own context, as above | `ui-tests/held_memory_copied_to_peer.rs` |
//! | E0277: `&[f32]` is not device memory that this scope can read | pass `&buffer` or `&held` to a download | `ui-tests/host_memory_as_source.rs` |
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
//! # Ordered streams
//!
//! Memory that belongs to an [ordered stream](crate::OrderedStream) is used by the operations of that stream alone, and
//! they use no other memory.
//!
//! | headline | what to do | program |
//! |---|---|---|
//! | E0277: `&mut DeviceBuffer<…>` cannot be a kernel argument; is not memory that an ordered stream can read; this memory belongs to no ordered stream; is not a buffer that belongs to an ordered stream | let the stream [adopt](crate::OrderedStream::adopt) the buffer | `ui-tests/ordered_takes_plain_buffer.rs`, `ui-tests/ordered_taken_apart.rs`, `ui-tests/ordered_replays_plain_buffer.rs`, `ui-tests/ordered_hands_over_plain_buffer.rs` |
//! | E0277: `&mut PinnedBuffer<…>` cannot be a kernel argument | copy it, or launch in a [scope](crate::Scope::map) | `ui-tests/ordered_takes_pinned.rs` |
//! | E0277: `Ordered<…>` is not device memory; cannot be a kernel argument | use it in its stream, or take it out by `into_idle` | `ui-tests/plain_stream_takes_ordered.rs` |
//! | E0277: `Ordered<…>` is not device memory that a scope can hold | hold it by [`hold_ordered`](crate::Scope::hold_ordered) | `ui-tests/scope_takes_ordered.rs` |
//! | E0499: cannot borrow `x` as mutable more than once, by `hold_ordered` | use the held memory until the scope ends | `ui-tests/ordered_used_while_held.rs` |
//! | E0382: borrow of moved value: `x` | the buffer moved: use what `hand_over`, `share`, `into_idle` or `adopt` returned | `ui-tests/ordered_used_after_hand_over.rs`, `ui-tests/ordered_used_after_share.rs`, `ui-tests/ordered_used_after_into_idle.rs`, `ui-tests/ordered_adopted_then_used.rs` |
//! | E0382: borrow of moved value: `host` | the memory is in flight: [wait](crate::ordered::Pending::wait) for it | `ui-tests/pending_used_early.rs` |
//! | E0308: expected `PinnedBuffer<f32>`, found `&mut [f32]` | pass [page-locked memory](crate::PushedGuard::pinned) by value, or use a download that waits | `ui-tests/ordered_borrows_host.rs` |
//! | E0308: expected `&mut Ordered<_>`, found `&mut SharedBuffer` | shared memory is only read: [unwrap](crate::SharedBuffer::try_unwrap) it first | `ui-tests/ordered_shared_written.rs` |
//! | E0502: cannot borrow `x` as mutable because it is also borrowed as immutable | pass memory that the kernel writes only once | `ui-tests/ordered_read_and_written.rs` |
//! | E0716: temporary value dropped while borrowed, a `slice` | give the buffer a name | `ui-tests/ordered_part_outlives_buffer.rs` |
//! | E0277: a texture of `&…` cannot be shared | create the texture of the array itself, which it then [owns](crate::texture::Texture::share) | `ui-tests/shared_texture_of_borrowed_array.rs` |
//! | E0308: types differ in mutability, at `ordered.stream()` | capture another stream, and [replay](crate::OrderedStream::replay) the graph in this one | `ui-tests/ordered_stream_captured.rs` |
//!
//! ```compile_fail,E0277
//! # use cuscope::{DeviceBuffer, OrderedStream, Result};
//! # fn example<'c>(ordered: &OrderedStream, x: DeviceBuffer<'c, f32>) -> Result {
//! let mut y = ordered.alloc(16)?;
//! ordered.copy(&x, &mut y)
//! # }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, OrderedStream, Result};
//! # fn example<'c>(ordered: &OrderedStream, x: DeviceBuffer<'c, f32>) -> Result {
//! let x = ordered.adopt(x)?;
//! let mut y = ordered.alloc(16)?;
//! ordered.copy(&x, &mut y)
//! # }
//! ```
//!
//! # Another scope's
//!
//! *error\[E0521\]: borrowed data escapes outside of closure … `inner` escapes the closure body here.* You use
//! something that one scope lends in another scope, or after it. A scope orders and waits for its own work
//! only. Use the streams of the scope that holds the buffer: `ui-tests/held_in_other_scope.rs`,
//! `ui-tests/pitched_held_in_other_scope.rs`,
//! `ui-tests/held_read_in_other_scope.rs`, `ui-tests/held_buffer_of_any_scope.rs`, `ui-tests/staged_in_other_scope.rs`,
//! `ui-tests/mapped_in_other_scope.rs`. After a scope, use the buffer itself: `ui-tests/held_escapes.rs`,
//! `ui-tests/scoped_stream_escapes.rs`, `ui-tests/scratch_escapes.rs`.
//!
//! *error\[E0500\]: closure requires unique access to `*gpu` but it is already borrowed.* You push a context on
//! the guard inside its scope. Push before or after the scope. `ui-tests/push_inside_scope.rs`.
//!
//! *error: lifetime may not live long enough* at a stream or buffer: it belongs to another guard. The advice to add `move`
//! changes nothing. If there is one guard, write [a lifetime for both](#a-lifetime-for-both):
//! `ui-tests/stream_of_other_guard_in_scope.rs`, `ui-tests/attributes_of_other_guard.rs`. If there are two, for two contexts,
//! keep both lifetimes: with one for both, nothing can call the function (E0597). A scope takes streams and memory of other
//! contexts by [`on_peer`](crate::Scope::on_peer) and [`hold_peer`](crate::Scope::hold_peer), and copies between contexts by
//! [`copy_from_peer`](crate::ScopedStream::copy_from_peer). A stream of another context records events of that context.
//! `ui-tests/mix_on_peer_stream.rs`, `ui-tests/held_of_other_guard.rs`, `ui-tests/event_recorded_on_peer_stream.rs`.
//!
//! ```compile_fail
//! # use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};
//! fn send<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, x: &DeviceBuffer<'a, f32>, y: &mut DeviceBuffer<'b, f32>) -> Result {
//!     gpu.scope(|s| s.on_peer(theirs).copy(x, &mut s.hold_peer(y)))
//! }
//! ```
//! ```
//! # use cuscope::{Context, ContextFlags, ContextStack, Device};
//! # use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};
//! fn send<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, x: &DeviceBuffer<'a, f32>, y: &mut DeviceBuffer<'b, f32>) -> Result {
//!     gpu.scope(|s| s.on_peer(theirs).copy_from_peer(x, &mut s.hold_peer(y)))
//! }
//! # fn main() -> Result {
//! # let a = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let b = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! # let mut outer = stack.push(&a)?;
//! # let (theirs, mut y) = (outer.stream()?, outer.alloc(16)?);
//! # let gpu = outer.push(&b)?;
//! # send(&gpu, &theirs, &gpu.alloc(16)?, &mut y)
//! # }
//! ```
//!
//! # Graphs
//!
//! A captured stream belongs to its capture. A graph that a scope replays is borrowed by the scope. You pass
//! the graph's buffers to each replay.
//!
//! | headline | what to do | program |
//! |---|---|---|
//! | E0502: cannot borrow `stream` as mutable, immutable | capture a separate stream that nothing else uses meanwhile | `ui-tests/captured_stream_in_scope.rs`, `ui-tests/scope_on_captured_stream.rs`, `ui-tests/stream_used_while_captured.rs`, `ui-tests/forked_stream_used.rs` |
//! | E0308: expected mutable reference `&mut Stream` | capture a stream that you borrow mutably | `ui-tests/shared_stream_captured.rs` |
//! | E0521: `c` escapes the closure body | everything that a capture lends ends with the capture | `ui-tests/capture_escapes.rs` |
//! | E0597: `buffer` does not live long enough | create it outside the closure, or use [`c.scratch`](crate::Capture::scratch) | `ui-tests/local_buffer_captured.rs` |
//! | E0599: no method named `upload` found for struct `CaptureStream` | no host memory in a graph: upload before a replay, download after it | `ui-tests/host_memory_in_capture.rs` |
//! | E0133: call to unsafe function | put the launch in `unsafe` where you capture it, not where you replay it | `ui-tests/capture_launch_without_unsafe.rs` |
//! | E0505: cannot move out of `graph`; E0597: `graph` does not live long enough | it runs until the scope ends: create it before, drop it after | `ui-tests/graph_dropped_in_flight.rs`, `ui-tests/local_graph_replayed.rs` |
//! | E0515: returns a value referencing data owned by the current function | return the graph [detached](crate::Detached::new) | `ui-tests/graph_outlives_stack.rs` |
//! | E0277: `dyn OneThreadAtATime` cannot be shared between threads safely | only one thread can have a graph: send it, or capture one for each thread | `ui-tests/graph_shared_between_threads.rs`, `ui-tests/definition_shared_between_threads.rs` |
//! | E0277: `&mut ScopedBuffer<…>` cannot be the buffers of a graph | replay it on a stream of the scope | `ui-tests/held_replayed_blocking.rs` |
//! | E0277: `&mut DeviceSliceMut<…>` cannot be the buffers of a graph | pass the buffer, also if the graph uses only a part of it | `ui-tests/part_replayed.rs` |
//! | E0502: cannot borrow `y` as mutable, immutable | pass memory that the graph writes once, with `&mut`, and read it after the replay | `ui-tests/replay_aliased.rs`, `ui-tests/replay_named_while_in_flight.rs` |
//! | E0308: expected `Node<Memset>`, found `Node<Kernel>` | pass a node of the right kind: `try_into` converts a [`NodeId`](crate::graph::NodeId) | `ui-tests/node_of_other_kind.rs` |
//! | E0521: `g` escapes the closure body; lifetime may not live long enough | return only nodes from the closure of a builder; memory that a node allocates belongs to its graph alone | `ui-tests/builder_escapes.rs`, `ui-tests/graph_memory_leaves_builder.rs` |
//! | E0597: `buffer` does not live long enough; E0505: cannot move out of `x` | create the buffers of a graph outside the closure, and drop them after it | `ui-tests/local_buffer_built.rs`, `ui-tests/dropped_while_built.rs` |
//! | E0382: borrow of moved value: `memory` | add the nodes that use memory before the node that frees it | `ui-tests/graph_memory_used_after_free.rs` |
//! | E0277: `&mut Condition<…>` cannot be a kernel argument | pass it to a kernel of its graph: [`GraphBuilder::kernel_unchecked`](crate::GraphBuilder::kernel_unchecked) | `ui-tests/condition_in_stream.rs` |
//! | E0521: `g` escapes the closure body, at a condition | declare it in the same graph | `ui-tests/condition_of_another_graph.rs`, `ui-tests/condition_of_any_graph.rs` |
//! | E0382: use of moved value: `condition` | one conditional node reads a condition: declare another one | `ui-tests/condition_read_twice.rs` |
//! | E0597: `count` does not live long enough | a function of a graph must own its data | `ui-tests/graph_function_borrows.rs` |
//! | E0133: call to unsafe function | put the launch in `unsafe` where you add its node | `ui-tests/kernel_node_without_unsafe.rs` |
//! | E0502: cannot borrow `*graph` as mutable | change it and time it before or after the scope | `ui-tests/graph_changed_in_flight.rs`, `ui-tests/graph_timed_in_flight.rs` |
//! | E0499: cannot borrow `*graph` as mutable more than once | replay another graph, or use `replay`, which waits for the replay before | `ui-tests/graph_replayed_alone_twice.rs` |
//! | E0308: expected `&Graph`, found `&GraphDefinition` | instantiate it | `ui-tests/definition_replayed.rs` |
//!
//! ```compile_fail,E0599
//! # use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};
//! # fn example<'c>(gpu: &PushedGuard<'c>, stream: &mut Stream<'c>, x: &DeviceBuffer<'c, f32>, y: &mut DeviceBuffer<'c, f32>) -> Result {
//! let mut host = [0.0; 64];
//! let graph = gpu.capture(stream, |c| {
//!     let mut y = c.hold(y);
//!     c.stream().copy(x, &mut y)?;
//!     c.stream().download(&y, &mut host)
//! })?;
//! # Ok(()) }
//! ```
//! ```no_run
//! # use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};
//! # fn example<'c>(gpu: &PushedGuard<'c>, stream: &mut Stream<'c>, x: &DeviceBuffer<'c, f32>, y: &mut DeviceBuffer<'c, f32>) -> Result {
//! let mut host = [0.0; 64];
//! let graph = gpu.capture(stream, |c| c.stream().copy(x, &mut c.hold(y)))?;
//! gpu.scope(|s| {
//!     let (stream, mut y) = (s.on(stream), s.hold(y));
//!     stream.replay(&graph, (x, &mut y))?; // pass the memory that it reads and writes
//!     stream.download(&y, &mut host)
//! })
//! # }
//! ```
//!
//! # Types
//!
//! *error\[E0277\]: a fill cannot set elements of type `f64`.* The driver fills with values of 1, 2 or 4 bytes. Zeros of any
//! type are written by `zero`, other values by an upload. For a struct of yours with such a size, implement
//! [`Fillable`](crate::memory::Fillable). `ui-tests/fill_of_large_elements.rs`.
//!
//! *error\[E0277\]: `bool` cannot live in device memory.* The device may leave any bytes there. Not all bytes
//! are a valid `bool`, `char`, reference or enum, and a struct with padding has bytes that must not be read.
//! Use numbers, arrays, and `#[repr(C)]` structs of them:
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
//! `ui-tests/not_plain_data.rs`, `ui-tests/alloc_not_plain_data.rs`, `ui-tests/pinned_not_plain_data.rs`. One mistake may give several errors. The
//! first one shows the place.
//!
//! *error\[E0080\]: evaluation panicked: derive(Pod) was applied to a type with padding.* Padding is what the compiler leaves
//! between fields, or behind the last one, so that each field is aligned. Sort the fields by their alignment, the largest
//! first, and write the bytes that are left as a field, `_padding: [u8; 7]`. The guide has
//! [an example](crate::guide::kernels#structs). `ui-tests/padding_in_a_struct.rs`.
//!
//! *error\[E0277\]: `DeviceBuffer<…>` has no constructor.* Memory belongs to a context, and a guard says to which one. Call
//! `gpu.alloc(len)?`, or `gpu.on(&stream).from_slice(&values)?`. `ui-tests/buffer_without_a_guard.rs`.
//!
//! *error\[E0277\]: `&[u8]` is not text.* The driver reads PTX up to a NUL, so it must be text:
//! `include_str!`, not `include_bytes!`. `ui-tests/ptx_of_bytes.rs`.
//!
//! *error\[E0277\]: `DeviceBuffer<…, f32>` is not device memory with elements of type `f64`; error\[E0308\]:
//! types differ in mutability.* Slice and buffer must have the same element type. Pass memory that is written
//! with `&mut`, and not as a part for reading: `ui-tests/element_types_differ.rs`,
//! `ui-tests/upload_to_shared_buffer.rs`, `ui-tests/peer_copy_to_shared.rs`, `ui-tests/read_part_written.rs`. The same call cannot read it
//! (E0502), and no slice of it may be alive: `ui-tests/copy_to_itself.rs`, `ui-tests/peer_copy_to_itself.rs`,
//! `ui-tests/buffer_written_while_sliced.rs`, `ui-tests/buffer_used_beside_its_part.rs`, `ui-tests/cast_written_while_read.rs`. Parts for writing do
//! not overlap (E0499), and end before their buffer does (E0505): `ui-tests/parts_overlap.rs`,
//! `ui-tests/part_outlives_buffer.rs`. They come from memory that is borrowed by `&mut` (E0308, E0596), and move where they
//! are used (E0382): `ui-tests/parts_to_write_of_shared_memory.rs`, `ui-tests/part_to_write_used_twice.rs`. The same holds for rectangles of a
//! [`PitchedBuffer`](crate::memory::PitchedBuffer): split a `part_mut` by columns, rows or planes.
//! `ui-tests/pitched_parts_overlap.rs`, `ui-tests/pitched_part_outlives_buffer.rs`,
//! `ui-tests/pitched_part_written.rs`. A [`GrowableBuffer`](crate::memory::GrowableBuffer) grows and shrinks while
//! nothing has borrowed it (E0502, E0499): `ui-tests/growable_shortened_beside_its_part.rs`,
//! `ui-tests/growable_grown_while_held.rs`.
//! `ui-tests/pitched_part_written.rs`. A texture borrows its memory, and is dropped before that is written (E0502) or
//! dropped (E0505): `ui-tests/array_written_under_texture.rs`, `ui-tests/texture_outlives_array.rs`. An array has elements of
//! one, two or four channels, and a surface borrows it by `&mut` (E0277): `ui-tests/texel_of_three_channels.rs`,
//! `ui-tests/surface_read_only_written.rs`.
//!
//! *error\[E0599\]: no function or associated item named `new` found for struct `Context`.* Most programs want
//! `Context::primary(Device::get(0)?)`, the context that the CUDA runtime uses too. [`Context::create`](crate::Context::create)
//! makes one of its own: `ui-tests/context_by_number.rs`.
//!
//! *error\[E0599\]: no … named `clone`, `default`.* A guard stands for one entry of the stack and cannot be
//! cloned: borrow it. The default stream has no handle: create a stream, `gpu.stream()?`.
//! `ui-tests/guard_cloned.rs`, `ui-tests/default_stream_is_no_handle.rs`. A guard has the operations on the
//! default streams, `gpu.on_legacy_default()`. They stay on its thread (E0277), and work while it is on top
//! (E0502): `ui-tests/default_stream_sent.rs`, `ui-tests/default_stream_under_another_guard.rs`.
//!
//! # Page-locked memory
//!
//! *error\[E0499\]: cannot borrow `data` as mutable more than once at a time, or E0515: cannot return value
//! referencing local variable `data`, or a lifetime error.* A slice is borrowed while it is registered. Use it
//! through the registration, and keep data that lives longer in a [`PinnedBuffer`](crate::PinnedBuffer).
//! `ui-tests/registered_slice_used.rs`, `ui-tests/registered_outlives_slice.rs`,
//! `ui-tests/registered_slice_leaves_closure.rs`.
//!
//! *error\[E0133\]: call to unsafe function `register`.* Its value must not be leaked. Instead, register a
//! slice for a closure with `with_registered`: `ui-tests/register_without_unsafe.rs`.
//!
//! *error\[E0505\]: cannot move out of `pinned` because it is borrowed.* Drop it after the last use of its
//! borrows: `ui-tests/pinned_freed_while_lent.rs`. It holds plain data, as device memory does:
//! `ui-tests/pinned_not_plain_data.rs`.
//!
//! *error\[E0502\]: cannot borrow `buffer` as mutable because it is also borrowed as immutable, or E0505.* The host
//! has the slice of [`host_slice`](crate::PushedGuard::host_slice). End its use first, and lend the memory again after
//! the operation: `ui-tests/managed_used_while_lent.rs`, `ui-tests/managed_freed_while_lent.rs`. A scope has what it holds
//! until it ends: `ui-tests/managed_lent_while_held.rs`.
//!
//! *error\[E0597\]: `gpu` does not live long enough, or E0499.* A pool belongs to a device, but a buffer from
//! it still belongs to the guard of its stream: `ui-tests/pool_buffer_under_another_guard.rs`.
//!
//! # Images and variables
//!
//! *error\[E0277\]: `&[u8]` is not an image; E0308: expected `&Cubin`, found `&Ptx`.* An image has one kind,
//! and its bytes are checked when it is created: `gpu.load(&Cubin::new(bytes)?)`.
//! `ui-tests/image_of_other_kind.rs`.
//!
//! *error\[E0133\]: call to unsafe function `Linker::add_code`.* The linker follows the whole structure of
//! machine code. You must know that a compiler wrote it. To add PTX, use [`add`](crate::Linker::add).
//! `ui-tests/link_code_without_unsafe.rs`.
//!
//! *error\[E0499\]: cannot borrow `counter` as mutable more than once at a time.* A
//! [variable](crate::Module::variable) is one buffer, and is borrowed like any other:
//! `ui-tests/variable_lent_twice.rs`.
//!
//! # Sealed traits
//!
//! *error\[E0277\]: `Mine` cannot implement `PushContext`, which is sealed.* Also `Branded`, `KernelArg`,
//! `KernelArgs`, `Text`, `Image`, `Signature`, `Parameter`, `Launchable`, `SafeKernel`, `Launches`, `Argument`,
//! `KernelReads`, `KernelWrites`, `Source`, `GraphBuffers` and `Enqueue`: their implementations are part of the proof. The note says what to do instead.
//! [`Element`](crate::Element) is open, through the derives of `bytemuck`. *error\[E0046\]: not all trait items implemented*
//! comes first for some of them. Its advice leads to E0277. `ui-tests/push_context_is_sealed.rs`,
//! `ui-tests/branded_is_sealed.rs`, `ui-tests/brand_without_the_key.rs`, `ui-tests/kernel_arg_is_sealed.rs`, `ui-tests/kernel_args_is_sealed.rs`,
//! `ui-tests/text_is_sealed.rs`, `ui-tests/scope_traits_are_sealed.rs`,
//! `ui-tests/graph_buffers_are_sealed.rs`, `ui-tests/device_memory_is_sealed.rs`,
//! `ui-tests/scoped_host_memory_is_sealed.rs`, `ui-tests/signature_is_sealed.rs`,
//! `ui-tests/ordered_traits_are_sealed.rs`, `ui-tests/source_is_sealed.rs`, `ui-tests/launchable_is_sealed.rs`, `ui-tests/launches_is_sealed.rs`, `ui-tests/argument_is_sealed.rs`,
//! `ui-tests/image_is_sealed.rs`.
//!
//! # What is `unsafe` about contexts
//!
//! *error\[E0133\]: call to unsafe function …* Two things are unsafe: taking a context from foreign code, since
//! the driver follows its handle unchecked, and resetting a primary context, which destroys it for all other
//! code in the process: `ui-tests/raw_context_without_unsafe.rs`, `ui-tests/reset_without_unsafe.rs`. Their
//! documentation lists the obligations.
//!
//! # Handles of other code
//!
//! *error\[E0133\]: call to unsafe function …* The driver follows a handle unchecked, and cannot tell what other code
//! does with it: `ui-tests/foreign_handles_without_unsafe.rs`, `ui-tests/ranges_and_graphs_without_unsafe.rs`, `ui-tests/foreign_work_without_unsafe.rs`, `ui-tests/tensor_without_unsafe.rs`. Nor what another
//! process or another interface does with its memory: `ui-tests/import_without_unsafe.rs`,
//! `ui-tests/external_without_unsafe.rs`, `ui-tests/import_pool_without_unsafe.rs`, `ui-tests/graphics_without_unsafe.rs`.
//! The functions list their obligations.
//!
//! *error\[E0308\]: expected `&MemoryPool`, found `&ImportedPool`*: the pool of another process gives no memory:
//! `ui-tests/alloc_from_imported_pool.rs`. Import the buffers that the other process allocates from it.
//!
//! *error\[E0277\]: `*mut u8` cannot be sent between threads safely*: what keeps a handle alive is dropped with the last
//! owner, on any thread: `ui-tests/keep_not_sent.rs`. *error\[E0521\]: borrowed data escapes …*: nor can it borrow:
//! `ui-tests/keep_with_a_borrow.rs`.
//!
//! *error\[E0500\]: closure requires unique access …* An operation in the closure of `foreign` uses memory that the
//! foreign work writes: `ui-tests/foreign_work_uses_its_memory.rs`. Enqueue it before or behind.
//!
//! *error\[E0382\]: use of moved value: `tensor`*: a tensor has one owner, which its deleter ends:
//! `ui-tests/tensor_twice.rs`.
//!
//! # Calls of the driver
//!
//! *error\[E0133\]: call to unsafe function `cuCtxGetId` …* [`call!`](crate::call!) checks the code that a
//! driver function returns. It cannot check the arguments, and has no `unsafe` of its own:
//! `ui-tests/call_without_unsafe.rs`. Put the call in an `unsafe` block, and write there why the obligations of
//! the function hold.
//!
//! # A guard needs a name
//!
//! *error: unused `PushedGuard` that must be used.* The guard is dropped, and the context popped, at the end of
//! the statement. Do not follow the advice `let _ = …`, which drops it at once as well. Write
//! `let gpu = stack.push(&context)?;`. `ui-tests/unused_guard.rs`. The lint `let_underscore_drop` of rustc finds
//! `let _ = …`. It is off unless you enable it: `#![warn(let_underscore_drop)]`. Of its two pieces of advice, `let _unused = …` is right, and
//! `drop(…)` pops at once. `ui-tests/guard_bound_to_an_underscore.rs`.
//!
//! *error\[E0596\]: cannot borrow `stack` as mutable.* Pushing changes the stack. Write `let mut stack`, and
//! `let mut outer` for a guard that you push on. `ui-tests/stack_not_mut.rs`.
//!
//! # At run time
//!
//! Mistakes that the compiler cannot detect are returned as an [`Error`](crate::Error). No call was made to the
//! driver.
//!
//! | error | what happened | what to do |
//! |---|---|---|
//! | [`StackTaken`] | the thread has a [`ContextStack`](crate::ContextStack) already, or runs inside `reentrant`, or one was leaked | pass the stack or guard as `&mut impl PushContext`; in code that receives none, use `reentrant` |
//! | [`Suspended`] | a guard or stack is used inside a `reentrant` call that began after its creation | push on the stack that the closure receives |
//! | [`NotCurrent`] | other code on this thread set or popped a context: `cudaSetDevice`, a library that does not restore | call such code outside the guard, or make it restore the context that it found |
//! | [`GraphBuffers`](crate::Error::GraphBuffers) | a replay passes other buffers than were captured, or `&y` where the graph writes | pass each once: `&x` if the graph reads it, `&mut y` if the graph writes it |
//! | [`OtherContext`] | a detached handle meets a guard of another context, or handles were mixed through leaked guards | use a guard of the handle's [`context`](crate::Stream::context) |
//!
//! [`StackTaken`]: crate::Error::StackTaken
//!
//! An error that [is sticky](crate::Error::is_sticky) came from the driver: a kernel faulted, maybe in an
//! earlier call, and no call in any context of this process succeeds any more. Only a new process can use the
//! GPU again. Run the kernel under `compute-sanitizer` to find the fault.
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
