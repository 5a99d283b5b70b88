//! Values that are dropped on a thread of the driver, which refuses every release there: they are released later, elsewhere.
#![allow(unsafe_code, reason = "lends memory to other code")]

use crate::common::fewer;
use crate::common::gpu::{gate, new_context, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, fresh, skip};
use cuscope::ordered::OrderedOptions;
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::virtual_memory::{Multicast, PhysicalMemory, Reservation};
use cuscope::{
    Context, ContextStack, Device, Error, Library, MemoryPool, Ptx, PushedGuard, Result, ffi,
};
use cuscope_softdriver::control::{Live, live, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::any::Any;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context as Task, Poll, Wake};
use std::thread;
use std::time::Duration;

type Owned = Box<dyn Any + Send>;
type Make = fn(&PushedGuard<'_>) -> Result<Owned>;

/// The errors of releases.
static REPORTED: Mutex<Vec<Error>> = Mutex::new(Vec::new());

fn report() {
    cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.clone()));
}

fn reported() -> Vec<Error> {
    std::mem::take(&mut REPORTED.lock().unwrap())
}

/// Looks for what was put off, as nearly every program does now and then.
fn look() {
    ContextStack::reentrant(|_| Ok(())).unwrap();
}

/// The kinds of what a program can own, each by the function that makes one.
const KINDS: &[(&str, Make)] = &[
    ("buffer", |gpu| Ok(Box::new(gpu.alloc::<u32>(64)?.detach()))),
    ("stream", |gpu| Ok(Box::new(gpu.stream()?.detach()))),
    ("event", |gpu| Ok(Box::new(gpu.event()?.detach()))),
    ("module", |gpu| Ok(Box::new(gpu.load_ptx(STORE)?.function("store")?.detach()))),
    ("library", |_| Ok(Box::new(Library::load(&Ptx::new(STORE)?)?))),
    ("page-locked memory", |gpu| Ok(Box::new(gpu.pinned::<u32>(64)?))),
    ("context", |_| Ok(Box::new(new_context()))),
    ("primary context", |gpu| Ok(Box::new(Context::primary(gpu.device())?))),
    ("green context", |gpu| Ok(Box::new(Context::create_green(&[gpu.device().sm_resource()?])?))),
    ("mipmapped array", |gpu| {
        let shape = ArrayShape::D1 { width: 8 };
        Ok(Box::new(gpu.alloc_mipmapped_array::<f32>(shape, 2, ArrayFlags::default())?.detach()))
    }),
    ("array", |gpu| {
        Ok(Box::new(
            gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::default())?.detach(),
        ))
    }),
    ("texture", |gpu| {
        let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::default())?;
        Ok(Box::new(gpu.texture(array, Sampling::default())?.detach()))
    }),
    ("growable buffer", |gpu| {
        let mut buffer = gpu.alloc_growable::<u32>(1 << 20)?;
        buffer.grow(64)?;
        Ok(Box::new(buffer.detach()))
    }),
    ("mapped memory", |gpu| {
        let bytes = PhysicalMemory::granularity(gpu.device())?;
        let mut reservation = Reservation::new(2 * bytes)?;
        reservation.map(0, PhysicalMemory::create(gpu.device(), bytes)?)?;
        reservation.map(bytes, PhysicalMemory::create(gpu.device(), bytes)?)?;
        Ok(Box::new(reservation))
    }),
    ("memory of a pool", |gpu| {
        let (stream, pool) = (gpu.stream()?, MemoryPool::create(gpu.device())?);
        Ok(Box::new(gpu.on(&stream).alloc_from::<u32>(&pool, 64)?.detach()))
    }),
    ("graph", |gpu| {
        let (mut stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(64)?);
        let graph = gpu.capture(&mut stream, |c| {
            let (stream, mut x) = (c.stream(), c.hold(&mut x));
            stream.fill(&mut x, 7)
        })?;
        Ok(Box::new(graph.detach()))
    }),
    ("ordered stream", |gpu| {
        let ordered = gpu.ordered_stream()?;
        let mut x = ordered.zeroed::<u32>(64)?;
        ordered.upload(&[1; 64], &mut x)?;
        Ok(Box::new(ordered))
    }),
    ("multicast object", |gpu| {
        let devices = Device::all()?;
        // Miri maps no memory twice.
        if cfg!(miri) || devices.len() < 2 || !Multicast::is_supported(gpu.device())? {
            return Ok(Box::new(()));
        }
        let bytes = Multicast::granularity(&devices, 1)?;
        let mut object = Multicast::create(&devices, bytes)?;
        for device in devices {
            object.bind(0, PhysicalMemory::create(device, bytes)?)?;
        }
        Ok(Box::new(object))
    }),
    ("page-locked pages", |gpu| Ok(Box::new(gpu.pinned_pages(4096)?))),
    ("addresses", |gpu| {
        Ok(Box::new(Reservation::new(PhysicalMemory::granularity(gpu.device())?)?))
    }),
    ("buffer that an ordered stream adopted", |gpu| {
        Ok(Box::new(bare(gpu)?.adopt(gpu.alloc::<u32>(64)?).map_err(Error::from)?))
    }),
    ("ordered buffer", |gpu| Ok(Box::new(bare(gpu)?.zeroed::<u32>(64)?))),
    ("shared buffer that another stream reads", |gpu| {
        let (home, reader) = (bare(gpu)?, bare(gpu)?);
        let (x, mut y) = (home.zeroed::<u32>(64)?.share(), reader.alloc::<u32>(64)?);
        reader.copy(&x, &mut y)?;
        Ok(Box::new(x))
    }),
    ("shared texture that a stream reads", |gpu| {
        let (array, reader) = (ArrayShape::D1 { width: 8 }, bare(gpu)?);
        let array = gpu.alloc_array::<f32>(array, ArrayFlags::default())?;
        let texture = gpu.texture(array, Sampling::default())?.share();
        // SAFETY: 1. to 3. Nothing is enqueued.
        unsafe { reader.foreign((&texture,), |_, _| ()) }?;
        Ok(Box::new((texture, reader)))
    }),
    ("page-locked memory in flight", |gpu| {
        let ordered = bare(gpu)?;
        let x = ordered.zeroed::<u32>(64)?;
        let pending = ordered.download_owned(&x, gpu.pinned(64)?).map_err(Error::from)?;
        Ok(Box::new(pending))
    }),
    ("graph in flight", |gpu| {
        let ordered = bare(gpu)?;
        let mut x = ordered.zeroed::<u32>(64)?;
        let (graph, ()) = gpu.build_graph(|g| g.host_function(&[], || ()).map(drop))?;
        ordered.replay(&graph, ())?;
        ordered.fill(&mut x, 1)?;
        Ok(Box::new(graph.detach()))
    }),
];

fn bare<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<cuscope::OrderedStream> {
    let options = OrderedOptions::new().keep(0).staging(0);
    gpu.ordered_stream_with(gpu.stream()?, &options)
}

/// Drops everything on a thread of the driver.
fn drop_there(gpu: &PushedGuard<'_>, owned: impl Send + 'static) {
    gpu.on(&gpu.stream().unwrap()).host_function(move || drop(owned)).unwrap();
}

#[test]
fn of_no_kind_anything_is_left_behind_host_functions_that_drop_it() {
    fresh!(of_no_kind_anything_is_left_behind_host_functions_that_drop_it, {
        report();
        with_gpu(|gpu| {
            // The memory that the first use creates and keeps.
            look();
            let before = common::software().then(live);
            for (kind, make) in KINDS {
                for _ in 0..fewer(3, 1) {
                    let context = new_context();
                    let owned = match context.with(|gpu| make(gpu)) {
                        // As on a GPU of a system that lacks it.
                        Err(error) if error.code() == Some(ffi::CUDA_ERROR_NOT_SUPPORTED) => break,
                        owned => owned.unwrap_or_else(|error| panic!("{kind}: {error}")),
                    };
                    // The last owner of the context is there too.
                    drop_there(gpu, (owned, context));
                }
                assert_eq!(reported(), [], "{kind}");
                if let Some(before) = before {
                    assert_eq!(live(), before, "{kind}");
                }
            }
        });
    });
}

/// A value that ends with its context is released before, if the context goes on.
#[test]
fn of_no_kind_anything_is_left_in_a_context_that_goes_on() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(of_no_kind_anything_is_left_in_a_context_that_goes_on, {
        report();
        with_gpu(|gpu| {
            let context = new_context();
            let make = |make: &Make| context.with(|gpu| make(gpu));
            for (kind, one) in KINDS {
                // The memory that the first one creates and the context keeps.
                drop_there(gpu, make(one).unwrap_or_else(|error| panic!("{kind}: {error}")));
                look();
                let before = live();
                for _ in 0..fewer(3, 1) {
                    drop_there(gpu, make(one).unwrap());
                    look();
                }
                assert_eq!(reported(), [], "{kind}");
                assert_eq!(live(), before, "{kind}");
            }
        });
    });
}

/// A wait for a context looks for what waits, too.
#[test]
fn a_wait_for_a_context_releases_what_was_dropped_there() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_wait_for_a_context_releases_what_was_dropped_there, {
        with_gpu(|gpu| {
            let ordered = bare(gpu).unwrap();
            look();
            let before = live();
            let event = gpu.event().unwrap().detach();
            let buffer = gpu.alloc::<u32>(4).unwrap().detach();
            ordered.host_function(move || drop((event, buffer))).unwrap();
            ordered.synchronize().unwrap();
            assert_eq!(live().allocations, before.allocations + 1);
            gpu.context().synchronize().unwrap();
            assert_eq!(live(), before);
        });
    });
}

/// A value that tells whether it could be released tells that there, and is released later all the same.
#[test]
fn an_unload_there_answers_and_happens_later() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(an_unload_there_answers_and_happens_later, {
        report();
        with_gpu(|gpu| {
            look();
            let before = live();
            let module = || gpu.context().load_ptx(STORE).unwrap();
            let (module, other) = (module(), module());
            let library = Library::load(&Ptx::new(STORE).unwrap()).unwrap();
            let (tell, told) = mpsc::channel();
            let stream = gpu.stream().unwrap();
            let unload = move || {
                let library = library.try_unload().expect("it is alone");
                let module = module.try_unload().expect("it is alone");
                tell.send([library, module].map(|answer| answer.map_err(|error| error.code())))
                    .unwrap();
                drop(other);
            };
            gpu.on(&stream).host_function(unload).unwrap();
            assert_eq!(told.recv().unwrap(), [Err(Some(ffi::CUDA_ERROR_NOT_PERMITTED)); 2]);
            look();
            assert_eq!(reported(), []);
            drop(stream);
            assert_eq!(live(), before);
        });
    });
}

#[test]
fn fifty_host_functions_that_drop_everything_leave_nothing() {
    fresh!(fifty_host_functions_that_drop_everything_leave_nothing, {
        report();
        // A real driver takes its time for contexts.
        for _ in 0..if common::software() { fewer(50, 2) } else { 5 } {
            let (context, other) = (new_context(), new_context());
            let owned = other.with(|gpu| {
                Ok((gpu.alloc::<u32>(64)?.detach(), gpu.pinned::<u32>(64)?, gpu.event()?.detach()))
            });
            // Not waited for: what is left is found by whoever looks.
            context
                .with(|gpu| {
                    let ordered = bare(gpu)?;
                    let owned = (owned, other);
                    ordered.host_function(move || drop(owned))?;
                    ordered.synchronize()
                })
                .unwrap();
        }
        look();
        assert_eq!(reported(), []);
        if common::software() {
            assert_eq!(live(), Live::default());
        }
    });
}

/// The context of a buffer that waits is not destroyed before the buffer is freed.
#[test]
fn a_context_outlives_what_is_released_later() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_context_outlives_what_is_released_later, {
        report();
        let (worker, context) = (new_context(), new_context());
        let x = context.with(|gpu| Ok(gpu.alloc::<u32>(64)?.detach())).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&worker).unwrap();
        let ordered = bare(&gpu).unwrap();
        ordered.host_function(move || drop(x)).unwrap();
        ordered.synchronize().unwrap();
        drop(context);
        let left = live();
        assert_eq!((left.contexts, left.allocations), (2, 1), "the buffer has its context");
        drop(ordered);
        let left = live();
        assert_eq!((left.contexts, left.allocations), (1, 0));
        assert_eq!(reported(), []);
    });
}

#[test]
fn page_locked_memory_goes_back_to_the_allocator_later() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(page_locked_memory_goes_back_to_the_allocator_later, {
        report();
        with_gpu(|gpu| {
            let pinned = gpu.pinned::<u32>(1 << 20).unwrap();
            let at = pinned.as_ptr().addr();
            let ordered = bare(gpu).unwrap();
            ordered.host_function(move || drop(pinned)).unwrap();
            ordered.synchronize().unwrap();
            assert_eq!(live().registrations, 1);
            look();
            assert_eq!(live().registrations, 0);
            // The pages are back: the allocator gives the same ones again, to memory that can be registered.
            let again = gpu.pinned::<u32>(1 << 20).unwrap();
            if !cfg!(miri) {
                // Miri gives addresses at random.
                assert_eq!(again.as_ptr().addr(), at);
            }
            assert_eq!(reported(), []);
        });
    });
}

#[test]
fn memory_of_a_copy_that_is_dropped_there_is_there_until_the_copy_is_over() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(memory_of_a_copy_that_is_dropped_there_is_there_until_the_copy_is_over, {
        report();
        with_gpu(|gpu| {
            let (home, other) = (bare(gpu).unwrap(), bare(gpu).unwrap());
            let x = home.zeroed::<u32>(64).unwrap();
            let pinned = gpu.pinned::<u32>(64).unwrap();
            let (gate, opened) = gate();
            home.host_function(opened).unwrap();
            let pending = home.download_owned(&x, pinned).unwrap();
            other.host_function(move || drop(pending)).unwrap();
            other.synchronize().unwrap();
            let before = live().registrations;
            let (done, looked) = mpsc::channel();
            thread::scope(|s| {
                s.spawn(move || {
                    look();
                    done.send(()).unwrap();
                });
                // Whoever looks for it waits for the copy, however long that is.
                let early = looked.recv_timeout(Duration::from_millis(100));
                assert!(early.is_err() && live().registrations == before);
                drop(gate);
                looked.recv().unwrap();
            });
            assert_eq!(live().registrations, before - 1);
            assert_eq!(reported(), []);
        });
    });
}

#[test]
fn a_context_that_is_destroyed_there_tells_and_is_destroyed_later() {
    fresh!(a_context_that_is_destroyed_there_tells_and_is_destroyed_later, {
        report();
        with_gpu(|gpu| {
            let context = new_context();
            let (tell, told) = mpsc::channel();
            let work = move || tell.send(context.try_destroy().unwrap()).unwrap();
            gpu.on(&gpu.stream().unwrap()).host_function(work).unwrap();
            let code = told.recv().unwrap().unwrap_err().code();
            assert_eq!(code, Some(ffi::CUDA_ERROR_NOT_PERMITTED));
            if common::software() {
                assert_eq!(live().contexts, 1);
            }
            assert_eq!(reported(), []);
        });
    });
}

/// Only the failure of the second try is told.
#[test]
fn a_release_that_fails_later_is_reported_once() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_release_that_fails_later_is_reported_once, {
        report();
        with_gpu(|gpu| {
            let x = gpu.alloc::<u32>(64).unwrap().detach();
            let ordered = bare(gpu).unwrap();
            ordered.host_function(move || drop(x)).unwrap();
            ordered.synchronize().unwrap();
            assert_eq!(reported(), [], "it may work later");
            let code = ffi::CUDA_ERROR_UNKNOWN;
            let fault = Fault { which: Which::Named("cuMemFree_v2"), code, performed: false };
            with_fault(fault, || gpu.synchronize()).0.unwrap();
            let [error] = &*reported() else { panic!("one failure") };
            assert_eq!((error.call(), error.code()), (Some("cuMemFree_v2"), Some(code)));
            look();
            assert_eq!(reported(), [], "it is not tried again");
        });
    });
}

/// Whoever finds no memory releases what waits, and so does a function that was waited for.
#[test]
fn memory_that_was_dropped_there_is_released_where_it_is_wanted() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(memory_that_was_dropped_there_is_released_where_it_is_wanted, {
        with_gpu(|gpu| {
            let (ordered, stream) = (bare(gpu).unwrap(), gpu.stream().unwrap());
            let before = live().allocations;
            let memory = || gpu.alloc::<u32>(64).unwrap().detach();
            let x = memory();
            ordered.host_function(move || drop(x)).unwrap();
            ordered.synchronize().unwrap();
            assert_eq!(live().allocations, before + 1);
            let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
            let fault = Fault { which: Which::Named("cuMemAlloc_v2"), code, performed: false };
            let none = with_fault(fault, || gpu.alloc::<u32>(64).map(drop)).0.unwrap_err();
            assert_eq!((none.code(), live().allocations), (Some(code), before));
            let x = memory();
            gpu.on(&stream).host_function(move || drop(x)).unwrap();
            assert_eq!(live().allocations, before);
            let mut x = Some(memory());
            let (graph, _) =
                gpu.build_graph(|g| g.host_function(&[], move || drop(x.take()))).unwrap();
            gpu.on(&stream).replay(&graph, ()).unwrap();
            assert_eq!(live().allocations, before);
        });
    });
}

/// A texture is destroyed in its context. If that cannot be made current, the hook is told.
#[test]
fn a_texture_whose_context_cannot_be_current_is_reported() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_texture_whose_context_cannot_be_current_is_reported, {
        report();
        let context = new_context();
        let texture = context
            .with(|gpu| {
                let array = gpu.alloc_array(ArrayShape::D1 { width: 4 }, ArrayFlags::empty())?;
                Ok(gpu
                    .texture::<cuscope::texture::Array<'_, f32>>(array, Sampling::default())?
                    .detach())
            })
            .unwrap();
        let code = ffi::CUDA_ERROR_UNKNOWN;
        let fault = Fault { which: Which::Named("cuCtxPushCurrent_v2"), code, performed: false };
        with_fault(fault, || drop(texture));
        let told = reported();
        assert!(told.iter().any(|error| error.call() == Some("cuCtxPushCurrent_v2")), "{told:?}");
        // It is not tried again.
        look();
        assert_eq!((reported(), live().textures), (vec![], 1));
    });
}

/// F135: the code has other meanings, on threads where other calls work.
#[test]
fn a_refusal_of_one_call_alone_is_reported_at_once() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_refusal_of_one_call_alone_is_reported_at_once, {
        report();
        with_gpu(|gpu| {
            let (x, event) = (gpu.alloc::<u32>(64).unwrap(), gpu.event().unwrap());
            let refused = |name| {
                let code = ffi::CUDA_ERROR_NOT_PERMITTED;
                Fault { which: Which::Named(name), code, performed: false }
            };
            with_fault(refused("cuMemFree_v2"), || drop(x));
            with_fault(refused("cuEventDestroy_v2"), || drop(event));
            let calls: Vec<_> = reported().iter().map(Error::call).collect();
            assert_eq!(calls, [Some("cuMemFree_v2"), Some("cuEventDestroy_v2")]);
            let left = live();
            look();
            assert_eq!((reported(), live()), (vec![], left), "they are not tried again");
        });
    });
}

/// The driver that was measured destroys these there (F23). One that does not is played.
#[test]
fn a_stream_and_an_event_whose_end_is_refused_there_end_later() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_stream_and_an_event_whose_end_is_refused_there_end_later, {
        report();
        with_gpu(|gpu| {
            let refused = |name| {
                let code = ffi::CUDA_ERROR_NOT_PERMITTED;
                Fault { which: Which::Named(name), code, performed: false }
            };
            let ordered = bare(gpu).unwrap();
            let before = live();
            let (stream, event) = (gpu.stream().unwrap().detach(), gpu.event().unwrap().detach());
            ordered
                .host_function(move || {
                    with_fault(refused("cuStreamDestroy_v2"), || drop(stream));
                    with_fault(refused("cuEventDestroy_v2"), || drop(event));
                })
                .unwrap();
            ordered.synchronize().unwrap();
            let left = live();
            assert_eq!((left.streams, left.events), (before.streams + 1, before.events + 1));
            look();
            assert_eq!((reported(), live()), (vec![], before));
        });
    });
}

/// The driver that was measured orders streams there, too (F23). One that does not is played.
#[test]
fn shared_memory_whose_readers_cannot_be_ordered_there_is_freed_later() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(shared_memory_whose_readers_cannot_be_ordered_there_is_freed_later, {
        report();
        with_gpu(|gpu| {
            let (home, reader) = (bare(gpu).unwrap(), bare(gpu).unwrap());
            let mut y = reader.zeroed::<u32>(64).unwrap();
            reader.synchronize().unwrap();
            let before = live().allocations;
            let x = home.zeroed::<u32>(64).unwrap().share();
            reader.copy(&x, &mut y).unwrap();
            let code = ffi::CUDA_ERROR_NOT_PERMITTED;
            let refused = Fault { which: Which::Named("cuEventRecord"), code, performed: false };
            home.host_function(move || drop(with_fault(refused, || drop(x)))).unwrap();
            home.synchronize().unwrap();
            assert_eq!(live().allocations, before + 1);
            let ((), calls) = record(look);
            let at = |name| calls.iter().position(|call| *call == name).expect(name);
            assert!(at("cuStreamWaitEvent") < at("cuMemFreeAsync"), "{calls:?}");
            home.synchronize().unwrap();
            assert_eq!((reported(), live().allocations), (vec![], before));
        });
    });
}

/// A value of the program that releases more of this crate when it is dropped, and puts off more.
#[test]
fn values_that_are_dropped_later_may_call_everything() {
    struct Calls(Arc<Mutex<Vec<bool>>>, Context);
    impl Drop for Calls {
        fn drop(&mut self) {
            let ran = self.1.with(|gpu| {
                let x = gpu.alloc::<u32>(64)?.detach();
                drop_there(gpu, x);
                gpu.synchronize()
            });
            self.0.lock().unwrap().push(ran.is_ok());
            if common::UNWINDS {
                panic!("in the drop of what keeps memory")
            }
        }
    }
    fresh!(values_that_are_dropped_later_may_call_everything, {
        report();
        with_gpu(|gpu| {
            let log = Arc::new(Mutex::new(Vec::<bool>::new()));
            let ordered = bare(gpu).unwrap();
            let memory = gpu.alloc::<u32>(64).unwrap();
            #[allow(unsafe_code, reason = "plays other code that owns memory")]
            // SAFETY: the memory is alive, and nothing else uses it while `mine` lives.
            let mine = unsafe {
                let keep = Calls(log.clone(), gpu.context().clone());
                gpu.buffer_from_raw::<u32>(memory.address(), 64, keep)
            };
            let mine = ordered.adopt(mine.unwrap()).unwrap();
            ordered.host_function(move || drop(mine)).unwrap();
            ordered.synchronize().unwrap();
            assert!(log.lock().unwrap().is_empty(), "the stream cannot be waited for there");
            look();
            assert_eq!(*log.lock().unwrap(), [true]);
            // A value that it put off is dropped the next time.
            look();
            if common::software() {
                assert_eq!(live().allocations, 1);
            }
            assert_eq!(reported(), []);
        });
    });
}

/// A task that an executor drops when it is woken: it was cancelled.
struct Cancelled(Mutex<Option<Owned>>);

impl Wake for Cancelled {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().unwrap().take());
    }
}

#[test]
fn tasks_that_wakers_drop_leave_nothing() {
    fresh!(tasks_that_wakers_drop_leave_nothing, {
        report();
        let tasks = fewer(20, 2);
        // On a real driver, a free on one thread waits for the function of the other, and that for a call of its thread, which
        // the free keeps out.
        let threads_at_once = if common::software() { 2 } else { 1 };
        thread::scope(|threads| {
            for _ in 0..threads_at_once {
                threads.spawn(|| {
                    with_gpu(|gpu| {
                        for _ in 0..tasks {
                            let stream = gpu.stream().unwrap();
                            let owned = gpu.alloc::<u32>(64).unwrap().detach();
                            let (go, wait) = mpsc::channel::<()>();
                            let ordered = bare(gpu).unwrap();
                            ordered.host_function(move || wait.recv().unwrap_or(())).unwrap();
                            let task =
                                Cancelled(Mutex::new(Some(Box::new((owned, stream.detach())))));
                            let waker = Arc::new(task).into();
                            {
                                let mut end =
                                    pin!(ordered.stream(gpu).unwrap().finished().unwrap());
                                let mut task = Task::from_waker(&waker);
                                assert_eq!(end.as_mut().poll(&mut task), Poll::Pending);
                            }
                            drop((go, waker));
                            ordered.synchronize().unwrap();
                        }
                    });
                });
            }
        });
        look();
        assert_eq!(reported(), []);
        if common::software() {
            assert_eq!(live(), Live::default());
        }
    });
}
