//! Handles that change their guard, and their thread.

use super::model::{SHARED, StackPos};
use super::program::{HandleOp, Which};
use super::seen::{Seen, seen};
use super::thread::{Handle, Left, Loose, Place, Thread};
use cuscope::{Error, PushedGuard, Result};

/// Puts a handle that a guard made into the pocket.
fn keep(thread: &Thread, level: StackPos, made: Result<Loose>, call: &'static str) {
    let expected = thread.model.borrow_mut().enter(level);
    let ctx = thread.model.borrow().context(level);
    thread.agree(&made, expected, call);
    if let (Ok(loose), Some(ctx)) = (made, ctx) {
        thread.model.borrow_mut().own(ctx);
        thread.pocket.borrow_mut().push(Handle { loose, ctx });
    }
}

/// The handle of that number, out of the pocket.
fn take(thread: &Thread, which: Which) -> Option<Handle> {
    let mut pocket = thread.pocket.borrow_mut();
    let count = pocket.len();
    (count > 0).then(|| pocket.swap_remove(which % count))
}

/// Ties the handle to the guard, uses it, and unties it; whether the guard took it.
fn attach(guard: &PushedGuard<'_>, loose: Loose) -> (Loose, bool) {
    match loose {
        Loose::Stream(stream) => match guard.attach(stream) {
            Ok(stream) => {
                assert_eq!(stream.query(), Ok(true));
                (Loose::Stream(stream.detach()), true)
            }
            Err(back) => (Loose::Stream(back.0), false),
        },
        Loose::Buffer(buffer) => match guard.attach(buffer) {
            Ok(buffer) => {
                assert_eq!(buffer.len(), 4);
                (Loose::Buffer(buffer.detach()), true)
            }
            Err(back) => (Loose::Buffer(back.0), false),
        },
    }
}

fn bind(guard: &PushedGuard<'_>, loose: &mut Loose) -> Result {
    match loose {
        Loose::Stream(stream) => assert_eq!(guard.bind(stream)?.query(), Ok(true)),
        Loose::Buffer(buffer) => assert_eq!(guard.bind_mut(buffer)?.len(), 4),
    }
    Ok(())
}

pub(crate) fn step<P: Place>(thread: &Thread, place: &P, level: StackPos, op: HandleOp) {
    match op {
        HandleOp::MakeStream => {
            let make = |guard: &PushedGuard<'_>| Ok(Loose::Stream(guard.stream()?.detach()));
            if let Some(made) = place.guard(make) {
                keep(thread, level, made, "cuStreamCreate");
            }
        }
        HandleOp::MakeBuffer => {
            let make = |guard: &PushedGuard<'_>| Ok(Loose::Buffer(guard.alloc(4)?.detach()));
            if let Some(made) = place.guard(make) {
                keep(thread, level, made, "cuMemAlloc_v2");
            }
        }
        HandleOp::Attach(which) => {
            let Some(Handle { loose, ctx }) = take(thread, which) else { return };
            let mut loose = Some(loose);
            let done = place.guard(|guard| attach(guard, loose.take().expect("once")));
            if let Some((_, attached)) = done {
                assert_eq!(attached, thread.model.borrow().context(level) == Some(ctx));
            }
            let loose = loose.or(done.map(|(loose, _)| loose)).expect("attached or not");
            thread.pocket.borrow_mut().push(Handle { loose, ctx });
        }
        HandleOp::Bind(which) => {
            let Some(mut handle) = take(thread, which) else { return };
            if let Some(done) = place.guard(|guard| bind(guard, &mut handle.loose)) {
                if thread.model.borrow().context(level) == Some(handle.ctx) {
                    assert_eq!(done, Ok(()));
                } else {
                    assert!(matches!(done, Err(Error::OtherContext { .. })), "{done:?}");
                    seen(Seen::OtherContext);
                }
            }
            thread.pocket.borrow_mut().push(handle);
        }
        HandleOp::Drop(which) => {
            let Some(Handle { loose, ctx }) = take(thread, which) else { return };
            drop(loose);
            thread.model.borrow_mut().disown(ctx);
        }
        HandleOp::Leak(which) => {
            let Some(Handle { loose, .. }) = take(thread, which) else { return };
            let left = thread.left.get();
            thread.left.set(match loose {
                Loose::Stream(_) => Left { streams: left.streams + 1, ..left },
                Loose::Buffer(_) => Left { buffers: left.buffers + 1, ..left },
            });
            std::mem::forget(loose);
        }
        HandleOp::Send(which) => {
            let Some(handle) = take(thread, which) else { return };
            if handle.ctx < SHARED {
                // A thread that is done no longer receives: the handle ends here then.
                let _ = thread.next.send(handle);
            } else {
                thread.pocket.borrow_mut().push(handle);
            }
        }
        HandleOp::Receive => {
            let Ok(handle) = thread.inbox.try_recv() else { return };
            thread.pocket.borrow_mut().push(handle);
            seen(Seen::Received);
        }
    }
    thread.check();
}
