//! Runs a program step by step.

use crate::hooks;
use crate::machine::{Alive, Machine, Planned, ended, panic_planned, wrong};
use crate::program::{End, HandleOp, KeptOp, Last, Op, OwnOp, StackEnd, Which};
use crate::seen::{Seen, seen};
use crate::tower::Tower;
use crate::uses;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Error, PushedGuard, Result, stack::NestedStack,
};
use cuscope_softdriver::faults::{Fault, Which as Calls, with_fault};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Where steps are made: what they push on, if anything.
pub(crate) trait Place {
    fn push<'a>(&'a mut self, context: &'a Context) -> Option<Result<PushedGuard<'a>>>;
    /// Runs `f` on the guard, if it is one.
    fn guard(&mut self, f: &mut dyn FnMut(&mut PushedGuard<'_>)) -> bool;
}

/// Code that was handed nothing.
pub(crate) struct Nowhere;

impl Place for Nowhere {
    fn push<'a>(&'a mut self, _: &'a Context) -> Option<Result<PushedGuard<'a>>> {
        None
    }
    fn guard(&mut self, _: &mut dyn FnMut(&mut PushedGuard<'_>)) -> bool {
        false
    }
}
impl Place for ContextStack {
    fn push<'a>(&'a mut self, context: &'a Context) -> Option<Result<PushedGuard<'a>>> {
        Some(self.push(context))
    }
    fn guard(&mut self, _: &mut dyn FnMut(&mut PushedGuard<'_>)) -> bool {
        false
    }
}
impl Place for NestedStack<'_> {
    fn push<'a>(&'a mut self, context: &'a Context) -> Option<Result<PushedGuard<'a>>> {
        Some(self.push(context))
    }
    fn guard(&mut self, _: &mut dyn FnMut(&mut PushedGuard<'_>)) -> bool {
        false
    }
}
impl Place for PushedGuard<'_> {
    fn push<'a>(&'a mut self, context: &'a Context) -> Option<Result<PushedGuard<'a>>> {
        Some(PushedGuard::push(self, context))
    }
    fn guard(&mut self, f: &mut dyn FnMut(&mut PushedGuard<'_>)) -> bool {
        f(self);
        true
    }
}

/// A value, and what counts it, which ends first.
struct Counted<T> {
    alive: Alive,
    value: T,
}

impl<T> Counted<T> {
    /// The value, no longer counted.
    fn into_value(self) -> T {
        let Counted { alive, value } = self;
        drop(alive);
        value
    }
}

pub(crate) fn note(error: &Error) {
    match error {
        Error::NotCurrent { .. } => seen(Seen::NotCurrent),
        Error::Suspended { .. } => seen(Seen::Suspended),
        Error::StackTaken => seen(Seen::StackTaken),
        _ => {}
    }
}

/// Returns the value of a step, of which nothing else is asked.
pub(crate) fn done<T>(result: Result<T>) -> Option<T> {
    result.inspect_err(note).ok()
}

pub(crate) fn choose(m: &Machine, which: Which) -> Option<Context> {
    let contexts = m.contexts.borrow();
    (!contexts.is_empty()).then(|| contexts[which % contexts.len()].clone())
}

pub(crate) fn steps<P: Place>(m: &Rc<Machine>, place: &mut P, ops: &[Op]) {
    for op in ops {
        if !m.spend() {
            return;
        }
        step(m, place, op);
        m.check();
    }
}

fn step<P: Place>(m: &Rc<Machine>, place: &mut P, op: &Op) {
    match op {
        Op::Push(which, ops, end) => {
            push(m, place, *which, &mut |m, guard| steps(m, guard, ops), end)
        }
        Op::Reentrant(ops) => reentrant(m, |nested| steps(m, nested, ops)),
        Op::TakeStack(ops, end) => take(m, ops, end),
        Op::Catch(ops) => {
            ended(catch_unwind(AssertUnwindSafe(|| steps(m, place, ops))));
        }
        Op::Panic(again) => panic_planned(*again),
        Op::Fault(fault, ops) => fault_in(m, *fault, || steps(m, place, ops)),
        Op::Fail => assert_fails(),
        Op::Use(what) => guarded(m, place, &mut |m, guard| uses::step(m, guard, what)),
        Op::Own(op) => own(m, *op),
        Op::Kept(op) => kept(m, *op),
        Op::Handle(op) => handle(m, *op),
        Op::Hook(op) => hooks::step(m, *op),
    }
}

/// A call that fails, whatever is current.
fn assert_fails() {
    if Device::get(99).is_ok() {
        wrong(|| "there is no such device".into());
    }
}

type Inside<'a> = &'a mut dyn FnMut(&Rc<Machine>, &mut PushedGuard<'_>);

/// Runs `f` on a guard: that of the place, or one that is pushed for it.
fn guarded<P: Place>(m: &Rc<Machine>, place: &mut P, f: Inside<'_>) {
    if !place.guard(&mut |guard| f(m, guard)) {
        push(m, place, 0, f, &End::Simple(Last::Pop));
    }
}

/// Pushes a context, runs `f` on the guard, and ends it. Where there is no place, in a `reentrant` call.
fn push<P: Place>(m: &Rc<Machine>, place: &mut P, which: Which, f: Inside<'_>, end: &End) {
    let Some(context) = choose(m, which) else { return };
    let Some(pushed) = place.push(&context) else {
        return reentrant(m, |nested| push(m, nested, which, f, end));
    };
    let Some(guard) = done(pushed) else { return };
    let alive = Alive::guard(m, context.raw().addr());
    let mut guard = Counted { alive, value: guard };
    m.check();
    f(m, &mut guard.value);
    match end {
        End::Simple(last) => finish(m, guard, *last),
        End::Inside(before, last, behind) => reentrant(m, move |nested| {
            let guard = guard;
            steps(m, nested, before);
            finish(m, guard, *last);
            m.check();
            steps(m, nested, behind);
        }),
    }
}

fn finish(m: &Machine, guard: Counted<PushedGuard<'_>>, last: Last) {
    match last {
        Last::Pop => {
            done(guard.into_value().pop());
        }
        Last::Drop => drop(guard),
        Last::Leak => {
            m.leaky.set(true);
            std::mem::forget(guard.into_value());
        }
    }
}

pub(crate) fn reentrant(m: &Rc<Machine>, f: impl FnOnce(&mut NestedStack<'_>)) {
    let frame = Alive::frame(m);
    let result = ContextStack::reentrant(|nested| {
        f(nested);
        Ok(())
    });
    drop(frame);
    done(result);
}

fn take(m: &Rc<Machine>, ops: &[Op], end: &StackEnd) {
    let Some(stack) = done(ContextStack::current_thread()) else { return };
    let mut stack = Counted { alive: Alive::stack(m), value: stack };
    m.check();
    steps(m, &mut stack.value, ops);
    match end {
        StackEnd::Drop => drop(stack),
        StackEnd::Leak => {
            m.stack_leaked.set(true);
            m.leaky.set(true);
            std::mem::forget(stack); // stays counted: there can be no other one
        }
        StackEnd::DropInside(ops) => reentrant(m, move |nested| {
            drop(stack);
            m.check();
            steps(m, nested, ops);
        }),
    }
}

/// Runs `f` while calls fail, unless some do already.
fn fault_in(m: &Machine, fault: Fault, f: impl FnOnce()) {
    const EXCHANGE: &str = "cuThreadExchangeStreamCaptureMode";
    if m.in_fault.get() {
        return f();
    }
    let moves = |name| matches!(name, "cuCtxPushCurrent_v2" | "cuCtxPopCurrent_v2");
    let may_move = match fault.which {
        Calls::Nth(_) => fault.performed,
        // An entry that was popped for a look cannot be put back.
        Calls::Named(name) | Calls::NamedFrom(name, _) => moves(name),
    };
    m.lossy.set(m.lossy.get() || may_move);
    m.leaky.set(true);
    m.in_fault.set(true);
    // A panic goes on after the fault, whose calls are known then.
    let (caught, failed) = with_fault(fault, || catch_unwind(AssertUnwindSafe(f)));
    m.in_fault.set(false);
    if !failed.is_empty() {
        seen(Seen::Failed);
    }
    m.mode_lost.set(m.mode_lost.get() || failed.contains(&EXCHANGE));
    if let Err(panic) = caught {
        if !panic.is::<Planned>() {
            wrong(|| "a panic that nobody asked for, behind a fault".into());
        }
        std::panic::resume_unwind(panic)
    }
}

fn own(m: &Rc<Machine>, op: OwnOp) {
    let count = m.contexts.borrow().len();
    let take = |which: Which| m.contexts.borrow_mut().swap_remove(which % count);
    // Not under the borrow: what is called may run code of the program, which wants the list.
    let keep = |context| m.contexts.borrow_mut().push(context);
    match op {
        OwnOp::Create if count < 5 => {
            let device = Device::get(0);
            let made = device.and_then(|device| Context::create(device, ContextFlags::default()));
            if made.as_ref().is_err_and(|error| error.to_string().contains("cuCtxPopCurrent_v2")) {
                m.entry_stays.set(true);
            }
            done(made).into_iter().for_each(keep);
        }
        OwnOp::Primary if count < 5 => {
            done(Device::get(0).and_then(Context::primary)).into_iter().for_each(keep);
        }
        OwnOp::Create | OwnOp::Primary => {}
        _ if count == 0 => {}
        OwnOp::Clone(which) => {
            let context = m.contexts.borrow()[which % count].clone();
            keep(context);
        }
        OwnOp::Drop(which) => {
            let context = take(which);
            drop(context);
        }
        OwnOp::TryDestroy(which) => {
            let context = take(which);
            match context.try_destroy() {
                Ok(result) => {
                    seen(Seen::Destroyed);
                    done(result);
                }
                Err(back) => keep(back),
            }
        }
        OwnOp::Synchronize(which) => {
            let context = m.contexts.borrow()[which % count].clone();
            done(context.synchronize());
        }
    }
}

fn kept(m: &Rc<Machine>, op: KeptOp) {
    // Out of its place while it is used: whoever is called meanwhile finds none.
    let tower = m.tower.take();
    let tower = tower.or_else(|| {
        let takes = matches!(op, KeptOp::Take | KeptOp::Push(_));
        let stack = takes.then(ContextStack::current_thread).and_then(done)?;
        Some(Tower::new(m, stack))
    });
    let Some(mut tower) = tower else { return };
    match op {
        KeptOp::Take => {
            if done(ContextStack::current_thread()).is_some() {
                wrong(|| "the thread's stack was taken twice".into());
            }
        }
        KeptOp::Push(which) => {
            if let Some(context) = choose(m, which) {
                let pushed = tower.push(m, context);
                if done(pushed).is_some() && m.is_inside() {
                    seen(Seen::KeptInside);
                }
            }
        }
        KeptOp::Enter => {
            if let Some(guard) = tower.top() {
                uses::enter(m, guard, 0);
            }
        }
        KeptOp::End(last) => {
            m.leaky.set(m.leaky.get() || matches!(last, Last::Leak));
            if let Some(result) = tower.end(last) {
                done(result);
            }
        }
        KeptOp::DropStack => return drop(tower),
    }
    put(m, tower);
}

fn put(m: &Machine, tower: Tower) {
    let other = m.tower.replace(Some(tower));
    if other.is_some() {
        wrong(|| "two stacks of a thread are kept".into());
    }
}

fn handle(m: &Rc<Machine>, op: HandleOp) {
    let count = m.pocket.borrow().len();
    if count == 0 {
        return;
    }
    let take = |which: Which| m.pocket.borrow_mut().swap_remove(which % count);
    match op {
        HandleOp::Drop(which) => {
            let loose = take(which);
            drop(loose);
        }
        HandleOp::Leak(which) => {
            m.leaky.set(true);
            std::mem::forget(take(which));
        }
    }
}

/// A whole program, on the machine of this thread, to its end.
pub(crate) fn program(m: &Rc<Machine>, ops: &[Op], late: bool) {
    for op in ops {
        ended(catch_unwind(AssertUnwindSafe(|| steps(m, &mut Nowhere, std::slice::from_ref(op)))));
        m.check_outside();
    }
    hooks::restore();
    if late {
        return;
    }
    // A value that ends may run scripts, which may keep something again; in the end none do.
    for _ in 0..3 {
        m.clear();
    }
    m.exhaust();
    m.clear();
    m.check();
    // Whoever comes next pops what could not be popped before.
    if !m.stack_leaked.get() {
        match ContextStack::current_thread() {
            Ok(stack) => drop(stack),
            Err(error) => wrong(|| format!("the stack is lost: {error}")),
        }
    }
    m.check();
    m.check_end();
}

/// For a use that holds something while the steps run on its guard.
pub(crate) fn on_guard(m: &Rc<Machine>, guard: &mut PushedGuard<'_>, ops: &[Op]) {
    steps(m, guard, ops);
}
