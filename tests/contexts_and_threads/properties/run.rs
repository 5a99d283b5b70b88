//! Runs a program step by step beside the model.

use super::model::{Ctx, Model, Owned, StackPos};
use super::program::{End, Foreign, Last, Op, OwnedOp, Part, Program, StackEnd, Which};
use super::seen::{Seen, seen};
use super::thread::{Left, Place, Thread};
use crate::common::{foreign as driver, software};
use cuscope::{Context, ContextStack, PushedGuard, ffi, stack::OwnedGuard};
use cuscope_softdriver::faults::{self, Fault, with_fault};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// The payload of a panic that the program asked for.
struct Planned;

/// Ends a panic that was asked for.
fn ended(caught: Result<(), Box<dyn Any + Send>>) {
    if let Err(payload) = caught {
        if !payload.is::<Planned>() {
            resume_unwind(payload)
        }
        seen(Seen::Caught);
    }
}

/// Tells the model when a value is dropped, also on unwinding.
struct Shadow<'t> {
    model: &'t RefCell<Model>,
    of: Of,
}
#[derive(Clone, Copy)]
enum Of {
    Guard(StackPos),
    Stack(StackPos),
    Frame(StackPos, StackPos),
    Owned(Owned),
    Nothing,
}

impl Drop for Shadow<'_> {
    fn drop(&mut self) {
        let mut model = self.model.borrow_mut();
        match self.of {
            Of::Guard(level) => model.drop_guard(level),
            Of::Stack(level) => model.give_back(level),
            Of::Frame(before, base) => model.close(before, base),
            Of::Owned(owned) => model.drop_owned(owned),
            Of::Nothing => {}
        }
    }
}

/// A value and its shadow, dropped in this order.
struct Shadowed<'t, T> {
    value: T,
    shadow: Shadow<'t>,
}

impl<'t, T> Shadowed<'t, T> {
    fn new(thread: &'t Thread, value: T, of: Of) -> Self {
        Shadowed { value, shadow: Shadow { model: &thread.model, of } }
    }

    /// The value, which the model is to be told of in another way.
    fn into_value(mut self) -> T {
        self.shadow.of = Of::Nothing;
        self.value
    }
}

/// A use that a `reentrant` call makes of a stack or guard from outside, so many calls further out.
#[derive(Clone, Copy)]
enum Reach {
    Push(Which),
    Enter,
}
type Outside<'a> = &'a mut dyn FnMut(Reach, usize);

fn reach<P: Place>(thread: &Thread, place: &mut P, level: StackPos, what: Reach) {
    match what {
        Reach::Push(which) => {
            let Some((ctx, context)) = thread.choose(which) else { return };
            let done = place.push(&context);
            let expected = thread.model.borrow_mut().push(level, ctx);
            match (done, expected) {
                // From inside the closure of an older owned guard.
                (Ok(guard), Ok(level)) => {
                    drop(guard);
                    thread.model.borrow_mut().drop_guard(level);
                    thread.check();
                }
                (done, expected) => thread.agree(&done, expected.map(drop), "cuCtxPushCurrent_v2"),
            }
        }
        Reach::Enter => enter(thread, place, level),
    }
}

/// A call that acts on the current context, if the place is a guard.
pub(crate) fn enter<P: Place>(thread: &Thread, place: &P, level: StackPos) {
    if let Some(done) = place.guard(|guard| guard.synchronize()) {
        let expected = thread.model.borrow_mut().enter(level);
        thread.agree(&done, expected, "cuCtxSynchronize");
    }
}

/// A push that the driver refuses: what leaked above is popped all the same.
fn failing_push<P: Place>(thread: &Thread, place: &mut P, level: StackPos, which: Which) {
    // To look below the top, the crate pops it and pushes it again: that must not fail.
    if !software() || thread.model.borrow().looks_below(level) {
        return;
    }
    let Some((_, context)) = thread.choose(which) else { return };
    let call = "cuCtxPushCurrent_v2";
    let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
    let fault = Fault { which: faults::Which::Named(call), code, performed: false };
    let (done, _) = with_fault(fault, || place.push(&context).map(drop));
    let settled = thread.model.borrow_mut().settle(level);
    match settled {
        Ok(()) => assert_eq!(done.unwrap_err().code(), Some(code)),
        refused => thread.agree(&done, refused, call),
    }
    thread.check();
}

fn steps<P: Place>(
    thread: &Thread,
    place: &mut P,
    level: StackPos,
    outside: Outside<'_>,
    ops: &[Op],
) {
    for op in ops {
        match op {
            Op::Push(which, ops, end) => push(thread, place, level, outside, (*which, ops, end)),
            Op::Enter => enter(thread, place, level),
            Op::FailingPush(which) => failing_push(thread, place, level, *which),
            Op::Reentrant(ops) => reentrant(thread, place, level, outside, ops),
            Op::PushOutside(which, out) => outside(Reach::Push(*which), *out),
            Op::EnterOutside(out) => outside(Reach::Enter, *out),
            Op::Catch(ops) => {
                let run = || steps(thread, place, level, outside, ops);
                ended(catch_unwind(AssertUnwindSafe(run)));
                thread.check();
            }
            Op::Panic => resume_unwind(Box::new(Planned)),
            Op::TakeStack => {
                let expected = thread.model.borrow_mut().take().map(drop);
                thread.agree(&ContextStack::current_thread(), expected, "");
            }
            Op::Handle(op) => super::handles::step(thread, place, level, *op),
            Op::Own(op) => super::owners::step(thread, *op),
            Op::Owned(op) => owned(thread, *op),
            Op::With(which, ops) => {
                with(thread, *which, ops, &mut |what, out| match out {
                    0 => reach(thread, place, level, what),
                    _ => outside(what, out - 1),
                });
            }
            Op::Foreign(op) => super::foreign::step(thread, *op, || enter(thread, place, level)),
        }
    }
}

/// A context that a guard borrows: the model is told when it is dropped, also on unwinding.
struct Lent<'t> {
    model: &'t RefCell<Model>,
    ctx: Ctx,
    context: Option<Context>,
}

impl<'t> Lent<'t> {
    fn new(thread: &'t Thread, ctx: Ctx, context: Context) -> Self {
        thread.model.borrow_mut().own(ctx);
        Lent { model: &thread.model, ctx, context: Some(context) }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        drop(self.context.take());
        self.model.borrow_mut().disown(self.ctx);
    }
}

fn push<P: Place>(
    thread: &Thread,
    place: &mut P,
    level: StackPos,
    outside: Outside<'_>,
    (which, ops, end): (Which, &[Op], &End),
) {
    let Some((ctx, context)) = thread.choose(which) else { return };
    let lent = Lent::new(thread, ctx, context);
    let expected = thread.model.borrow_mut().push(level, ctx);
    let Some(context) = &lent.context else { return };
    let done = place.push(context);
    let call = "cuCtxPushCurrent_v2";
    let level = match (done, expected) {
        (Ok(guard), Ok(level)) => {
            let mut pushed = Shadowed::new(thread, guard, Of::Guard(level));
            thread.check();
            steps(thread, &mut pushed.value, level, outside, ops);
            (pushed, level)
        }
        (done, expected) => return thread.agree(&done, expected.map(drop), call),
    };
    let (pushed, level) = level;
    match end {
        End::Simple(last) => finish(thread, pushed, level, *last),
        End::Inside(first, last, then) => {
            let (frame, base) = open(thread);
            let done = ContextStack::reentrant(move |nested| {
                let mut pushed = pushed;
                let mut here = |what, out| match out {
                    0 => reach(thread, &mut pushed.value, level, what),
                    _ => outside(what, out - 1),
                };
                steps(thread, nested, base, &mut here, first);
                finish(thread, pushed, level, *last);
                steps(thread, nested, base, outside, then);
                Ok(())
            });
            drop(frame);
            thread.agree(&done, Ok(()), "");
        }
    }
}

fn finish(thread: &Thread, pushed: Shadowed<'_, PushedGuard<'_>>, level: StackPos, last: Last) {
    match last {
        Last::Pop => {
            let expected = thread.model.borrow_mut().pop(level);
            thread.agree(&pushed.into_value().pop(), expected, "cuCtxPopCurrent_v2");
        }
        Last::Drop => drop(pushed),
        Last::Leak => {
            std::mem::forget(pushed.into_value());
            thread.model.borrow_mut().leak(level);
        }
    }
    thread.check();
}

/// The model of a `reentrant` call that begins: what ends it, and the level of its stack.
fn open(thread: &Thread) -> (Shadow<'_>, StackPos) {
    let (before, base) = thread.model.borrow_mut().open();
    (Shadow { model: &thread.model, of: Of::Frame(before, base) }, base)
}

fn reentrant<P: Place>(
    thread: &Thread,
    place: &mut P,
    level: StackPos,
    outside: Outside<'_>,
    ops: &[Op],
) {
    let mut here = |what, out| match out {
        0 => reach(thread, place, level, what),
        _ => outside(what, out - 1),
    };
    let (frame, base) = open(thread);
    let done = ContextStack::reentrant(|nested| {
        steps(thread, nested, base, &mut here, ops);
        Ok(())
    });
    drop(frame);
    thread.agree(&done, Ok(()), "");
}

/// The owned guard of that number, out of the pocket.
fn take<'t>(thread: &'t Thread, which: Which) -> Option<(Shadowed<'t, OwnedGuard>, Owned)> {
    let mut guards = thread.guards.borrow_mut();
    let count = guards.len();
    let (guard, owned) = (count > 0).then(|| guards.swap_remove(which % count))?;
    Some((Shadowed::new(thread, guard, Of::Owned(owned)), owned))
}

fn put_back(thread: &Thread, taken: Shadowed<'_, OwnedGuard>, owned: Owned) {
    thread.guards.borrow_mut().push((taken.into_value(), owned));
}

/// So many owned guards live at a time: few enough to leave most programs something to do with the thread's stack.
pub(crate) const POCKET: usize = 4;

fn owned(thread: &Thread, op: OwnedOp) {
    match op {
        OwnedOp::Push(which) => {
            let Some((ctx, context)) = thread.choose(which) else { return };
            if thread.guards.borrow().len() == POCKET {
                return;
            }
            let guard = context.push_owned().unwrap();
            let owned = thread.model.borrow_mut().push_owned(ctx);
            thread.guards.borrow_mut().push((guard, owned));
        }
        OwnedOp::Move(which) => {
            let Some((taken, owned)) = take(thread, which) else { return };
            let boxed = Box::new(taken);
            put_back(thread, *boxed, owned);
        }
        OwnedOp::End(which, last) => {
            let Some((taken, owned)) = take(thread, which) else { return };
            if thread.model.borrow().is_covered(owned) {
                seen(Seen::EndedEarly);
            }
            match last {
                Last::Pop => {
                    let done = taken.into_value().pop();
                    let expected = thread.model.borrow_mut().pop_owned(owned);
                    thread.agree(&done, expected, "cuCtxPopCurrent_v2");
                }
                Last::Drop => drop(taken),
                // It lives for ever, or until the call ends that it was made in.
                Last::Leak => std::mem::forget(taken.into_value()),
            }
        }
    }
    thread.check();
}

/// Runs steps on the guard that an owned one lends. The place that the steps are made on is outside.
fn with(thread: &Thread, which: Which, ops: &[Op], outside: Outside<'_>) {
    let Some((mut taken, owned)) = take(thread, which) else { return };
    let expected = thread.model.borrow().with_owned(owned);
    let done = taken.value.with(|gpu| {
        seen(Seen::Lent);
        steps(thread, gpu, owned.level, outside, ops);
        Ok(())
    });
    thread.agree(&done, expected.map(drop), "OwnedGuard::with");
    put_back(thread, taken, owned);
}

fn part(thread: &Thread, part: &Part) {
    let nothing = &mut |_, _| ();
    match part {
        Part::Stack(ops, end) => stack(thread, ops, end),
        Part::Reentrant(ops) => {
            let (frame, base) = open(thread);
            let done = ContextStack::reentrant(|nested| {
                steps(thread, nested, base, nothing, ops);
                Ok(())
            });
            drop(frame);
            thread.agree(&done, Ok(()), "");
        }
        Part::Owned(op) => owned(thread, *op),
        Part::With(which, ops) => with(thread, *which, ops, nothing),
        Part::Foreign(op) => super::foreign::step(thread, *op, || ()),
    }
}

fn stack(thread: &Thread, ops: &[Op], end: &StackEnd) {
    let nothing = &mut |_, _| ();
    let expected = thread.model.borrow_mut().take();
    let (mut taken, level) = match (ContextStack::current_thread(), expected) {
        (Ok(stack), Ok(level)) => (Shadowed::new(thread, stack, Of::Stack(level)), level),
        (done, expected) => return thread.agree(&done, expected.map(drop), ""),
    };
    thread.check();
    steps(thread, &mut taken.value, level, nothing, ops);
    match end {
        StackEnd::Drop => drop(taken),
        StackEnd::Leak => std::mem::forget(taken.into_value()),
        StackEnd::DropInside(first, then) => {
            let (frame, base) = open(thread);
            let done = ContextStack::reentrant(move |nested| {
                let mut taken = taken;
                let mut here = |what, _| reach(thread, &mut taken.value, level, what);
                steps(thread, nested, base, &mut here, first);
                drop(taken);
                thread.check();
                steps(thread, nested, base, nothing, then);
                Ok(())
            });
            drop(frame);
            thread.agree(&done, Ok(()), "");
        }
    }
    thread.check();
}

fn parts(thread: &Thread, parts: &[Part]) {
    thread.check();
    for p in parts {
        ended(catch_unwind(AssertUnwindSafe(|| part(thread, p))));
        thread.check();
    }
    thread.drop_owned();
}

/// Foreign code takes its entries from the top, and the crate pops those of its own that it could not pop before.
fn empty(thread: &Thread) {
    loop {
        let before = thread.model.borrow().depth();
        while thread.model.borrow().foreign_is_current() {
            let depth = thread.model.borrow().depth();
            super::foreign::step(thread, Foreign::Pop, || ());
            if thread.model.borrow().depth() == depth {
                return; // it must not
            }
        }
        if thread.model.borrow().remembers() {
            stack(thread, &[], &StackEnd::Drop);
        }
        if thread.model.borrow().depth() == before {
            return;
        }
    }
}

/// Runs programs of one thread each, one after another. A thread runs the next one too, unless the crate remembers
/// something of it. Passes on what each left.
pub(crate) fn run_all(programs: &[Vec<Part>], after: impl Fn(Left) + Sync) {
    let next = AtomicUsize::new(0);
    let run_some = || {
        while let Some(list) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (to, from) = channel();
            let thread = Thread::new(to, from);
            parts(&thread, list);
            empty(&thread);
            let left = thread.left();
            after(left);
            if left.remembered {
                return;
            }
            while !driver::current().is_null() {
                driver::pop();
            }
        }
    };
    while next.load(Ordering::Relaxed) < programs.len() {
        if std::thread::scope(|scope| scope.spawn(run_some).join().is_err()) {
            panic!("{:?}", programs[next.load(Ordering::Relaxed) - 1]);
        }
    }
}

/// Runs every list of parts on a thread of its own, and gives what they left.
pub(crate) fn run(program: &Program) -> Vec<Left> {
    let (mut to, from): (Vec<_>, Vec<_>) = program.iter().map(|_| channel()).unzip();
    to.rotate_left(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = program
            .iter()
            .zip(to.into_iter().zip(from))
            .map(|(list, (to, from))| {
                scope.spawn(move || {
                    let thread = Thread::new(to, from);
                    parts(&thread, list);
                    thread.left()
                })
            })
            .collect();
        let joined = threads.into_iter().map(|t| t.join().unwrap_or_else(|p| resume_unwind(p)));
        joined.collect()
    })
}
