//! Uses of a guard.
#![allow(unsafe_code, reason = "asks the driver of which context a stream is; makes a waker")]

use crate::machine::{
    Loose, Machine, Runs, apart, called, called_and_may_panic, is_elsewhere, panic_planned, wrong,
};
use crate::program::{Function, Use};
use crate::run::{done, on_guard};
use crate::seen::{Seen, seen};
use cuscope::{Context, PushedGuard, Result, StreamFlags, ffi};
use std::fmt::{self, Write as _};
use std::future::Future as _;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context as Task, RawWaker, RawWakerVTable, Waker};

/// Makes a stream of the guard, and looks of which context that is.
pub(crate) fn enter(m: &Machine, guard: &PushedGuard<'_>, frames: usize) {
    let must = m.must_work(frames);
    match guard.stream() {
        Ok(stream) => {
            let mut of = std::ptr::null_mut();
            // SAFETY: writes one handle to `of`; the stream is alive.
            let code = unsafe { ffi::cuStreamGetCtx(stream.raw(), &raw mut of) };
            if code == ffi::CUDA_SUCCESS && of != guard.context().raw() {
                wrong(|| format!("{guard:?} made a stream of {of:p}"));
            }
            seen(Seen::Entered);
            if must {
                seen(Seen::HadToEnter);
            }
        }
        Err(error) => {
            if must {
                wrong(|| format!("{guard:?} cannot be used: {error}"));
            }
            crate::run::note(&error);
        }
    }
}

pub(crate) fn step(m: &Rc<Machine>, guard: &mut PushedGuard<'_>, what: &Use) {
    match what {
        // The guard is the innermost one, so that no call began after it.
        Use::Enter => enter(m, guard, m.frames()),
        Use::Synchronize => drop(done(guard.synchronize())),
        Use::HoldStream(ops) => {
            let stream = done(guard.stream());
            on_guard(m, guard, ops);
            drop(stream);
        }
        other => drop(done(operation(m, guard, other))),
    }
}

fn operation(m: &Rc<Machine>, guard: &mut PushedGuard<'_>, what: &Use) -> Result {
    match *what {
        Use::Enter | Use::Synchronize | Use::HoldStream(_) => Ok(()),
        Use::Fill => {
            let (stream, mut buffer) = (guard.stream()?, guard.alloc::<u32>(4)?);
            let mut host = [0; 4];
            guard.on(&stream).fill(&mut buffer, 7)?;
            guard.on(&stream).download(&buffer, &mut host)?;
            if host != [7; 4] {
                wrong(|| format!("{host:?} was read"));
            }
            Ok(())
        }
        Use::Event => {
            let (stream, event) = (guard.stream()?, guard.event()?);
            guard.on(&stream).record(&event)?;
            event.synchronize()
        }
        Use::Capture(blocking) => {
            let flags = if blocking { StreamFlags::empty() } else { StreamFlags::NON_BLOCKING };
            let mut stream = guard.stream_with(flags)?;
            let mut buffer = guard.alloc::<u32>(4)?;
            let graph = guard.capture(&mut stream, |c| {
                c.stream().fill(&mut c.hold(&mut buffer), 3)?;
                called_and_may_panic(Seen::InCapture);
                Ok(())
            })?;
            guard.on(&stream).replay(&graph, &mut buffer)
        }
        Use::Legacy => {
            let mut buffer = guard.alloc::<u32>(4)?;
            guard.on_legacy_default().fill(&mut buffer, 7)?;
            let owned = Owned::new(m, false);
            guard.on_legacy_default().host_function(move || owned.run(Seen::InFunction))
        }
        Use::Scope(function) => {
            let (stream, mut buffer) = (guard.stream()?, guard.alloc::<u32>(4)?);
            let (first, second) = (Owned::new(m, function.owns), Owned::new(m, false));
            guard.scope(|s| {
                let stream = s.on(&stream);
                stream.host_function(move || first.call(function.panics))?;
                stream.fill(&mut s.hold(&mut buffer), 5)?;
                called_and_may_panic(Seen::InScope);
                stream.host_function(move || second.call(function.panics))
            })
        }
        Use::HostFunction(function) => {
            let stream = guard.stream()?;
            let owned = Owned::new(m, function.owns);
            guard.on(&stream).host_function(move || owned.call(function.panics))
        }
        Use::Graph(function) => graph(m, guard, function),
        Use::Future => {
            let stream = guard.stream()?;
            let finished = stream.finished()?;
            let waker = waker();
            let mut finished = pin!(finished);
            let _ = finished.as_mut().poll(&mut Task::from_waker(&waker));
            let _ = finished.as_mut().poll(&mut Task::from_waker(&waker));
            let _ = write!(Writer, "{finished:?}");
            Ok(())
        }
        Use::Show => {
            let _ = write!(Writer, "{guard:?} {:?} {}", guard.context(), guard.context());
            Ok(())
        }
        Use::BlockSize(panics) => {
            let function = guard.load_ptx(crate::common::kernels::STORE)?.function("store")?;
            let mut asked = 0;
            let size = |_| {
                asked += 1;
                let script_panicked = asked == 1 && called(Seen::InBlockSize);
                if panics && script_panicked {
                    panic_planned(true);
                }
                0
            };
            guard.occupancy(&function).block_size_with(size, Some(64)).map(drop)
        }
        Use::Keep(stream) => {
            let loose = if stream {
                Loose::Stream(guard.stream()?.detach())
            } else {
                Loose::Buffer(guard.alloc(4)?.detach())
            };
            m.pocket.borrow_mut().push(loose);
            Ok(())
        }
        Use::Bind(which) => {
            let count = m.pocket.borrow().len();
            if count == 0 {
                return Ok(());
            }
            let mut loose = m.pocket.borrow_mut().swap_remove(which % count);
            let bound = match &mut loose {
                Loose::Stream(stream) => guard.bind(stream).map(|stream| stream.synchronize()),
                Loose::Buffer(buffer) => {
                    guard.bind_mut(buffer).map(|buffer| guard.on_legacy_default().fill(buffer, 2))
                }
            };
            m.pocket.borrow_mut().push(loose);
            bound?
        }
    }
}

fn graph(m: &Machine, guard: &PushedGuard<'_>, function: Function) -> Result {
    let stream = guard.stream()?;
    let owned = Owned::new(m, function.owns);
    let (graph, ()) = guard.build_graph(|g| {
        let function = move || {
            called_and_may_panic(Seen::InGraphFunction);
            owned.call(function.panics);
        };
        g.host_function(&[], function).map(drop)
    })?;
    // Of two panics in one scope the first goes on.
    guard.scope(|s| {
        s.on(&stream).replay(&graph, ())?;
        s.on(&stream).replay(&graph, ())
    })?;
    guard.on(&stream).replay(&graph, ())
}

/// A value that a function of the host owns. It ends with the function, on whatever thread.
struct Owned {
    owned: Option<(Option<Loose>, Option<Context>)>,
    _runs: Runs,
}

impl Drop for Owned {
    fn drop(&mut self) {
        let owned = self.owned.take();
        if !is_elsewhere() {
            return drop(owned);
        }
        // There the releases fail.
        let mut owned = Some(owned);
        apart(|| drop(owned.take()));
        std::mem::forget(owned);
    }
}

impl Owned {
    fn new(m: &Machine, much: bool) -> Owned {
        let (mut handle, mut context) = (None, None);
        if much {
            // Of a thread of the driver nothing is released.
            m.leaky.set(true);
            handle = m.pocket.borrow_mut().pop();
            context = crate::run::choose(m, 1);
        }
        let runs = Runs { seen: Seen::InOwned, panics: false };
        Owned { owned: Some((handle, context)), _runs: runs }
    }

    fn run(&self, what: Seen) {
        called_and_may_panic(what);
    }

    fn call(&self, panics: bool) {
        self.run(Seen::InFunction);
        if panics {
            panic_planned(true);
        }
    }
}

struct Writer;

impl fmt::Write for Writer {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        called_and_may_panic(Seen::InWriter);
        Ok(())
    }
}

/// A waker that runs a script when it is cloned, woken or dropped.
fn waker() -> Waker {
    unsafe fn clone(_: *const ()) -> RawWaker {
        called_and_may_panic(Seen::InWaker);
        RawWaker::new(std::ptr::null(), &TABLE)
    }
    unsafe fn run(_: *const ()) {
        called_and_may_panic(Seen::InWaker);
    }
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, run, run, run);
    // SAFETY: the functions keep the contract of a waker: there is nothing to count.
    unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &TABLE)) }
}
