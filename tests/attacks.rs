//! Programs in safe code that tried to break the design, each against what stops it now. Those that do
//! not even compile are in `ui-tests/`; `SOUNDNESS.md` lists all of them.
#![allow(unsafe_code, reason = "asks the driver what is current, and plays foreign code")]

mod common;

use cuscope::{
    Branded, Context, ContextFlags, ContextStack, Detached, Device, Error, NestedStack,
    PushedGuard, Result, Stream, ffi,
};
use std::future::Future;
use std::pin::pin;
use std::task::{Context as Task, Poll, Waker};

fn context() -> Context {
    Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap()
}

fn current() -> ffi::CUcontext {
    let mut top = std::ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it.
    assert_eq!(unsafe { ffi::cuCtxGetCurrent(&raw mut top) }, ffi::CUDA_SUCCESS);
    top
}

/// A8: a leaked child made its parent pop the child's entry and count its own as gone, so that the
/// parent's context was destroyed while it was on the stack.
#[test]
fn leaked_child_misleads_the_push_count() {
    let (a, b) = (context(), context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    std::mem::forget(outer.push(&b).unwrap());
    drop(outer); // pops both, in order
    assert!(current().is_null());
    a.try_destroy().expect("nothing holds it").unwrap();
    b.try_destroy().expect_err("the leaked guard holds it");
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
    let (a, b) = (context(), context());
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
    let (a, b) = (context(), context());
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
    let a = context();
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
    let a = context();
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
    let (a, b) = (context(), context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let of_a: Detached<Stream<'static>> = gpu.stream().unwrap().detach();
    gpu.pop().unwrap();
    let there = a.clone();
    // 'static is the brand on both threads: attached under a guard of `a` there …
    let stream: Stream<'static> = std::thread::spawn(move || {
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu: PushedGuard<'static> = stack.push(&there).unwrap();
        gpu.attach(of_a).unwrap()
    })
    .join()
    .unwrap();
    // … and used under one of `b` on another.
    let other = b.clone();
    std::thread::spawn(move || {
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu: PushedGuard<'static> = stack.push(&other).unwrap();
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
    let (a, b) = (context(), context());
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
