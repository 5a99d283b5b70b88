//! The state that a program acts on: one thread with its model, and the contexts that all threads share.

use super::model::{Ctx, Model, Owned, Refused, SHARED};
use super::program::Which;
use super::seen::{Seen, seen, seen_times};
use crate::common::foreign as driver;
use crate::common::gpu::new_context;
use cuscope::{
    Context, ContextStack, Detached, Device, DeviceBuffer, Error, PushContext, PushedGuard, Result,
    Stream, ffi, stack::OwnedGuard,
};
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender};

thread_local! {
    /// How many errors of this thread went to the hook.
    static REPORTS: Cell<usize> = const { Cell::new(0) };
}

/// Contexts that guards push; from there on to [`SHARED`], those that only foreign code does.
const PUSHED: Ctx = 3;

/// Why an owned guard is refused.
const ENDED: &str = "the owned guard ended with the `reentrant` call or the `Context::with` that it was made in: make it \
                     outside, or use it inside";

/// The contexts of all threads: made once, as they are costly on a GPU.
pub(crate) fn shared() -> &'static [Context] {
    static ALL: OnceLock<Vec<Context>> = OnceLock::new();
    ALL.get_or_init(|| {
        cuscope::on_release_error(|_| REPORTS.set(REPORTS.get() + 1));
        let primary = Context::primary(Device::get(0).unwrap()).unwrap();
        std::iter::once(primary).chain((1..SHARED).map(|_| new_context())).collect()
    })
}

/// A handle that no guard holds.
pub(crate) enum Loose {
    Stream(Detached<Stream<'static>>),
    Buffer(Detached<DeviceBuffer<'static, u32>>),
}

/// A handle, and its context.
pub(crate) struct Handle {
    pub(crate) loose: Loose,
    pub(crate) ctx: Ctx,
}

/// Values that a thread left alive for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) contexts: usize,
    /// The first of these contexts.
    pub(crate) first: Option<usize>,
    pub(crate) streams: usize,
    pub(crate) buffers: usize,
    /// Whether the crate still remembers something of the thread.
    pub(crate) remembered: bool,
}

pub(crate) struct Thread {
    pub(crate) model: RefCell<Model>,
    /// The handle of every context, dead ones included.
    pub(crate) raw: RefCell<Vec<ffi::CUcontext>>,
    /// Owners of this thread's own contexts.
    pub(crate) owned: RefCell<Vec<(Ctx, Context)>>,
    pub(crate) pocket: RefCell<Vec<Handle>>,
    /// Owned guards, and where they stand.
    pub(crate) guards: RefCell<Vec<(OwnedGuard, Owned)>>,
    pub(crate) left: Cell<Left>,
    pub(crate) next: Sender<Handle>,
    pub(crate) inbox: Receiver<Handle>,
}

impl Thread {
    pub(crate) fn new(next: Sender<Handle>, inbox: Receiver<Handle>) -> Thread {
        REPORTS.set(0);
        Thread {
            model: RefCell::default(),
            raw: RefCell::new(shared().iter().map(Context::raw).collect()),
            owned: RefCell::default(),
            pocket: RefCell::default(),
            guards: RefCell::default(),
            left: Cell::default(),
            next,
            inbox,
        }
    }

    /// After every step: the driver and the model agree.
    #[track_caller]
    pub(crate) fn check(&self) {
        seen(Seen::Step);
        let model = self.model.borrow();
        let expected = model.current().map_or(std::ptr::null_mut(), |ctx| self.raw.borrow()[ctx]);
        assert_eq!(driver::current(), expected, "what is current: {model:?}");
        if crate::common::software() {
            let depth = cuscope_softdriver::control::stack_depth();
            assert_eq!(depth, model.depth(), "the depth: {model:?}");
        }
        assert_eq!(REPORTS.get(), model.reports, "errors that went to the hook: {model:?}");
        assert_eq!(model.broken, None, "{model:?}");
    }

    /// A step that is done, and what the model says of it.
    #[track_caller]
    pub(crate) fn agree<T>(
        &self,
        done: &Result<T>,
        expected: Result<(), Refused>,
        call: &'static str,
    ) {
        let expected = expected.map_err(|refused| {
            let (error, what) = match refused {
                Refused::Suspended => (Error::Suspended { call }, Seen::Suspended),
                Refused::NotCurrent => (Error::NotCurrent { call }, Seen::NotCurrent),
                Refused::StackTaken => (Error::StackTaken, Seen::StackTaken),
                Refused::Ended => {
                    (Error::InvalidArgument { call, reason: ENDED.into() }, Seen::Ended)
                }
            };
            seen(what);
            error
        });
        assert_eq!(done.as_ref().map(drop), expected.as_ref().copied(), "{:?}", self.model);
        self.check();
    }

    /// A context that a guard may push.
    pub(crate) fn choose(&self, which: Which) -> Option<(Ctx, Context)> {
        let owned = self.owned.borrow();
        let shared = (0..PUSHED).zip(shared());
        let all: Vec<_> =
            shared.chain(owned.iter().map(|(ctx, context)| (*ctx, context))).collect();
        let model = self.model.borrow();
        let turned = (0..all.len()).map(|i| all[(which + i) % all.len()]);
        turned.map(|(ctx, c)| (ctx, c.clone())).find(|(ctx, _)| model.may_push(*ctx))
    }

    /// A context that foreign code may push, and leave.
    pub(crate) fn choose_foreign(&self, which: Which) -> Option<Ctx> {
        let model = self.model.borrow();
        let turned = (0..SHARED - PUSHED).map(|i| PUSHED + (which + i) % (SHARED - PUSHED));
        turned.into_iter().find(|ctx| model.foreign_may_push(*ctx))
    }

    /// A context that foreign code may push, and pop before anything else happens.
    pub(crate) fn choose_foreign_call(&self, which: Which) -> Ctx {
        if self.model.borrow().foreign_may_call() {
            which % SHARED
        } else {
            PUSHED + which % (SHARED - PUSHED)
        }
    }

    /// Drops what the thread owns.
    pub(crate) fn drop_owned(&self) {
        // The oldest first, which is early for all but the last.
        for (guard, owned) in self.guards.take() {
            drop(guard);
            self.model.borrow_mut().drop_owned(owned);
            self.check();
        }
        for handle in self.pocket.take() {
            self.model.borrow_mut().disown(handle.ctx);
        }
        for (ctx, context) in self.owned.take() {
            drop(context);
            self.model.borrow_mut().disown(ctx);
        }
        self.check();
    }

    /// Tells what is left.
    pub(crate) fn left(self) -> Left {
        let model = self.model.into_inner();
        seen_times(Seen::LeakedPopped, model.leaked_popped);
        seen_times(Seen::FoundGone, model.found_gone);
        seen_times(Seen::Reported, model.reports);
        let first = model.first_alive().map(|ctx| self.raw.borrow()[ctx].expose_provenance());
        let remembered = model.remembers();
        Left { contexts: model.alive(), first, remembered, ..self.left.get() }
    }
}

/// A place to push on, with its guard if it is one.
pub(crate) trait Place: PushContext {
    fn guard<R>(&self, f: impl FnOnce(&PushedGuard<'_>) -> R) -> Option<R>;
}
impl Place for ContextStack {
    fn guard<R>(&self, _: impl FnOnce(&PushedGuard<'_>) -> R) -> Option<R> {
        None
    }
}
impl Place for cuscope::stack::NestedStack<'_> {
    fn guard<R>(&self, _: impl FnOnce(&PushedGuard<'_>) -> R) -> Option<R> {
        None
    }
}
impl Place for PushedGuard<'_> {
    fn guard<R>(&self, f: impl FnOnce(&PushedGuard<'_>) -> R) -> Option<R> {
        Some(f(self))
    }
}
