//! The state that a program acts on, one for each thread, and its invariants.

use crate::program::{Op, Program};
use crate::run::{Nowhere, steps};
use crate::seen::{Seen, seen};
use crate::tower::Tower;
use cuscope::{Context, Detached, DeviceBuffer, Stream, diagnostics::DriverLogHook, ffi};
use cuscope_softdriver::control;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

/// How many steps a program makes on its thread, and on one of the driver.
const BUDGET: usize = 60;
const BUDGET_OF_A_FUNCTION: usize = 4;
/// How deep code of the program is called by the crate inside of itself.
const DEPTH: usize = 4;

/// The first broken invariant. Not a panic at once: the crate ends panics of the code that it calls.
static WRONG: Mutex<Option<String>> = Mutex::new(None);
/// The program that runs now.
static CURRENT: Mutex<Option<Arc<Program>>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn wrong(what: impl FnOnce() -> String) {
    lock(&WRONG).get_or_insert_with(what);
}

pub(crate) fn take_wrong() -> Option<String> {
    lock(&WRONG).take()
}

pub(crate) fn set_current(program: Option<Arc<Program>>) {
    *lock(&CURRENT) = program;
}

/// ScopedBuffer by the thread whose scripts may wait while calls of other threads that fail wait for it: those
/// in the function of the driver's log, into which the driver lets one thread at a time (F321); and by a thread
/// of the driver whose scripts make calls that fail. Whoever cannot have it runs no script.
static APART: Mutex<()> = Mutex::new(());

thread_local! {
    static HOLDS_APART: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` if no other thread is in such a script: what it gives.
pub(crate) fn apart<R>(f: impl FnOnce() -> R) -> Option<R> {
    if HOLDS_APART.get() {
        return Some(f());
    }
    let _held = match APART.try_lock() {
        Ok(held) => held,
        Err(TryLockError::Poisoned(error)) => error.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    HOLDS_APART.set(true);
    let done = catch_unwind(AssertUnwindSafe(f));
    HOLDS_APART.set(false);
    Some(done.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// Whether this is a thread of the driver, or one that ends.
pub(crate) fn is_elsewhere() -> bool {
    MACHINE.try_with(|m| m.borrow().is_none()).unwrap_or(true)
}

thread_local! {
    static MACHINE: RefCell<Option<Installed>> = const { RefCell::new(None) };
}

/// The machine of a thread. It ends with the thread: then no more scripts run.
struct Installed(Rc<Machine>);

impl Drop for Installed {
    fn drop(&mut self) {
        self.0.exhaust();
        self.0.clear();
    }
}

/// A handle that no guard holds.
pub(crate) enum Loose {
    Stream(Detached<Stream<'static>>),
    Buffer(Detached<DeviceBuffer<'static, u32>>),
}

pub(crate) struct Machine {
    program: Arc<Program>,
    next: Cell<usize>,
    budget: Cell<usize>,
    depth: Cell<usize>,
    pub(crate) contexts: RefCell<Vec<Context>>,
    pub(crate) pocket: RefCell<Vec<Loose>>,
    pub(crate) logs: RefCell<Vec<DriverLogHook>>,
    /// The stack that is kept, with guards on it; out of here while it is used.
    pub(crate) tower: RefCell<Option<Tower>>,
    /// The guards that are alive, oldest first: a number of each, and the address of its context.
    guards: RefCell<Vec<(usize, usize)>>,
    ids: Cell<usize>,
    stacks: Cell<usize>,
    /// How many `reentrant` calls run.
    frames: Cell<usize>,
    pub(crate) in_fault: Cell<bool>,
    /// Whether a call may have pushed or popped and said that it failed: entries are anywhere then.
    pub(crate) lossy: Cell<bool>,
    /// Whether the mode of the thread could not be changed.
    pub(crate) mode_lost: Cell<bool>,
    /// Whether a stack was leaked.
    pub(crate) stack_leaked: Cell<bool>,
    /// Whether a context was created that could not be popped: its entry stays.
    pub(crate) entry_stays: Cell<bool>,
    /// Whether something else was, or could not be released.
    pub(crate) leaky: Cell<bool>,
}

impl Machine {
    fn new(program: Arc<Program>, budget: usize) -> Machine {
        Machine {
            program,
            next: Cell::new(0),
            budget: Cell::new(budget),
            depth: Cell::new(0),
            contexts: RefCell::default(),
            pocket: RefCell::default(),
            logs: RefCell::default(),
            tower: RefCell::default(),
            guards: RefCell::default(),
            ids: Cell::new(0),
            stacks: Cell::new(0),
            frames: Cell::new(0),
            in_fault: Cell::new(false),
            lossy: Cell::new(false),
            mode_lost: Cell::new(false),
            stack_leaked: Cell::new(false),
            entry_stays: Cell::new(false),
            leaky: Cell::new(false),
        }
    }

    /// The machine of this thread, of a program that begins.
    pub(crate) fn install(program: Arc<Program>) -> Rc<Machine> {
        let machine = Rc::new(Machine::new(program, BUDGET));
        MACHINE.set(Some(Installed(machine.clone())));
        machine
    }

    /// One that counts what is alive, and runs nothing.
    pub(crate) fn counting() -> Rc<Machine> {
        let program = Program { steps: Vec::new(), scripts: vec![Vec::new()], late: false };
        Rc::new(Machine::new(Arc::new(program), 0))
    }

    /// Leaves the thread without a machine.
    pub(crate) fn uninstall(&self) {
        self.exhaust();
        self.clear();
        drop(MACHINE.take());
    }

    /// No more scripts run.
    pub(crate) fn exhaust(&self) {
        self.budget.set(0);
    }

    /// Ends what is kept.
    pub(crate) fn clear(&self) {
        let tower = self.tower.take();
        ended(catch_unwind(AssertUnwindSafe(|| drop(tower))));
        let kept = (self.pocket.take(), self.logs.take(), self.contexts.take());
        ended(catch_unwind(AssertUnwindSafe(|| drop(kept))));
    }

    /// Whether one more step may be made.
    pub(crate) fn spend(&self) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(1));
        left > 0
    }

    fn script(&self) -> Vec<Op> {
        let scripts = &self.program.scripts;
        let next = self.next.replace(self.next.get() + 1);
        scripts[next % scripts.len()].clone()
    }

    /// After each step: what holds whatever happens.
    pub(crate) fn check(&self) {
        seen(Seen::Step);
        if !crate::common::software() {
            return;
        }
        let stack = control::stack();
        if stack.iter().any(|entry| entry.destroyed) {
            wrong(|| format!("a destroyed context is on the stack: {stack:x?}"));
        }
        let mut entries = stack.iter().map(|entry| entry.context);
        let guards = self.guards.borrow();
        let there = guards.iter().all(|(_, context)| entries.any(|entry| entry == *context));
        if !there && !self.lossy.get() {
            wrong(|| format!("a guard lost its entry: {guards:x?} in {stack:x?}"));
        }
        let relaxed = control::capture_mode() == ffi::CU_STREAM_CAPTURE_MODE_RELAXED;
        if self.stacks.get() > 0 && !relaxed && !self.mode_lost.get() && !self.in_fault.get() {
            wrong(|| "the thread has its stack, and is not in relaxed mode".into());
        }
    }

    /// Where nothing of the crate is running: the mode of the thread is its own.
    pub(crate) fn check_outside(&self) {
        let own = control::capture_mode() == ffi::CU_STREAM_CAPTURE_MODE_GLOBAL;
        let changed = self.stacks.get() > 0 || self.stack_leaked.get() || self.mode_lost.get();
        if crate::common::software() && !own && !changed {
            wrong(|| "the thread is not in its own capture mode".into());
        }
    }

    /// Nothing of the program is left, but what was leaked.
    pub(crate) fn check_end(&self) {
        self.check_outside();
        let depth = control::stack_depth();
        let may_stay = self.stack_leaked.get() || self.lossy.get() || self.entry_stays.get();
        if depth > 0 && !may_stay {
            wrong(|| format!("{depth} entries are left: {:x?}", control::stack()));
        }
    }

    /// Whether a call through a guard that was made inside so many `reentrant` calls must succeed.
    pub(crate) fn must_work(&self, frames: usize) -> bool {
        frames == self.frames.get() && !self.in_fault.get() && !self.lossy.get()
    }

    /// Whether code runs that the crate called.
    pub(crate) fn is_inside(&self) -> bool {
        self.depth.get() > 0
    }

    pub(crate) fn frames(&self) -> usize {
        self.frames.get()
    }
}

/// Counts while something is alive.
pub(crate) struct Alive {
    machine: Rc<Machine>,
    what: What,
}
enum What {
    Guard(usize),
    Stack,
    Frame,
}

impl Alive {
    pub(crate) fn guard(machine: &Rc<Machine>, context: usize) -> Alive {
        let id = machine.ids.replace(machine.ids.get() + 1);
        machine.guards.borrow_mut().push((id, context));
        Alive { machine: machine.clone(), what: What::Guard(id) }
    }

    pub(crate) fn stack(machine: &Rc<Machine>) -> Alive {
        if machine.stacks.replace(machine.stacks.get() + 1) > 0 {
            wrong(|| "the thread has two stacks".into());
        }
        if machine.is_inside() {
            seen(Seen::TakenInside);
        }
        Alive { machine: machine.clone(), what: What::Stack }
    }

    pub(crate) fn frame(machine: &Rc<Machine>) -> Alive {
        machine.frames.set(machine.frames.get() + 1);
        Alive { machine: machine.clone(), what: What::Frame }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        let m = &self.machine;
        match self.what {
            What::Guard(id) => m.guards.borrow_mut().retain(|(of, _)| *of != id),
            What::Stack => m.stacks.set(m.stacks.get() - 1),
            What::Frame => m.frames.set(m.frames.get() - 1),
        }
    }
}

/// The payload of a panic that the program asked for. The crate drops it, or forgets it, or hands it on.
pub(crate) struct Planned(#[allow(dead_code, reason = "runs when it is dropped")] pub(crate) Runs);

/// Panics as the program asked for; no message is written.
pub(crate) fn panic_planned(panics_again: bool) -> ! {
    seen(Seen::Panicked);
    resume_unwind(Box::new(Planned(Runs { seen: Seen::InPayload, panics: panics_again })))
}

/// Runs a script when it is dropped, and may panic then.
pub(crate) struct Runs {
    pub(crate) seen: Seen,
    pub(crate) panics: bool,
}

impl Drop for Runs {
    fn drop(&mut self) {
        let _ = called(self.seen);
        if self.panics && !std::thread::panicking() {
            panic_planned(false);
        }
    }
}

/// Whether it ended without a panic. One that was not asked for is wrong.
pub(crate) fn ended<R>(caught: Result<R, Box<dyn Any + Send>>) -> Option<R> {
    let mut panic = match caught {
        Ok(value) => return Some(value),
        Err(panic) => panic,
    };
    loop {
        if !panic.is::<Planned>() {
            wrong(|| "a panic that nobody asked for".into());
        }
        match catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            Ok(()) => return None,
            Err(next) => panic = next,
        }
    }
}

/// Runs a script of the program, when the crate calls it. Returns whether that panicked; the panic ends here.
pub(crate) fn called(what: Seen) -> bool {
    // Where the thread ends, there is nothing to run it on.
    let Ok(own) = MACHINE.try_with(|m| m.borrow().as_ref().map(|own| own.0.clone())) else {
        return false;
    };
    if let Some(machine) = own {
        return run(&machine, what);
    }
    // A thread of the driver.
    let Some(program) = lock(&CURRENT).clone() else { return false };
    let panicked = apart(|| {
        let machine = Rc::new(Machine::new(program, BUDGET_OF_A_FUNCTION));
        MACHINE.set(Some(Installed(machine.clone())));
        let panicked = run(&machine, what);
        machine.uninstall();
        panicked
    });
    panicked.unwrap_or(false)
}

/// As [`called`], and a panic of the script goes on.
pub(crate) fn called_and_may_panic(what: Seen) {
    if called(what) && !std::thread::panicking() {
        panic_planned(true);
    }
}

fn run(machine: &Rc<Machine>, what: Seen) -> bool {
    if machine.depth.get() >= DEPTH || !machine.spend() {
        return false;
    }
    seen(what);
    machine.check();
    machine.depth.set(machine.depth.get() + 1);
    let script = machine.script();
    let done = catch_unwind(AssertUnwindSafe(|| steps(machine, &mut Nowhere, &script)));
    let panicked = ended(done).is_none();
    machine.depth.set(machine.depth.get() - 1);
    machine.check();
    panicked
}
