//! What graphs cost in time, with cuscope and by hand: replays, changes of nodes, and a loop that the device ends beside
//! one that the host does. Writes a table in Markdown. To be built with `--release` for a real driver.
#![allow(unsafe_code, reason = "calls the driver by hand, and launches kernels")]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the calls by hand are those of a C program, one behind the other"
)]

use cuscope::ffi::*;
use cuscope::kernel::ConditionHandle;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, PushedGuard, Result, call,
};
use std::ffi::c_void;
use std::hint::black_box;
use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::time::Instant;

/// `add` adds 1 to a word. `down` counts a word down unless it is 0, and sets a condition to it.
const KERNELS: &str = "
.version 7.8
.target sm_52
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry down(.param .u64 at, .param .u64 handle) {
    .reg .u64 %d; .reg .u64 %h; .reg .u32 %r; .reg .pred %p;
    ld.param.u64 %d, [at]; ld.param.u64 %h, [handle]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; setp.ne.u32 %p, %r, 0; @%p sub.u32 %r, %r, 1; st.global.u32 [%d], %r;
    { .param .b64 a; .param .b32 b; st.param.b64 [a], %h; st.param.b32 [b], %r;
      call.uni cudaGraphSetConditional, (a, b); }
    ret;
}
.visible .entry add(.param .u64 at) {
    .reg .u64 %d; .reg .u32 %r;
    ld.param.u64 %d, [at]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret;
}
";
/// `again` counts a word down, and launches its own graph behind itself until it is 0. A driver that cannot is not asked.
const AGAIN: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 answer) cudaGraphLaunch (.param .b64 graph, .param .b64 stream);
.visible .entry again(.param .u64 at) {
    .reg .u64 %d; .reg .u64 %g; .reg .u32 %r; .reg .u32 %q; .reg .pred %p;
    ld.param.u64 %d, [at]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; sub.u32 %r, %r, 1; st.global.u32 [%d], %r;
    setp.eq.u32 %p, %r, 0;
    @%p bra done;
    mov.u64 %g, %current_graph_exec;
    { .param .b64 a; .param .b64 b; .param .b32 c;
      st.param.b64 [a], %g; st.param.b64 [b], 0x0100000000000000;
      call.uni (c), cudaGraphLaunch, (a, b); ld.param.b32 %q, [c]; }
done:
    ret;
}
";
const KERNELS_OF_A_GRAPH: usize = 20;
const TRIPS: u32 = 1_000;
const ROUNDS: usize = 41;

/// One way to do an operation, and how often it is done in a round.
type Way<'a> = (&'static str, Box<dyn FnMut() -> Result + 'a>);

/// Prints the medians of all ways, and of the rounds' ratios to the first one.
fn measure(operation: &str, times: u32, ways: &mut [Way<'_>]) -> Result {
    let mut seconds = vec![Vec::new(); ways.len()];
    for round in 0..ROUNDS + 3 {
        for turn in 0..ways.len() {
            // Each way comes first as often as the others.
            let which = (turn + round) % ways.len();
            let begin = Instant::now();
            (0..times).try_for_each(|_| (ways[which].1)())?;
            if round >= 3 {
                seconds[which].push(begin.elapsed().as_secs_f64() / f64::from(times));
            }
        }
    }
    let median = |all: &mut Vec<f64>| {
        all.sort_unstable_by(f64::total_cmp);
        (all[all.len() / 4], all[all.len() / 2], all[3 * all.len() / 4])
    };
    for which in 0..ways.len() {
        let mut ratios: Vec<_> =
            seconds[which].iter().zip(&seconds[0]).map(|(a, b)| a / b).collect();
        let (low, ratio, high) = median(&mut ratios);
        let (_, time, _) = median(&mut seconds[which].clone());
        let name = ways[which].0;
        println!(
            "| {operation} | {name} | {:.2} µs | {ratio:.3} ({low:.2}–{high:.2}) |",
            1e6 * time
        );
    }
    Ok(())
}

/// Kernel parameters of one thread.
fn one_thread(func: CUfunction, args: *mut *mut c_void) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: args,
        extra: null_mut(),
        kern: null_mut(),
        ctx: null_mut(),
    }
}

fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{}, CUDA {}\n", Device::get(0)?.name()?, cuscope::driver_version()?);
    println!("| operation | by | median | ratio (quartiles) |\n| --- | --- | ---: | ---: |");
    let module = gpu.load_ptx(KERNELS)?;
    let add = module.kernel::<(&mut [u32],)>("add")?;
    let down = module.kernel::<(&mut [u32], ConditionHandle)>("down")?;
    let (raw_add, raw_down) = (module.function("add")?.raw(), module.function("down")?.raw());
    let (stream, one) = (gpu.stream()?, LaunchConfig::new(1, 1));
    let (s, mut x) = (stream.raw(), gpu.on(&stream).zeroed::<u32>(1)?);
    let mut at = x.address();

    // The same graphs by hand. Nothing of them is freed: the process ends.
    let mut args = [(&raw mut at).cast::<c_void>()];
    let params = one_thread(raw_add, args.as_mut_ptr());
    let mut fill = CUDA_MEMSET_NODE_PARAMS {
        dst: at,
        pitch: 0,
        value: 0,
        elementSize: 4,
        width: 1,
        height: 1,
    };
    // SAFETY: all pointers are to variables that live as long as the calls, all handles are of these calls, and the
    // kernels use one word, which lives as long as they run.
    let (chain, node, filled) = unsafe {
        let (mut graph, mut exec) = (null_mut(), null_mut());
        call!(cuGraphCreate(&raw mut graph, 0))?;
        let mut nodes = [null_mut(); KERNELS_OF_A_GRAPH + 1];
        let raw = context.raw();
        call!(cuGraphAddMemsetNode(&raw mut nodes[0], graph, null(), 0, &raw const fill, raw))?;
        for i in 1..nodes.len() {
            let before = nodes[i - 1];
            let to = &raw mut nodes[i];
            call!(cuGraphAddKernelNode_v2(to, graph, &raw const before, 1, &raw const params))?;
        }
        call!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0))?;
        (exec, nodes[1], nodes[0])
    };
    let (mut graph, (set, kernel)) = gpu.build_graph(|g| {
        let mut x = g.hold(&mut x);
        let set = g.fill(&[], &mut x, 0)?;
        // SAFETY: the kernel adds to one word.
        let nodes = (0..KERNELS_OF_A_GRAPH)
            .map(|_| unsafe { g.kernel_unchecked(&[], &add, one, (&mut x,)) });
        Ok((set, nodes.collect::<Result<Vec<_>>>()?[0]))
    })?;
    let on = gpu.on(&stream);
    let by_hand = || {
        // SAFETY: the graph and the stream are alive, and so is the word.
        unsafe {
            call!(cuGraphLaunch(chain, s))?;
            call!(cuStreamSynchronize(s))
        }
    };
    measure(
        "replay of a fill and 20 kernels, and wait",
        50,
        &mut [
            ("C", Box::new(by_hand)),
            ("C, again", Box::new(by_hand)),
            ("cuscope", Box::new(|| on.replay(&graph, (&mut x,)))),
        ],
    )?;
    // SAFETY: as above; nothing runs the graph.
    let by_hand = || unsafe {
        call!(cuGraphExecKernelNodeSetParams_v2(chain, node, black_box(&raw const params)))
    };
    measure(
        "change of a kernel node",
        500,
        &mut [
            ("C", Box::new(by_hand)),
            ("C, again", Box::new(by_hand)),
            (
                "C, that looks which context is current",
                Box::new(|| {
                    let mut current = null_mut();
                    // SAFETY: writes one handle to `current`.
                    unsafe { call!(cuCtxGetCurrent(&raw mut current))? };
                    assert!(black_box(current) == context.raw());
                    by_hand()
                }),
            ),
            // SAFETY: the kernel adds to one word.
            (
                "cuscope",
                // SAFETY: the kernel adds to one word.
                Box::new(|| unsafe {
                    gpu.set_kernel_unchecked(&mut graph, kernel, &add, one, (&mut x,))
                }),
            ),
        ],
    )?;
    let raw = context.raw();
    let mut by_hand = || {
        fill.value = black_box(7);
        // SAFETY: as above.
        unsafe { call!(cuGraphExecMemsetNodeSetParams(chain, filled, &raw const fill, raw)) }
    };
    measure(
        "change of a fill node",
        500,
        &mut [
            ("C", Box::new(&mut by_hand)),
            ("cuscope", Box::new(|| graph.set_fill(set, black_box(7_u32)))),
        ],
    )?;
    // SAFETY: as above.
    let by_hand = || unsafe { call!(cuGraphNodeSetEnabled(chain, node, black_box(1))) };
    measure(
        "switching a node on",
        500,
        &mut [
            ("C", Box::new(by_hand)),
            ("C, again", Box::new(by_hand)),
            ("cuscope", Box::new(|| graph.set_enabled(kernel, true))),
        ],
    )?;

    if cuGraphConditionalHandleCreate().is_err() {
        return Ok(());
    }
    // A loop whose pass has several kernels, of which the last ones do nothing if the count ends before.
    let mut number = 0;
    let mut loop_by_hand = |kernels: usize| -> Result<CUgraphExec> {
        // SAFETY: as above.
        unsafe {
            let (mut graph, mut exec, mut node) = (null_mut(), null_mut(), null_mut());
            call!(cuGraphCreate(&raw mut graph, 0))?;
            call!(cuGraphConditionalHandleCreate()(&raw mut number, graph, raw, 1, 1))?;
            fill.value = TRIPS;
            call!(cuGraphAddMemsetNode(&raw mut node, graph, null(), 0, &raw const fill, raw))?;
            let before = node;
            let mut params: CUgraphNodeParams = zeroed();
            params.r#type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
            params.anonymous.conditional = CUDA_CONDITIONAL_NODE_PARAMS {
                handle: number,
                r#type: CU_GRAPH_COND_TYPE_WHILE,
                size: 1,
                phGraph_out: null_mut(),
                ctx: raw,
            };
            let (from, none, params) = (&raw const before, null(), &raw mut params);
            call!(cuGraphAddNode_v2()(&raw mut node, graph, from, none, 1, params))?;
            let body = *(*params).anonymous.conditional.phGraph_out;
            let mut args = [(&raw mut at).cast::<c_void>(), (&raw mut number).cast()];
            let params = one_thread(raw_down, args.as_mut_ptr());
            for kernel in 0..kernels {
                let (before, count) = (node, usize::from(kernel > 0));
                let before = &raw const before;
                call!(cuGraphAddKernelNode_v2(
                    &raw mut node,
                    body,
                    before,
                    count,
                    &raw const params
                ))?;
            }
            call!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0))?;
            Ok(exec)
        }
    };
    let [whole, by_eight] = [loop_by_hand(1)?, loop_by_hand(8)?];
    let mut looped = |kernels: usize| {
        gpu.build_graph(|g| {
            let mut x = g.hold(&mut x);
            g.fill(&[], &mut x, TRIPS)?;
            let more = g.condition(1)?;
            g.while_node(&[], more, |more| {
                for _ in 0..kernels {
                    // SAFETY: the kernel counts one word down.
                    unsafe { g.kernel_unchecked(&[], &down, one, (&mut x, &mut *more)) }?;
                }
                Ok(())
            })
            .map(drop)
        })
    };
    let [(own, ()), (own_by_eight, ())] = [looped(1)?, looped(8)?];
    let tail = tail_by_hand(&gpu, at);
    let mut word = gpu.pinned::<u32>(1)?;
    let host = word.as_mut_ptr();
    let launched = |exec: CUgraphExec| -> Result {
        // SAFETY: as above.
        unsafe {
            call!(cuGraphLaunch(exec, s))?;
            call!(cuStreamSynchronize(s))
        }
    };
    // Some kernels, a copy of the word to page-locked memory, and a wait, until the word says that it is enough.
    let by_host = |kernels: usize| -> Result {
        let mut at = at;
        let mut args = [(&raw mut at).cast::<c_void>()];
        // SAFETY: as above; the word of the host is page-locked, and read once the copy is over.
        unsafe {
            call!(cuMemsetD32Async(at, 0, 1, s))?;
            loop {
                for _ in 0..kernels {
                    let args = args.as_mut_ptr();
                    call!(cuLaunchKernel(raw_add, 1, 1, 1, 1, 1, 1, 0, s, args, null_mut()))?;
                }
                call!(cuMemcpyDtoHAsync_v2(host.cast(), at, 4, s))?;
                call!(cuStreamSynchronize(s))?;
                if host.read_volatile() >= TRIPS {
                    return Ok(());
                }
            }
        }
    };
    let x = std::cell::RefCell::new(&mut x);
    let replay = |graph| on.replay(graph, (&mut **x.borrow_mut(),));
    let mut ways: Vec<Way<'_>> = vec![
        ("C, the host decides", Box::new(|| by_host(1))),
        ("C, the device decides", Box::new(|| launched(whole))),
        ("cuscope, the device decides", Box::new(|| replay(&own))),
        ("C, the host decides after each 8 kernels", Box::new(|| by_host(8))),
        ("C, the device decides after each 8 kernels", Box::new(|| launched(by_eight))),
        ("cuscope, the device decides after each 8 kernels", Box::new(|| replay(&own_by_eight))),
    ];
    if let Ok(tail) = tail {
        let name = "C, the graph launches itself again";
        let run = move || {
            // SAFETY: as above.
            unsafe { call!(cuMemsetD32Async(at, TRIPS, 1, s)) }?;
            launched(tail)
        };
        ways.push((name, Box::new(run)));
    }
    measure("1000 times one small kernel", 1, &mut ways)?;
    drop(ways);
    replay(&own_by_eight)?;
    assert_eq!(on.to_vec(&**x.borrow())?, [0], "the last loop counted down");
    Ok(())
}

/// A graph that counts a word down, and launches itself again until it is 0.
fn tail_by_hand(gpu: &PushedGuard<'_>, mut at: CUdeviceptr) -> Result<CUgraphExec> {
    let module = gpu.load_ptx(AGAIN)?;
    let mut args = [(&raw mut at).cast::<c_void>()];
    let again = module.function("again")?;
    let params = one_thread(again.raw(), args.as_mut_ptr());
    // Nothing of it is freed: the process ends.
    std::mem::forget((module, again));
    // SAFETY: as in `main`.
    unsafe {
        let (mut graph, mut exec, mut node) = (null_mut(), null_mut(), null_mut());
        call!(cuGraphCreate(&raw mut graph, 0))?;
        call!(cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, &raw const params))?;
        let flag = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
        let flag = u64::from(flag.bits());
        call!(cuGraphInstantiateWithFlags(&raw mut exec, graph, flag))?;
        Ok(exec)
    }
}
