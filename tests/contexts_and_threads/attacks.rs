//! Programs in safe code that broke earlier designs, each against the invariants of `SOUNDNESS.md` that stop it now. Those that
//! do not even compile are in `ui-tests/`. This is all of them:
//!
//! | attack | effect | stopped by | tested by |
//! |---|---|---|---|
//! | A6: an outer guard is dropped inside `reentrant` | it popped the inner guard's entry, and depths no longer distinguished entries | `frames-suspend` | `tests/contexts_and_threads/stack.rs::reentrant_drops_outer_guard` |
//! | A7: foreign code sets, pushes or pops a context | calls went to its context, pops took its entry | `right-context`, `own-entry-popped` | `tests/contexts_and_threads/stack.rs::foreign_code_that_replaces_the_top_is_seen_and_its_entry_left_alone` |
//! | A8: a guard is leaked under a live parent | the parent popped the leaked entry, and its own context was destroyed on the stack | `leaked-settled` | `tests/contexts_and_threads/attacks.rs::leaked_child_misleads_the_push_count`, `tests/contexts_and_threads/attacks.rs::guard_leaked_in_an_rc_cycle` |
//! | A9: a future that holds a guard over an await is cancelled inside `reentrant` | the same as A6, and its thread lost the stack | `frames-suspend`, `reentrant-restores` | `tests/contexts_and_threads/attacks.rs::future_dropped_inside_reentrant`, `tests/contexts_and_threads/attacks.rs::interleaved_futures_share_no_stack` |
//! | A10: the stack that `reentrant` lends is swapped for another one | two stacks on a thread | `one-token` | `ui-tests/swap_nested_stacks.rs`, `tests/contexts_and_threads/attacks.rs::token_swapped_out_of_reentrant` |
//! | A11: the pop moves into a field of the guard | nesting and brands ended, without a message | `covered-unusable` | `ui-tests/covered_parent_idle_child.rs` |
//! | A1: a foreign capture makes the waits of operations and scopes return at once | the program got host memory back while the copy still ran | `waiting-waits` | `tests/scopes_and_graphs/captures.rs::global_capture_elsewhere`, `tests/scopes_and_graphs/captures.rs::scope_inside_capture`, `tests/scopes_and_graphs/captures.rs::a_wait_that_cannot_wait_aborts` |
//! | A2: a launched graph outlives the resources that it uses | it used host memory that was given back | `graph-owns`, `replay-names` | `ui-tests/graph_dropped_in_flight.rs`, `ui-tests/host_memory_in_capture.rs` |
//! | A3: page-locked memory of the driver ends with its context | references to it dangled | `pinned-is-rusts` | `tests/memory_and_kernels/memory.rs::pinned_memory_survives_the_reset_of_its_context` |
//! | A4: a buffer that an inner scope holds is passed to a stream of the outer scope | the outer scope used it after its owner had it back | `scope-own` | `ui-tests/held_in_other_scope.rs`, `tests/contexts_and_threads/attacks.rs::hand_over_outwards` |
//! | A5: an operation outside a scope returns with its work in flight | scopes, other streams and other threads raced with it | `idle-outside` | `tests/contexts_and_threads/attacks.rs::unscoped_meets_scoped`, `tests/contexts_and_threads/attacks.rs::detached_while_in_flight` |
//! | A12: a handle is dropped during a stream capture | the capture was spoiled, and the memory leaked | `frees-need-no-stack` | `tests/scopes_and_graphs/captures.rs::drop_inside_capture`, `tests/scopes_and_graphs/captures.rs::global_capture_elsewhere` |
//! | A13: two guards get one brand through leaked places | handles of one context were used in the other | `own-context` | `tests/contexts_and_threads/stack.rs::unified_brands`, `tests/contexts_and_threads/attacks.rs::unified_brands_on_two_threads`, `tests/memory_and_kernels/other_context.rs::a_scope_refuses_what_is_of_another_context_each_time` |
//! | A13, with shared memory that an ordered stream of another context has copied | `copy_from_peer` made the stream a reader, and each later operation of it took the memory | `own-context`, `ordered-apart` | `tests/memory_and_kernels/other_context.rs::shared_memory_of_another_context_is_refused_whatever_copied_it` |
//! | A14: a detached handle is dropped while another context is current, or none | a push in a destructor failed or disturbed the stack | `frees-need-no-stack` | `tests/contexts_and_threads/attacks.rs::detached_dropped_under_any_context_leaves_the_stack_alone`, `tests/contexts_and_threads/endings.rs::handles_end_with_a_thread_that_never_used_the_driver` |
//! | A15: the default stream as a handle | it ran in whichever context was current, and the wait ran in another | `right-context` | `ui-tests/default_stream_is_no_handle.rs` |
//! | A16, four traps of scopes: staged memory shrinks into an inner scope; a blocking launch takes memory that a scope holds; one event serves two buffers; two threads launch one graph | a use was not recorded where the wait for it was | `scope-own`, `scope-ordered`, `replay-names` | `ui-tests/staged_in_other_scope.rs`, `ui-tests/held_in_blocking_launch.rs`, `ui-tests/graph_shared_between_threads.rs`, `tests/contexts_and_threads/attacks.rs::an_operation_on_two_buffers_keeps_both_in_order`, `tests/scopes_and_graphs/scope.rs::a_crossing_while_another_context_is_current_is_ordered` |
#![allow(unsafe_code, reason = "asks the driver what is current, and plays foreign code")]

use crate::common::foreign::current;
use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::{SAXPY, SPIN};

use cuscope::{
    Context, ContextStack, Detached, Error, Function, LaunchConfig, PushedGuard, Result, Stream,
    detached::Branded, stack::NestedStack,
};
use std::future::Future;
use std::pin::pin;
use std::task::{Context as Task, Poll, Waker};

/// A8: a leaked child made its parent pop the child's entry and count its own as gone, so that the
/// parent's context was destroyed while it was on the stack.
#[test]
fn leaked_child_misleads_the_push_count() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    std::mem::forget(outer.push(&b).unwrap());
    drop(outer); // pops both, in order
    assert!(current().is_null());
    a.try_destroy().expect("nothing holds it").unwrap();
    b.try_destroy().expect("the leaked guard's entry is gone").unwrap();
}

/// A8, in an `Rc` cycle instead of by `forget`.
#[test]
fn guard_leaked_in_an_rc_cycle() {
    use std::cell::RefCell;
    use std::rc::Rc;
    struct Node<'ctx> {
        _guard: PushedGuard<'ctx>,
        _next: RefCell<Option<Rc<Node<'ctx>>>>,
    }
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    {
        let node = Rc::new(Node { _guard: outer.push(&b).unwrap(), _next: RefCell::new(None) });
        *node._next.borrow_mut() = Some(node.clone());
    }
    assert_eq!(current(), b.raw());
    outer.synchronize().unwrap();
    assert_eq!(current(), a.raw());
    outer.pop().unwrap();
    assert!(current().is_null());
}

/// Pending once.
struct Yield(bool);

impl Future for Yield {
    type Output = ();
    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut Task<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A9: a future that holds stack and guard over an await, cancelled inside somebody's `reentrant`: it
/// popped that code's entry, and its own context was destroyed while pushed.
#[test]
fn future_dropped_inside_reentrant() {
    let (a, b) = (new_context(), new_context());
    let of_future = a.clone();
    let mut future = Box::pin(async move {
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&of_future)?;
        Yield(false).await;
        gpu.pop()
    });
    assert!(future.as_mut().poll(&mut Task::from_waker(Waker::noop())).is_pending());
    assert_eq!(current(), a.raw());
    ContextStack::reentrant(|nested| {
        let gpu = nested.push(&b)?;
        drop(future);
        assert_eq!(current(), b.raw(), "the future popped somebody else's entry");
        gpu.synchronize()?;
        gpu.pop()
    })
    .unwrap();
    assert!(current().is_null(), "its entry is popped when the call is over");
    a.try_destroy().expect("nothing holds it").unwrap();
    drop(ContextStack::current_thread().expect("its stack is given back"));
}

/// A9: two futures interleaved on one thread, each of which holds a guard: the second has no stack.
#[test]
fn interleaved_futures_share_no_stack() {
    let a = new_context();
    let work = || async {
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&a)?;
        Yield(false).await;
        gpu.pop()
    };
    let (mut first, mut second) = (pin!(work()), pin!(work()));
    let mut task = Task::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut task).is_pending());
    assert_eq!(second.as_mut().poll(&mut task), Poll::Ready(Err(Error::StackTaken)));
    assert_eq!(first.as_mut().poll(&mut task), Poll::Ready(Ok(())));
    assert!(current().is_null());
}

/// A10: the stack that `reentrant` lends was swapped for another one and dropped, which gave the thread's
/// stack back while it was in use. It is a type of its own now, without a drop, and inside the call no
/// other stack can be had.
#[test]
fn token_swapped_out_of_reentrant() {
    fn keep<'s>(stack: &mut NestedStack<'s>, context: &Context) -> Result {
        // The best that a swap could do: two values of one call do not exist.
        assert!(!std::mem::needs_drop::<NestedStack<'s>>());
        assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
        stack.push(context)?.pop()
    }
    let a = new_context();
    let stack = ContextStack::current_thread().unwrap();
    ContextStack::reentrant(|nested| keep(nested, &a)).unwrap();
    assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
    drop(stack);
    drop(ContextStack::current_thread().unwrap());
}

/// A13, on two threads: a stack that is leaked on the second makes its guard's brand the first one's, so
/// that a handle crosses. The raw contexts are compared.
#[test]
fn unified_brands_on_two_threads() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let of_a: Detached<Stream<'static>> = gpu.stream().unwrap().detach();
    gpu.pop().unwrap();
    let there: &'static Context = Box::leak(Box::new(a));
    // 'static is the brand on both threads: attached under a guard of `a` there …
    let stream: Stream<'static> = std::thread::spawn(move || {
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu: PushedGuard<'static> = stack.push(there).unwrap();
        gpu.attach(of_a).unwrap()
    })
    .join()
    .unwrap();
    // … and used under one of `b` on another.
    let other: &'static Context = Box::leak(Box::new(b));
    std::thread::spawn(move || {
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu: PushedGuard<'static> = stack.push(other).unwrap();
        let mut of_b = gpu.alloc::<u32>(4).unwrap();
        let call = "cuMemsetD32Async";
        assert_eq!(gpu.on(&stream).fill(&mut of_b, 1), Err(Error::OtherContext { call }));
    })
    .join()
    .unwrap();
}

/// A14: a drop that pushed its context would fail, or disturb, wherever another one is current.
#[test]
fn detached_dropped_under_any_context_leaves_the_stack_alone() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let handles = || (outer.stream().unwrap(), outer.alloc::<u8>(64).unwrap()).detach();
    let (first, second, third) = (handles(), handles(), handles());
    let inner = outer.push(&b).unwrap();
    drop(first); // in a covered parent's context
    assert_eq!(current(), b.raw());
    inner.pop().unwrap();
    ContextStack::reentrant(|_| {
        drop(second);
        Ok(())
    })
    .unwrap();
    assert_eq!(current(), a.raw());
    outer.pop().unwrap();
    drop(third); // under none
    assert!(current().is_null());
    a.try_destroy().expect("the handles are gone").unwrap();
}

/// Keeps a stream busy.
fn spin<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Function<'ctx> {
    let spin = kernel(gpu, SPIN, "spin");
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is spin(u64), and has no memory.
    unsafe { gpu.on(stream).launch_unscoped(&spin, one, (30_000_000_u64,)) }.unwrap();
    spin
}

/// A4: what an inner scope held was handed to a stream of the outer one, and used there when its owner had
/// it back. An inner scope waits for what it holds, whatever the outer one still does.
#[test]
fn hand_over_outwards() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let (outer, inner) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let (host, mut back) = ([7_u32; 1024], [0; 1024]);
    gpu.scope(|s| {
        let stream = s.on(&outer);
        let mut kept = stream.scratch::<u32>(1024)?;
        let _spin = spin(&gpu, &outer);
        stream.upload(&host, &mut kept)?;
        for round in 0..4_u32 {
            // Freed at the end of each round, and handed out again.
            let mut local = gpu.on(&inner).alloc::<u32>(1024)?;
            gpu.scope(|s| {
                let mut local = s.hold(&mut local);
                s.on(&inner).fill(&mut local, round)
            })?;
            assert!(inner.query()?);
            assert_eq!(gpu.on(&inner).to_vec(&local)?, [round; 1024]);
        }
        stream.download(&kept, &mut back)
    })
    .unwrap();
    assert_eq!(back, host);
}

/// A5: an operation outside of a scope returned with its work in flight, and a scope on another stream used
/// the buffer.
#[test]
fn unscoped_meets_scoped() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let mut y = gpu.on(&a).zeroed::<u32>(64).unwrap();
    let _spin = spin(&gpu, &a);
    gpu.on(&a).fill(&mut y, 7).unwrap(); // after the kernel, and complete
    assert!(a.query().unwrap());
    let mut host = [0; 64];
    gpu.scope(|s| s.on(&b).download(&y, &mut host)).unwrap();
    assert_eq!(host, [7; 64]);
}

/// A5: the same, with another thread that attaches the buffer.
#[test]
fn detached_while_in_flight() {
    let context = new_context();
    let y = {
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let a = gpu.stream().unwrap();
        let mut y = gpu.on(&a).zeroed::<u32>(64).unwrap();
        let _spin = spin(&gpu, &a);
        gpu.on(&a).fill(&mut y, 7).unwrap();
        y.detach()
    };
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let y = gpu.attach(y).unwrap();
            let b = gpu.stream().unwrap();
            assert_eq!(gpu.on(&b).to_vec(&y).unwrap(), [7; 64]);
        });
    });
}

/// A16: one event stood for two buffers that an operation uses, and recording it anew for the one lost the
/// order of the other.
#[test]
fn an_operation_on_two_buffers_keeps_both_in_order() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let saxpy = kernel(&gpu, SAXPY, "saxpy");
    let (a, b, c) = (gpu.stream().unwrap(), gpu.stream().unwrap(), gpu.stream().unwrap());
    let [mut x, mut y, mut z] =
        [1.0_f32, 2.0, 0.0].map(|v| gpu.on(&a).from_slice(&[v; 64]).unwrap());
    let (mut seen_y, mut seen_z) = ([0.0; 64], [0.0; 64]);
    let _spin = spin(&gpu, &a);
    gpu.scope(|s| {
        let (qa, qb, qc) = (s.on(&a), s.on(&b), s.on(&c));
        let (mut hx, mut hy, mut hz) = (s.hold(&mut x), s.hold(&mut y), s.hold(&mut z));
        let config = LaunchConfig::new(2, 32);
        // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
        unsafe { qa.launch_unchecked(&saxpy, config, (64_u32, 10.0_f32, &hx, &mut hy)) }?;
        qa.copy(&hy, &mut hz)?;
        qa.fill(&mut hy, 9.0)?; // the last use of `y` is another one now, that of `x` still the launch
        qb.fill(&mut hx, 100.0)?;
        qc.download(&hy, &mut seen_y)?;
        qc.download(&hz, &mut seen_z)
    })
    .unwrap();
    assert_eq!((seen_y, seen_z), ([9.0; 64], [12.0; 64]));
    assert_eq!(gpu.on(&b).to_vec(&x).unwrap(), [100.0; 64]);
}
