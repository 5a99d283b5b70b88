//! cuscope: `gpu.on(&stream)`, one operation at a time; and a stream of a scope.

use crate::bench::{ALLOCATION, Candidate, KERNELS, LEN, NO_SUCH, Run};
use crate::bench::{BLOCK, ONE_DEVICE, SMALL_STEP, Turns, bytes, run, step_of, steps};
use crate::threads::Work;
use cuscope::{
    Context, ContextFlags, ContextStack, Detached, Device, DeviceBuffer, Event, EventFlags,
    Function, LaunchConfig, OrderedBuffer, OrderedStream, PushedGuard, Result, Stream,
    detached::Branded, ordered::OrderedOptions,
};
use std::time::Instant;

/// Without its errors, which nobody expects here.
trait Done<T> {
    fn done(self) -> T;
}
impl<T> Done<T> for Result<T> {
    #[inline]
    fn done(self) -> T {
        self.expect("the driver answers")
    }
}

pub struct Cuscope<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
    stream: Stream<'ctx>,
    nothing: Function<'ctx>,
    saxpy: Function<'ctx>,
    sum12: Function<'ctx>,
}

/// Something of cuscope that is unsafe to enqueue.
macro_rules! enqueue {
    ($operation:expr) => {
        // SAFETY: a kernel gets its parameters and stays inside of its buffers; what is given is used on one stream
        // only, and lives until the context was waited for.
        unsafe { $operation }.done()
    };
}

/// A context with what is driven in it.
type Driven = (Context, Detached<(Stream<'static>, Event<'static>)>);

const CONFIG: fn() -> LaunchConfig = || LaunchConfig::new(1, LEN);

impl<'g, 'ctx> Cuscope<'g, 'ctx> {
    pub fn new(gpu: &'g PushedGuard<'ctx>) -> Self {
        let module = gpu.load_ptx(KERNELS).done();
        let function = |name| module.function(name).done();
        let (nothing, saxpy, sum12) = (function("nothing"), function("saxpy"), function("sum12"));
        Cuscope { gpu, stream: gpu.stream().done(), nothing, saxpy, sum12 }
    }

    /// For other threads.
    fn shared(&self) -> Detached<Function<'static>> {
        self.gpu.load_ptx(KERNELS).done().function("saxpy").done().detach()
    }

    /// Not stream-ordered: the driver would take another way with it than with that of C.
    fn buffer(&self, len: usize) -> DeviceBuffer<'ctx, f32> {
        let mut buffer = self.gpu.alloc(len).done();
        self.gpu.on(&self.stream).zero(&mut buffer).done();
        buffer
    }

    fn event(&self) -> Event<'ctx> {
        self.gpu.event_with(EventFlags::DISABLE_TIMING).done()
    }

    fn driven(&self) -> Driven {
        let context = Context::create(self.gpu.device(), ContextFlags::default()).done();
        let handles = ContextStack::reentrant(|stack| {
            let gpu = stack.push(&context)?;
            Ok((gpu.stream()?, gpu.event_with(EventFlags::DISABLE_TIMING)?).detach())
        });
        (context, handles.done())
    }
}

fn drive<'c>(gpu: &PushedGuard<'c>, handles: &Detached<(Stream<'static>, Event<'static>)>) {
    let (stream, event) = gpu.bind(handles).done();
    gpu.on(stream).record(event).done();
}

/// An ordered stream that keeps so many bytes.
fn ordered<'ctx>(gpu: &PushedGuard<'ctx>, keep: usize) -> OrderedStream {
    let options = OrderedOptions::new().staging(0).keep(keep);
    gpu.ordered_stream_with(gpu.stream().done(), &options).done()
}

/// A step: returns the output, and frees the input.
fn step<'ctx>(
    ordered: &OrderedStream,
    saxpy: &Function<'ctx>,
    (len, grid): (u32, u32),
    x: OrderedBuffer<f32>,
) -> OrderedBuffer<f32> {
    let mut y = ordered.alloc(len as usize).done();
    let config = LaunchConfig::new(grid, BLOCK);
    enqueue!(ordered.launch_unchecked(saxpy, config, (len, 2.0_f32, &x, &mut y)));
    y
}

impl Candidate for Cuscope<'_, '_> {
    fn name(&self) -> &'static str {
        "cuscope"
    }

    fn operation<'a>(&'a self, name: &str) -> std::result::Result<Run<'a>, &'static str> {
        let on = self.gpu.on(&self.stream);
        if let Some(bytes) = bytes(name, "upload_") {
            let (host, mut device) =
                (self.gpu.pinned::<u8>(bytes).done(), self.gpu.alloc(bytes).done());
            return run!(on.upload(&host, &mut device).done());
        }
        if let Some(bytes) = bytes(name, "download_") {
            let (mut host, device) =
                (self.gpu.pinned::<u8>(bytes).done(), self.gpu.alloc(bytes).done());
            return run!(on.download(&device, &mut host).done());
        }
        let size = |keep: usize, prefix| Some((keep, step_of(name, prefix)?));
        if let Some((keep, size)) = size(0, "step_").or(size(usize::MAX, "kept_")) {
            let ordered = ordered(self.gpu, keep);
            return Ok(Box::new(move |n| {
                let mut x = Some(ordered.alloc(size.0 as usize).done());
                let step = || x = x.take().map(|x| step(&ordered, &self.saxpy, size, x));
                steps(n, step, || ordered.synchronize().done())
            }));
        }
        match name {
            "launch_0" => run!(enqueue!(on.launch_unscoped(&self.nothing, CONFIG(), ()))),
            "launch_4" => {
                let (x, mut y) = (self.buffer(64), self.buffer(64));
                run!(enqueue!(on.launch_unscoped(
                    &self.saxpy,
                    CONFIG(),
                    (LEN, 2.0_f32, &x, &mut y)
                )))
            }
            "launch_12" => {
                let mut out = self.buffer(1);
                run!({
                    #[rustfmt::skip]
                    let args = (&mut out, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32);
                    enqueue!(on.launch_unscoped(&self.sum12, CONFIG(), args))
                })
            }
            "launch_wait" => {
                let (x, mut y) = (self.buffer(64), self.buffer(64));
                run!(enqueue!(on.launch_unchecked(
                    &self.saxpy,
                    CONFIG(),
                    (LEN, 2.0_f32, &x, &mut y)
                )))
            }
            "event_record" => {
                let event = self.event();
                run!(on.record(&event).done())
            }
            "stream_query" => run!({
                self.stream.query().done();
            }),
            "memset" => {
                let mut y = self.buffer(64);
                run!(enqueue!(on.fill_unscoped(&mut y, 1.0)))
            }
            "enqueue_upload" | "enqueue_upload_registered" => {
                Err("every copy outside of a scope waits")
            }
            "alloc_free" => run!(drop(self.gpu.alloc::<u8>(ALLOCATION).done())),
            "stream_alloc_free" => {
                run!(drop(enqueue!(on.alloc_unscoped::<u8>(ALLOCATION))))
            }
            "peer_256MiB" => {
                let (len, devices) = (256 << 20, Device::all().done());
                let [_, far, ..] = devices[..] else { return Err(ONE_DEVICE) };
                let context = Context::primary(far).done();
                let from = ContextStack::reentrant(|stack| {
                    let gpu = stack.push(&context)?;
                    let from = ordered(&gpu, 0).adopt(gpu.alloc::<u8>(len)?)?;
                    Ok(from.detach())
                });
                let from = Box::leak(Box::new(from.done()));
                let here = ordered(self.gpu, 0);
                let mut to = here.adopt(self.gpu.alloc::<u8>(len).done()).expect("an idle buffer");
                Ok(Box::new(move |n| {
                    ContextStack::reentrant(|stack| {
                        let gpu = stack.push(&context)?;
                        let from = gpu.bind(&*from)?;
                        let copy = || {
                            here.copy_from_peer(from, &mut to).done();
                            here.synchronize().done();
                        };
                        Ok(crate::bench::timed(n, copy))
                    })
                    .done()
                }))
            }
            "push_pop" => {
                let (context, _) = self.driven();
                Ok(Box::new(move |n| {
                    ContextStack::reentrant(|stack| {
                        Ok(crate::bench::timed(n, || stack.push(&context).done().pop().done()))
                    })
                    .done()
                }))
            }
            "nested" => {
                let (a, b) = (self.driven(), self.driven());
                Ok(Box::new(move |n| {
                    ContextStack::reentrant(|stack| {
                        Ok(crate::bench::timed(n, || {
                            let mut outer = stack.push(&a.0).done();
                            drive(&outer, &a.1);
                            let inner = outer.push(&b.0).done();
                            drive(&inner, &b.1);
                            inner.pop().done();
                            outer.pop().done();
                        }))
                    })
                    .done()
                }))
            }
            "replay" => {
                let (x, mut y) = (self.buffer(64), self.buffer(64));
                let graph = captured(self, &x, &mut y);
                // Not `on.replay`, which waits: C does not.
                Ok(Box::new(move |n| {
                    let mut time = None;
                    self.gpu
                        .scope(|s| {
                            let (q, mut y) = (s.on(&self.stream), s.hold(&mut y));
                            let start = Instant::now();
                            for _ in 0..n {
                                q.replay(&graph, (&x, &mut y))?;
                            }
                            time = Some(start.elapsed());
                            Ok(())
                        })
                        .done();
                    time.expect("the scope ran")
                }))
            }
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> std::result::Result<Work<'_>, &'static str> {
        let (context, shared) = (self.gpu.context().clone(), self.shared());
        Ok(Box::new(move |turns: &Turns| {
            let mut stack = ContextStack::current_thread().done();
            let gpu = stack.push(&context).done();
            let (saxpy, stream) = (gpu.bind(&shared).done(), gpu.stream().done());
            let on = gpu.on(&stream);
            let alloc = || gpu.alloc::<f32>(LEN as usize).done();
            let (x, mut y) = (alloc(), alloc());
            turns
                .take(|| enqueue!(on.launch_unscoped(saxpy, CONFIG(), (LEN, 2.0_f32, &x, &mut y))));
            stream.synchronize().done();
        }))
    }

    fn steps_on_threads(&self, kept: bool) -> std::result::Result<Work<'_>, &'static str> {
        Ok(steps_on_threads(self, if kept { usize::MAX } else { 0 }))
    }
}

fn steps_on_threads<'a>(of: &'a Cuscope<'_, '_>, keep: usize) -> Work<'a> {
    let (context, shared) = (of.gpu.context().clone(), of.shared());
    Box::new(move |turns: &Turns| {
        let mut stack = ContextStack::current_thread().done();
        let gpu = stack.push(&context).done();
        let (saxpy, ordered) = (gpu.bind(&shared).done(), ordered(&gpu, keep));
        let mut x = Some(ordered.alloc(SMALL_STEP.0 as usize).done());
        turns.take(|| x = x.take().map(|x| step(&ordered, saxpy, SMALL_STEP, x)));
        ordered.synchronize().done();
    })
}

fn captured<'ctx>(
    of: &Cuscope<'_, 'ctx>,
    x: &DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> cuscope::Graph<'ctx> {
    let mut stream = of.gpu.stream().done();
    of.gpu
        .capture(&mut stream, |c| {
            let mut y = c.hold(y);
            // SAFETY: the kernel gets its parameters and stays inside of its buffers.
            unsafe { c.stream().launch_unchecked(&of.saxpy, CONFIG(), (LEN, 2.0_f32, x, &mut y)) }
        })
        .done()
}

/// The same in a scope, which waits at its end: not timed.
pub struct Scoped<'g, 'ctx>(pub Cuscope<'g, 'ctx>);

/// A loop inside a scope.
macro_rules! scoped {
    ($this:expr, |$s:ident, $q:ident| { $($before:stmt;)* } $operation:expr) => {
        Ok(Box::new(move |n| {
            let mut time = None;
            $this.0.gpu.scope(|$s| {
                let $q = $s.on(&$this.0.stream);
                $($before)*
                let start = Instant::now();
                for _ in 0..n {
                    $operation?;
                }
                time = Some(start.elapsed());
                Ok(())
            }).done();
            time.expect("the scope ran")
        }))
    };
}

/// A launch in a scope.
macro_rules! launch {
    ($launch:expr) => {
        // SAFETY: the kernel gets its parameters and stays inside of its buffers.
        unsafe { $launch }
    };
}

impl Candidate for Scoped<'_, '_> {
    fn name(&self) -> &'static str {
        "cuscope, in a scope"
    }

    fn operation<'a>(&'a self, name: &str) -> std::result::Result<Run<'a>, &'static str> {
        let of = &self.0;
        if let Some((len, grid)) = step_of(name, "step_") {
            let config = LaunchConfig::new(grid, BLOCK);
            return Ok(Box::new(move |n| {
                let start = Instant::now();
                let steps = of.gpu.scope(|s| {
                    let q = s.on(&of.stream);
                    let mut x = q.scratch::<f32>(len as usize)?;
                    for _ in 0..n {
                        let mut y = q.scratch(len as usize)?;
                        launch!(q.launch_unchecked(&of.saxpy, config, (len, 2.0_f32, &x, &mut y)))?;
                        x = y;
                    }
                    Ok(())
                });
                steps.done();
                start.elapsed()
            }));
        }
        match name {
            "launch_0" => {
                scoped!(self, |s, q| {} launch!(q.launch_unchecked(&of.nothing, CONFIG(), ())))
            }
            "launch_4" => {
                let (x, mut y) = (of.buffer(64), of.buffer(64));
                scoped!(self, |s, q| { let mut y = s.hold(&mut y); }
                    launch!(q.launch_unchecked(&of.saxpy, CONFIG(), (LEN, 2.0_f32, &x, &mut y))))
            }
            "launch_12" => {
                let mut out = of.buffer(1);
                scoped!(self, |s, q| { let mut out = s.hold(&mut out); } {
                    #[rustfmt::skip]
                    let args = (&mut out, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32);
                    launch!(q.launch_unchecked(&of.sum12, CONFIG(), args))
                })
            }
            "event_record" => {
                let event = of.event();
                scoped!(self, |s, q| {} q.record(&event))
            }
            "stream_query" => scoped!(self, |s, q| {} q.query()),
            "memset" => {
                let mut y = of.buffer(64);
                scoped!(self, |s, q| { let mut y = s.hold(&mut y); } q.fill(&mut y, 1.0))
            }
            "enqueue_upload" | "enqueue_upload_registered" => {
                let (host, mut y) = (of.gpu.pinned::<u8>(64).done(), of.gpu.alloc(64).done());
                scoped!(self, |s, q| { let mut y = s.hold(&mut y); } q.upload(&host, &mut y))
            }
            _ => Err("as outside of a scope"),
        }
    }

    fn on_threads(&self) -> std::result::Result<Work<'_>, &'static str> {
        let (context, shared) = (self.0.gpu.context().clone(), self.0.shared());
        Ok(Box::new(move |turns: &Turns| {
            let mut stack = ContextStack::current_thread().done();
            let gpu = stack.push(&context).done();
            let (saxpy, stream) = (gpu.bind(&shared).done(), gpu.stream().done());
            let alloc = || gpu.alloc::<f32>(LEN as usize).done();
            let (x, mut y) = (alloc(), alloc());
            gpu.scope(|s| {
                let (q, mut y) = (s.on(&stream), s.hold(&mut y));
                turns.take(|| {
                    launch!(q.launch_unchecked(saxpy, CONFIG(), (LEN, 2.0_f32, &x, &mut y))).done()
                });
                Ok(())
            })
            .done();
        }))
    }
}
