//! Random programs of scopes on three streams, compared with the same programs run in order: whatever stream
//! an operation is given, the results are those of one after the other.
//!
//! Without settings the same programs run each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` change that.
#![cfg(not(loom))]
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::{SPIN, STORE};
use crate::common::random::config;
use cuscope::{
    ContextStack, DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, ScopedBuffer,
    ScopedHostSlice, ScopedStream, Stream,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Programs, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 256;
const STREAMS: usize = 3;
/// Two device buffers, each split into two.
const BUFFERS: usize = 4;
const SLICES: usize = 2;
const LEN: usize = 6;

#[derive(Clone, Debug)]
enum Operation {
    Fill {
        buffer: usize,
        value: u32,
    },
    Copy {
        from: usize,
        to: usize,
    },
    /// A kernel that writes the first element.
    Store {
        buffer: usize,
        value: u32,
    },
    Upload {
        slice: usize,
        buffer: usize,
    },
    Download {
        buffer: usize,
        slice: usize,
    },
    /// The host compares the slice and changes its last element.
    Access {
        slice: usize,
        value: u32,
    },
    Spin {
        microseconds: u64,
    },
    /// Through scratch memory, which a kernel of another stream writes and a third one reads.
    Through {
        buffer: usize,
        streams: [usize; 2],
        value: u32,
    },
}
use Operation::*;

/// An operation and its stream.
type Step = (usize, Operation);

fn step() -> impl Strategy<Value = Step> {
    let (buffer, slice, value) = (0..BUFFERS, 0..SLICES, any::<u32>());
    let distinct = (0..BUFFERS, 1..BUFFERS).prop_map(|(from, by)| (from, (from + by) % BUFFERS));
    let of_buffer = (buffer.clone(), value);
    let of_both = (buffer, slice.clone());
    let operation = prop_oneof![
        of_buffer.clone().prop_map(|(buffer, value)| Fill { buffer, value }),
        of_buffer.prop_map(|(buffer, value)| Store { buffer, value }),
        distinct.prop_map(|(from, to)| Copy { from, to }),
        of_both.clone().prop_map(|(buffer, slice)| Upload { slice, buffer }),
        of_both.prop_map(|(buffer, slice)| Download { buffer, slice }),
        (slice, value).prop_map(|(slice, value)| Access { slice, value }),
        (0..300_u64).prop_map(|microseconds| Spin { microseconds }),
        (0..BUFFERS, [0..STREAMS, 0..STREAMS], any::<u32>())
            .prop_map(|(buffer, streams, value)| Through { buffer, streams, value }),
    ];
    (0..STREAMS, operation)
}

/// The contents of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Memory {
    buffers: [[u32; LEN]; BUFFERS],
    slices: [[u32; LEN]; SLICES],
}

impl Memory {
    /// Applies an operation that is alone.
    fn run(&mut self, operation: &Operation) {
        let Memory { buffers, slices } = self;
        match *operation {
            Fill { buffer, value } => buffers[buffer] = [value; LEN],
            Copy { from, to } => buffers[to] = buffers[from],
            Store { buffer, value } | Through { buffer, value, .. } => buffers[buffer][0] = value,
            Upload { slice, buffer } => buffers[buffer] = slices[slice],
            Download { buffer, slice } => slices[slice] = buffers[buffer],
            Access { slice, value } => slices[slice][LEN - 1] = value,
            Spin { .. } => {}
        }
    }
}

/// The memory that a scope lends.
struct Lent<'s> {
    buffers: [ScopedBuffer<'s, u32>; BUFFERS],
    slices: [ScopedHostSlice<'s, u32>; SLICES],
}

/// `store` and `spin`.
type Kernels<'ctx> = (Function<'ctx>, Function<'ctx>);

impl<'s> Lent<'s> {
    /// Runs an operation on memory that should hold what `before` says.
    fn run<'ctx: 's>(
        &mut self,
        on: impl Fn(usize) -> ScopedStream<'s, 'ctx>,
        stream: usize,
        (store, spin): &Kernels<'ctx>,
        operation: &Operation,
        before: &Memory,
    ) -> Result {
        let Lent { buffers, slices } = self;
        let stream = on(stream);
        let one = LaunchConfig::new(1, 1);
        match *operation {
            Fill { buffer, value } => stream.fill(&mut buffers[buffer], value),
            Copy { from, to } => {
                let [from, to] = buffers.get_disjoint_mut([from, to]).unwrap();
                stream.copy(&*from, to)
            }
            Store { buffer, value } => {
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { stream.launch_unchecked(store, one, (&mut buffers[buffer], value)) }
            }
            Upload { slice, buffer } => stream.upload_staged(&slices[slice], &mut buffers[buffer]),
            Download { buffer, slice } => {
                stream.download_staged(&buffers[buffer], &mut slices[slice])
            }
            Access { slice, value } => {
                let host = slices[slice].access()?;
                assert_eq!(host, before.slices[slice], "what `access` lends");
                host[LEN - 1] = value;
                Ok(())
            }
            Spin { microseconds } => {
                // SAFETY: the kernel is spin(u64), and uses no memory.
                unsafe { stream.launch_unchecked(spin, one, (microseconds * 1000,)) }
            }
            Through { buffer, streams, value } => {
                let mut scratch = stream.scratch(LEN)?;
                stream.copy(&buffers[buffer], &mut scratch)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { on(streams[0]).launch_unchecked(store, one, (&mut scratch, value)) }?;
                on(streams[1]).copy(&scratch, &mut buffers[buffer])
            }
        }
    }
}

/// Runs a program, a scope after the other, and gives what memory holds.
fn run<'ctx>(
    gpu: &PushedGuard<'ctx>,
    streams: &[Stream<'ctx>],
    kernels: &Kernels<'ctx>,
    program: &[Vec<Step>],
) -> Result<Memory> {
    let mut expected = Memory::default();
    let mut memory = Memory::default();
    let mut device: [DeviceBuffer<'ctx, u32>; 2] = [gpu.alloc(2 * LEN)?, gpu.alloc(2 * LEN)?];
    for buffer in &mut device {
        gpu.on(&streams[0]).zero(buffer)?;
    }
    for steps in program {
        let ([a, b], [first, second]) = (&mut device, &mut memory.slices);
        gpu.scope(|s| {
            let (a, b) = (s.hold(a).split_at(LEN)?, s.hold(b).split_at(LEN)?);
            let slices = [s.stage(first), s.stage(second)];
            let mut lent = Lent { buffers: [a.0, a.1, b.0, b.1], slices };
            for (stream, operation) in steps {
                lent.run(|place| s.on(&streams[place]), *stream, kernels, operation, &expected)?;
                expected.run(operation);
            }
            Ok(())
        })?;
        assert_eq!(memory.slices, expected.slices, "after a scope");
    }
    for (buffer, halves) in device.iter().zip(memory.buffers.chunks_mut(2)) {
        gpu.on(&streams[0]).download(buffer, halves.as_flattened_mut())?;
    }
    assert_eq!(memory, expected);
    Ok(memory)
}

#[test]
fn streams_do_what_one_stream_does() {
    let config = config(CASES, 12);
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let streams = [(); STREAMS].map(|()| gpu.stream().unwrap());
    let kernel = |text: &str, name| kernel(&gpu, text, name);
    let kernels = (kernel(STORE, "store"), kernel(SPIN, "spin"));
    let programs = prop::collection::vec(prop::collection::vec(step(), 1..30), 1..4);
    let result = TestRunner::new(config).run(&programs, |program| {
        run(&gpu, &streams, &kernels, &program).unwrap();
        Ok(())
    });
    result.unwrap();
}
