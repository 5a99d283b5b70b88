//! Conditional nodes.

use super::{ONE, refused};
use crate::common::gpu::{filled, read, try_with_gpu, with_gpu};
use crate::common::random::scheduled;
use crate::common::{fewer, panics};
use crate::{common, fresh, needs_unwinding, skip};
use cuscope::graph::{NodeId, NodeKind};
use cuscope::kernel::ConditionHandle;
use cuscope::{
    DeviceBuffer, Error, GraphBuilder, Kernel, Module, PushedGuard, Result, ScopedBuffer,
};
use cuscope_softdriver::control::{record, take_races};
use cuscope_softdriver::schedule;

/// `down` counts a word down, and sets a condition to it; `add` adds 1 to a word.
const KERNELS: &str = "
.version 7.8
.target sm_52
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry down(.param .u64 at, .param .u64 handle) {
    .reg .u64 %d; .reg .u64 %h; .reg .u32 %r;
    ld.param.u64 %d, [at]; ld.param.u64 %h, [handle]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; sub.u32 %r, %r, 1; st.global.u32 [%d], %r;
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

struct Kernels<'ctx> {
    down: Kernel<(&'static mut [u32], ConditionHandle)>,
    add: Kernel<(&'static mut [u32],)>,
    _module: Module<'ctx>,
}

fn kernels<'ctx>(gpu: &PushedGuard<'ctx>) -> Kernels<'ctx> {
    let module = gpu.load_ptx(KERNELS).unwrap();
    let (down, add) = (module.kernel("down").unwrap(), module.kernel("add").unwrap());
    Kernels { down, add, _module: module }
}

/// Leaves the test if the driver is older than conditional nodes.
macro_rules! needs_conditionals {
    () => {
        if let Err(needs) = cuscope::ffi::cuGraphConditionalHandleCreate() {
            skip!("{needs}");
        }
    };
}

type Words<'s> = ScopedBuffer<'s, u32>;

impl<'ctx> Kernels<'ctx> {
    fn add<'s>(
        &self,
        g: &'s GraphBuilder<'s, '_, 'ctx>,
        after: &[NodeId],
        words: &mut Words<'s>,
    ) -> Result<NodeId> {
        // SAFETY: the kernel adds to one element.
        Ok(unsafe { g.kernel_unchecked(after, &self.add, ONE(), (words,)) }?.id())
    }
}

macro_rules! down {
    ($g:ident, $kernels:ident, $words:expr, $condition:expr) => {
        // SAFETY: the kernel counts one element down.
        unsafe { $g.kernel_unchecked(&[], &$kernels.down, ONE(), ($words, $condition)) }
    };
}

fn replayed<'ctx>(
    gpu: &PushedGuard<'ctx>,
    graph: &cuscope::Graph<'ctx>,
    (x, y): (&mut DeviceBuffer<'ctx, u32>, &mut DeviceBuffer<'ctx, u32>),
) -> [u32; 2] {
    let stream = gpu.stream().unwrap();
    gpu.on(&stream).replay(graph, (&mut *x, &mut *y)).unwrap();
    [read(gpu, x)[0], read(gpu, y)[0]]
}

#[test]
fn the_condition_says_what_runs() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        // The condition at first, and what each kind of node makes of two words.
        for (first, ifs, if_elses, switches) in
            [(0, [1, 5], [1, 6], [2, 5]), (1, [2, 5], [2, 5], [1, 6]), (2, [2, 5], [2, 5], [1, 5])]
        {
            for (kind, expected) in [("if", ifs), ("if else", if_elses), ("switch", switches)] {
                let (mut x, mut y) = (filled(gpu, 1, 1), filled(gpu, 1, 5));
                let (graph, ()) = gpu
                    .build_graph(|g| {
                        let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                        g.fill(&[], &mut x, 1)?;
                        g.fill(&[], &mut y, 5)?;
                        let condition = g.condition(first)?;
                        match kind {
                            "if" => {
                                g.if_node(&[], condition, |_| kernels.add(g, &[], &mut x).map(drop))
                            }
                            "if else" => g.if_else_node(
                                &[],
                                condition,
                                |_| kernels.add(g, &[], &mut x).map(drop),
                                |_| kernels.add(g, &[], &mut y).map(drop),
                            ),
                            _ => g.switch_node(&[], condition, 2, |which, _| {
                                let one = if which == 0 { &mut x } else { &mut y };
                                kernels.add(g, &[], one).map(drop)
                            }),
                        }?;
                        Ok(())
                    })
                    .unwrap();
                for _ in 0..2 {
                    let seen = replayed(gpu, &graph, (&mut x, &mut y));
                    assert_eq!(seen, expected, "{kind} {first}");
                }
            }
        }
    });
}

#[test]
fn the_device_decides_how_often_a_loop_runs() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        let (mut x, mut y) = (filled(gpu, 1, 0), filled(gpu, 1, 0));
        let (mut graph, (start, conditional)) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let start = g.fill(&[], &mut x, 3)?;
                g.fill(&[], &mut y, 0)?;
                let more = g.condition(1)?;
                let conditional = g.while_node(&[], more, |more| {
                    down!(g, kernels, &mut x, more)?;
                    kernels.add(g, &[], &mut y).map(drop)
                })?;
                // After the loop, which uses the same memory.
                kernels.add(g, &[], &mut y)?;
                Ok((start, conditional))
            })
            .unwrap();
        assert_eq!(conditional.id().kind(), NodeKind::Conditional);
        assert_eq!(graph.nodes(), Ok(6));
        for count in [3, 1, 100] {
            graph.set_fill(start, count).unwrap();
            assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [0, count + 1]);
        }
        // A kernel before the node decides whether it runs at all.
        for (start, expected) in [(1, [0, 0]), (4, [0, 3])] {
            let (mut x, mut y) = (filled(gpu, 1, start), filled(gpu, 1, 0));
            let (graph, ()) = gpu
                .build_graph(|g| {
                    let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                    let mut more = g.condition(7)?;
                    down!(g, kernels, &mut x, &mut more)?;
                    g.while_node(&[], more, |more| {
                        kernels.add(g, &[], &mut y)?;
                        down!(g, kernels, &mut x, more).map(drop)
                    })?;
                    Ok(())
                })
                .unwrap();
            assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), expected);
        }
    });
}

#[test]
fn nodes_in_the_graph_of_a_node_change_as_others() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        let (mut x, mut y) = (filled(gpu, 1, 0), filled(gpu, 1, 0));
        let (mut graph, (fill, add, conditional)) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let yes = g.condition(1)?;
                let mut inside = None;
                let conditional = g.if_node(&[], yes, |_| {
                    let fill = g.fill(&[], &mut x, 7)?;
                    inside = Some((fill, kernels.add(g, &[], &mut x)?));
                    g.copy(&[], &x, &mut y).map(drop)
                })?;
                let (fill, add) = inside.expect("the closure ran");
                Ok((fill, add, conditional))
            })
            .unwrap();
        assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [8, 8]);
        graph.set_fill(fill, 20_u32).unwrap();
        assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [21, 21]);
        graph.set_enabled(add, false).unwrap();
        assert_eq!(graph.is_enabled(add), Ok(false));
        assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [20, 20]);
        let error = graph.set_enabled(conditional, false).unwrap_err();
        assert_eq!(error.code(), Some(cuscope::ffi::CUDA_ERROR_INVALID_VALUE));
        // A copy would need the same condition.
        refused(graph.try_clone(gpu).map(drop), "cuGraphClone");
        let stream = gpu.stream().unwrap();
        refused(gpu.time_nodes(&stream, &mut graph, (&mut x, &mut y)).map(drop), "cuGraphClone");
    });
}

#[test]
fn a_graph_with_conditions_is_built_again() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        let (mut x, mut y) = (filled(gpu, 1, 0), filled(gpu, 1, 0));
        macro_rules! build {
            ($first:expr, $graphs:expr) => {
                |g| {
                    let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                    g.fill(&[], &mut x, 0)?;
                    g.fill(&[], &mut y, 0)?;
                    let condition = g.condition($first)?;
                    g.switch_node(&[], condition, $graphs, |which, _| {
                        let one = if which == 0 { &mut x } else { &mut y };
                        kernels.add(g, &[], one).map(drop)
                    })
                    .map(drop)
                }
            };
        }
        let (mut graph, ()) = gpu.build_graph(build!(0, 2)).unwrap();
        assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [1, 0]);
        for (first, graphs, in_place, expected) in
            [(1, 2, true, [0, 1]), (1, 1, false, [0, 0]), (1, 3, false, [0, 1])]
        {
            let (updated, ()) = gpu.rebuild_graph(&mut graph, build!(first, graphs)).unwrap();
            assert_eq!(updated, in_place);
            assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), expected);
        }
    });
}

#[test]
fn nodes_that_conditional_graphs_cannot_have_are_refused() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let (unread, in_body) = ("cuGraphConditionalHandleCreate", "cuGraphInstantiateWithFlags");
        refused(gpu.build_graph(|g| g.condition(0).map(drop)).map(drop), unread);
        let event = gpu.event().unwrap();
        refused(
            gpu.build_graph(|g| {
                let yes = g.condition(1)?;
                // The error of the closure is not lost.
                let _ = g.if_node(&[], yes, |_| g.host_function(&[], || {}).map(drop));
                Ok(())
            })
            .map(drop),
            in_body,
        );
        refused(
            gpu.build_graph(|g| {
                let yes = g.condition(1)?;
                g.while_node(&[], yes, |_| g.record(&[], &event).map(drop))
            })
            .map(drop),
            in_body,
        );
        refused(
            gpu.build_graph(|g| {
                let yes = g.condition(1)?;
                g.if_node(&[], yes, |_| g.alloc::<u32>(&[], 4).map(drop))
            })
            .map(drop),
            in_body,
        );
        let none = gpu.build_graph(|g| {
            let which = g.condition(1)?;
            g.switch_node(&[], which, 0, |_, _| Ok(()))
        });
        assert_eq!(none.unwrap_err().code(), Some(cuscope::ffi::CUDA_ERROR_INVALID_VALUE));
        for graphs in [65_537, 1 << 28, u32::MAX] {
            let many = gpu.build_graph(|g| {
                let which = g.condition(1)?;
                g.switch_node(&[], which, graphs, |_, _| panic!("there are too many graphs"))
            });
            let text = many.unwrap_err().to_string();
            assert!(text.contains("cuGraphAddNode_v2") && text.contains("65,536"), "{text}");
        }
        // As many as there may be.
        const MOST: u32 = fewer(65_536, 64) as u32;
        let mut filled = 0;
        let most = gpu.build_graph(|g| {
            let which = g.condition(1)?;
            g.switch_node(&[], which, MOST, |_, _| {
                filled += 1;
                Ok(())
            })
        });
        assert_eq!((most.map(drop), filled), (Ok(()), MOST));
        // The closure's own error.
        let own = Error::InvalidArgument { call: "mine", reason: "a test".into() };
        let failed = gpu.build_graph(|g| {
            let yes = g.condition(1)?;
            let _ = g.if_node(&[], yes, |_| Err(own.clone()));
            Ok(())
        });
        assert_eq!(failed.map(drop), Err(own));
    });
}

/// Each graph counts its conditions anew, so another one would take the number for its own.
#[test]
fn a_changed_kernel_takes_no_condition() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        let (mut x, mut y) = (filled(gpu, 1, 3), filled(gpu, 1, 0));
        let (mut other, node) = gpu
            .build_graph(|g| {
                let (mut x, more) = (g.hold(&mut x), g.condition(1)?);
                let mut inside = None;
                g.while_node(&[], more, |more| {
                    inside = Some(down!(g, kernels, &mut x, more)?);
                    Ok(())
                })?;
                Ok(inside.expect("the closure ran"))
            })
            .unwrap();
        let _graph = gpu
            .build_graph(|g| {
                let (mut more, args) = (g.condition(1)?, &mut x);
                // SAFETY: the kernel counts one element down; this is refused.
                let set = unsafe {
                    gpu.set_kernel_unchecked(
                        &mut other,
                        node,
                        &kernels.down,
                        ONE(),
                        (args, &mut more),
                    )
                };
                refused(set, "cuGraphExecKernelNodeSetParams_v2");
                g.if_node(&[], more, |_| g.fill(&[], &mut g.hold(&mut y), 1).map(drop)).map(drop)
            })
            .unwrap();
        gpu.on(&gpu.stream().unwrap()).replay(&other, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [0]);
    });
}

#[test]
fn behind_a_node_that_could_not_be_added_no_condition_is_made() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let (_other, node) = gpu.build_graph(|g| g.empty(&[])).unwrap();
        let built = gpu.build_graph(|g| {
            let first = g.empty(&[node.id()]).unwrap_err();
            let (second, calls) = record(|| g.condition(1).map(drop));
            assert_eq!((second, calls), (Err(first), vec![]));
            Ok(())
        });
        refused(built.map(drop), "cuGraphAddEmptyNode");
    });
}

#[test]
fn a_closure_that_panics_leaves_the_graph_of_its_node() {
    needs_unwinding!("the panic leaves the graph");
    needs_conditionals!();
    with_gpu(|gpu| {
        let (mut x, mut y) = (filled(gpu, 1, 1), filled(gpu, 1, 0));
        let (graph, ()) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let yes = g.condition(1)?;
                assert!(panics(|| {
                    g.if_node(&[], yes, |_| {
                        g.fill(&[], &mut x, 5)?;
                        std::panic::resume_unwind(Box::new("meant"))
                    })
                }));
                // Outside again: these nodes may not be inside.
                g.host_function(&[], || {})?;
                g.copy(&[], &x, &mut y).map(drop)
            })
            .unwrap();
        assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [5, 5]);
    });
}

#[test]
fn nodes_may_be_behind_others_in_and_around_the_node() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        let (mut x, mut y) = (filled(gpu, 1, 0), filled(gpu, 1, 0));
        let (graph, edges) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let first = g.empty(&[])?.id();
                let yes = g.condition(1)?;
                let mut inside = None;
                g.if_node(&[], yes, |_| {
                    // Twice after the one outside: one edge, to the node around.
                    let one = kernels.add(g, &[first], &mut x)?;
                    let no = g.condition(0)?;
                    g.if_else_node(
                        &[one],
                        no,
                        |_| kernels.add(g, &[first, one], &mut x).map(drop),
                        |_| {
                            inside = Some(kernels.add(g, &[one], &mut y)?);
                            Ok(())
                        },
                    )
                    .map(drop)
                })?;
                let inside = inside.expect("the closure ran");
                kernels.add(g, &[inside, first], &mut y)
            })
            .unwrap();
        assert_eq!(edges.kind(), NodeKind::Kernel);
        // From the first to the node, from both to the last.
        assert_eq!(graph.edges(), Ok(3));
        assert_eq!(replayed(gpu, &graph, (&mut x, &mut y)), [1, 2]);
    });
}

/// A generator of random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

/// A step of a random graph, on four words.
enum Step {
    Fill(usize, u32),
    Copy(usize, usize),
    Add(usize),
    If(u32, Vec<Step>, Vec<Step>),
    Switch(u32, Vec<Vec<Step>>),
    /// So many passes.
    While(u32, Vec<Step>),
}

fn steps(random: &mut Random, depth: usize) -> Vec<Step> {
    let count = 1 + random.below(4);
    (0..count)
        .map(|_| match random.below(if depth < 2 { 9 } else { 6 }) {
            0 | 1 => Step::Fill(random.below(4), random.below(50) as u32),
            2 | 3 => Step::Copy(random.below(4), random.below(4)),
            4 | 5 => Step::Add(random.below(4)),
            6 => {
                Step::If(random.below(3) as u32, steps(random, depth + 1), steps(random, depth + 1))
            }
            7 => {
                let graphs = (0..1 + random.below(3)).map(|_| steps(random, depth + 1)).collect();
                Step::Switch(random.below(4) as u32, graphs)
            }
            _ => Step::While(1 + random.below(3) as u32, steps(random, depth + 1)),
        })
        .collect()
}

/// Applies the steps to the words, one after the other.
fn expect(all: &[Step], words: &mut [u32; 4]) {
    for step in all {
        match step {
            Step::Fill(to, value) => words[*to] = *value,
            Step::Copy(from, to) => words[*to] = words[*from],
            Step::Add(to) => words[*to] += 1,
            Step::If(first, then, otherwise) => {
                expect(if *first != 0 { then } else { otherwise }, words)
            }
            Step::Switch(first, graphs) => {
                if let Some(graph) = graphs.get(*first as usize) {
                    expect(graph, words);
                }
            }
            Step::While(passes, body) => (0..*passes).for_each(|_| expect(body, words)),
        }
    }
}

fn build<'s, 'ctx>(
    g: &'s GraphBuilder<'s, '_, 'ctx>,
    kernels: &Kernels<'ctx>,
    words: &mut [Words<'s>; 4],
    all: &[Step],
) -> Result {
    for step in all {
        match step {
            Step::Fill(to, value) => g.fill(&[], &mut words[*to], *value).map(drop)?,
            Step::Copy(from, to) => {
                if let Ok([from, to]) = words.get_disjoint_mut([*from, *to]) {
                    g.copy(&[], &*from, to)?;
                }
            }
            Step::Add(to) => kernels.add(g, &[], &mut words[*to]).map(drop)?,
            Step::If(first, then, otherwise) => {
                let condition = g.condition(*first)?;
                let words = std::cell::RefCell::new(&mut *words);
                g.if_else_node(
                    &[],
                    condition,
                    |_| build(g, kernels, &mut words.borrow_mut(), then),
                    |_| build(g, kernels, &mut words.borrow_mut(), otherwise),
                )?;
            }
            Step::Switch(first, graphs) => {
                let condition = g.condition(*first)?;
                g.switch_node(&[], condition, graphs.len() as u32, |which, _| {
                    build(g, kernels, words, &graphs[which as usize])
                })?;
            }
            Step::While(passes, body) => {
                let mut left = g.scratch::<u32>(1)?;
                // In a loop around it, the condition is 0 at the second pass: it has to be set.
                g.fill(&[], &mut left, *passes + 1)?;
                let mut more = g.condition(0)?;
                down!(g, kernels, &mut left, &mut more)?;
                g.while_node(&[], more, |more| {
                    build(g, kernels, words, body)?;
                    down!(g, kernels, &mut left, more).map(drop)
                })?;
            }
        }
    }
    Ok(())
}

fn random_graphs_do_what_their_steps_say(graphs: u64) {
    try_with_gpu(|gpu| {
        let (kernels, stream) = (kernels(gpu), gpu.stream()?);
        for seed in 0..graphs {
            let all = steps(&mut Random(seed * 0x9e37_79b9 + 1), 0);
            let mut expected = [1, 2, 3, 4];
            let mut words = [1, 2, 3, 4].map(|value| filled(gpu, 1, value));
            let [a, b, c, d] = &mut words;
            let (graph, ()) = gpu.build_graph(|g| {
                let mut held = [g.hold(a), g.hold(b), g.hold(c), g.hold(d)];
                // Every word is named, used or not.
                held.iter_mut()
                    .zip(expected)
                    .try_for_each(|(one, value)| g.fill(&[], one, value).map(drop))?;
                build(g, &kernels, &mut held, &all)
            })?;
            expect(&all, &mut expected);
            for _ in 0..2 {
                let [a, b, c, d] = &mut words;
                scheduled(seed);
                gpu.on(&stream).replay(&graph, (a, b, c, d))?;
                schedule::stop();
                if common::software() {
                    assert_eq!(take_races(), [], "{seed}");
                }
                let seen: Vec<_> = words.iter().map(|word| read(gpu, word)[0]).collect();
                assert_eq!(seen, expected, "{seed}");
            }
        }
        Ok(())
    });
}

#[test]
fn random_graphs_with_conditions_do_what_their_steps_say_one_after_the_other() {
    needs_conditionals!();
    fresh!(random_graphs_with_conditions_do_what_their_steps_say_one_after_the_other, {
        random_graphs_do_what_their_steps_say(fewer(200, 1) as u64);
    });
}

#[test]
fn a_conditional_node_comes_behind_what_sets_its_condition() {
    needs_conditionals!();
    with_gpu(|gpu| {
        let kernels = kernels(gpu);
        let (mut x, mut y) = (filled(gpu, 1, 3), filled(gpu, 1, 5));
        let (graph, _) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let mut condition = g.condition(1)?;
                down!(g, kernels, &mut x, &mut condition)?;
                g.if_node(&[], condition, |_| kernels.add(g, &[], &mut y).map(drop))
            })
            .unwrap();
        assert_eq!(graph.edges(), Ok(1));
    });
}
