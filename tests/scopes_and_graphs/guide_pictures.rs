//! The pictures of `docs/guide/05-graphs.md` and `docs/guide/12-safety.md`: what is drawn there is what ran here. With `UPDATE_GUIDE` they are written.

use crate::common::gpu::{new_context, with_gpu};
use crate::common::{assert_success, one_at_a_time, respawn_with, software};
use crate::skip;
use cuscope::graph::{DotFlags, Enqueue};
use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextStack, DeviceBuffer, In, LaunchConfig, Out, PushedGuard, Result, Stream,
};
use cuscope_softdriver::{control, schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const SAFETY: &str = "12-safety.md";

/// Compares a picture with a page, between the comments with its name.
fn compare(page: &str, name: &str, picture: &str) {
    let _one = one_at_a_time(); // which may write the page
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide").join(page);
    let text = fs::read_to_string(&page).unwrap();
    let begin = format!("<!-- the test `{name}` draws this -->\n");
    let end = "<!-- its end -->\n";
    let (before, rest) = text.split_once(&begin).expect("the page has a place for the picture");
    let (there, behind) = rest.split_once(end).expect("the picture has an end");
    if env::var_os("UPDATE_GUIDE").is_some() {
        fs::write(&page, [before, &begin, picture, end, behind].concat()).unwrap();
        return;
    }
    assert!(there == picture, "write it with UPDATE_GUIDE=1; it is now\n{picture}");
}

/// Lines of code, each with the stack after it.
#[derive(Default)]
struct Stack {
    contexts: Vec<(Context, &'static str)>,
    lines: Vec<(&'static str, Vec<&'static str>)>,
}

impl Stack {
    /// Looks at the driver's stack after a line.
    fn look(&mut self, code: &'static str) {
        let name = |entry: control::Entry| {
            let mut names = self.contexts.iter();
            let found = names.find(|(context, _)| context.raw().addr() == entry.context);
            found.expect("a context of the picture").1
        };
        let entries = control::stack().into_iter().map(name).collect();
        self.lines.push((code, entries));
    }

    /// A bar for each entry, from the line that pushes it to the line that pops it.
    fn drawn(&self) -> String {
        let width = self.lines.iter().map(|(code, _)| code.chars().count()).max().unwrap() + 4;
        let (mut text, mut before) = ("```text\n".to_owned(), 0);
        for (code, entries) in &self.lines {
            let mut bars: Vec<String> = vec!["│   ".to_owned(); entries.len().min(before)];
            bars.extend(entries.iter().skip(before).map(|name| format!("┌ {name} ")));
            bars.extend(vec!["└   ".to_owned(); before.saturating_sub(entries.len())]);
            let code = format!("{code};");
            writeln!(text, "{}", format!("{code:width$}{}", bars.concat()).trim_end()).unwrap();
            before = entries.len();
        }
        text + "```\n"
    }
}

/// Runs a statement, and looks at the stack after it.
macro_rules! line {
    ($stack:ident, let $($code:tt)*) => {
        let $($code)*;
        $stack.look(stringify!(let $($code)*));
    };
    ($stack:ident, $($code:tt)*) => {
        $($code)*;
        $stack.look(stringify!($($code)*));
    };
}

#[test]
fn the_stack_is_drawn() {
    if !software() {
        skip!("only the software driver shows its stack");
    }
    compare(SAFETY, "the_stack_is_drawn", &pushes_and_pops().unwrap().drawn());
}

fn pushes_and_pops() -> Result<Stack> {
    let (a, b) = (new_context(), new_context());
    let contexts = vec![(a.clone(), "a"), (b.clone(), "b")];
    let mut seen = Stack { contexts, ..Stack::default() };
    line!(seen, let mut stack = ContextStack::current_thread()?);
    line!(seen, let mut outer = stack.push(&a)?);
    line!(seen, let x = outer.alloc::<u32>(4)?);
    line!(seen, let inner = outer.push(&b)?);
    line!(seen, inner.pop()?);
    line!(seen, let leaked = outer.push(&b)?);
    line!(seen, std::mem::forget(leaked));
    line!(seen, outer.synchronize()?);
    line!(seen, drop(x));
    line!(seen, outer.pop()?);
    line!(seen, drop(stack));
    Ok(seen)
}

struct Work<'ctx> {
    copies: Stream<'ctx>,
    kernels: Stream<'ctx>,
    saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    x: [DeviceBuffer<'ctx, f32>; 2],
    y: DeviceBuffer<'ctx, f32>,
}

// begin: blocking
fn blocking<'ctx>(gpu: &PushedGuard<'ctx>, work: &mut Work<'ctx>, input: &[f32]) -> Result {
    let Work { copies, kernels, saxpy, x: [x1, x2], y } = work;
    let config = LaunchConfig::for_num_elems(4)?;
    gpu.on(copies).upload(input, x1)?;
    gpu.on(kernels).launch(saxpy, config, (4, 1.0, &*x1, &mut *y))?;
    gpu.on(copies).upload(input, x2)?;
    gpu.on(kernels).launch(saxpy, config, (4, 1.0, &*x2, &mut *y))
}
// end

// begin: overlapping
fn overlapping<'ctx>(gpu: &PushedGuard<'ctx>, work: &mut Work<'ctx>, input: &[f32]) -> Result {
    let Work { copies, kernels, saxpy, x: [x1, x2], y } = work;
    let config = LaunchConfig::for_num_elems(4)?;
    gpu.scope(|s| {
        let (copy, run) = (s.on(copies), s.on(kernels));
        let (mut x1, mut x2, mut y) = (s.hold(x1), s.hold(x2), s.hold(y));
        copy.upload(input, &mut x1)?;
        run.launch(saxpy, config, (4, 1.0, &x1, &mut y))?;
        copy.upload(input, &mut x2)?;
        run.launch(saxpy, config, (4, 1.0, &x2, &mut y))
    })
}
// end

// begin: sharing
fn sharing<'ctx>(gpu: &PushedGuard<'ctx>, work: &mut Work<'ctx>, input: &[f32]) -> Result {
    let Work { copies, kernels, saxpy, x: [x, _], y } = work;
    let config = LaunchConfig::for_num_elems(4)?;
    gpu.scope(|s| {
        let (copy, run) = (s.on(copies), s.on(kernels));
        let (mut x, mut y) = (s.hold(x), s.hold(y));
        for _ in 0..2 {
            copy.upload(input, &mut x)?; // waits, on the GPU, for the kernel that reads `x`
            run.launch(saxpy, config, (4, 1.0, &x, &mut y))?;
        }
        Ok(())
    })
}
// end

type Program = for<'a, 'ctx> fn(&'a PushedGuard<'ctx>, &'a mut Work<'ctx>, &'a [f32]) -> Result;

/// How many orders each program runs in.
const ORDERS: u64 = 200;
/// Ends the trace of a run: a call that the programs do not make.
const END: &str = "cuDriverGetVersion";

/// Runs a program in many orders, in a process with a trace.
fn run_in_orders(program: Program) {
    with_gpu(|gpu| {
        let module = gpu.load_guarded(include_str!("../../examples/kernels/saxpy.ptx")).unwrap();
        let mut work = Work {
            copies: gpu.stream().unwrap(),
            kernels: gpu.stream().unwrap(),
            saxpy: module.kernel("saxpy").unwrap(),
            x: [gpu.alloc(4).unwrap(), gpu.alloc(4).unwrap()],
            y: gpu.alloc(4).unwrap(),
        };
        println!("\ncopies={}", work.copies.id().unwrap());
        println!("kernels={}", work.kernels.id().unwrap());
        cuscope::driver_version().unwrap();
        for seed in 0..ORDERS {
            schedule::seed(seed);
            program(gpu, &mut work, &[1.0; 4]).unwrap();
            cuscope::driver_version().unwrap();
        }
        schedule::stop();
        assert_eq!(control::take_races(), []);
    });
}

/// A piece of work: the number of its stream, and its number among the pieces of its kind in the stream.
type Piece = (u64, String, usize);

/// The pieces of each run in the order in which they began.
fn runs(trace: &str) -> Vec<Vec<Piece>> {
    let field = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("\"{name}\":"))?;
        let end = rest.find([',', '}'])?;
        Some(rest[..end].trim_matches('"').to_owned())
    };
    let (mut runs, mut run) = (Vec::new(), Vec::<Piece>::new());
    for line in trace.lines().filter(|line| line.contains(r#""ph":"X""#)) {
        let name = field(line, "name").unwrap();
        if name == END {
            runs.push(std::mem::take(&mut run));
        }
        let kind = match name.as_str() {
            "cuMemcpyHtoDAsync_v2" => "upload",
            "saxpy" => "saxpy",
            _ => continue,
        };
        if field(line, "pid").unwrap() == "2" {
            let stream = field(line, "tid").unwrap().parse().unwrap();
            let number = run.iter().filter(|(_, its, _)| its == kind).count() + 1;
            run.push((stream, kind.to_owned(), number));
        }
    }
    runs.split_off(1) // after what was before the first
}

/// A row for each stream. A piece is in the first column after all pieces that came before it in every run.
fn timeline(streams: &BTreeMap<u64, String>, runs: &[Vec<Piece>]) -> String {
    let pieces: BTreeSet<&Piece> = runs[0].iter().collect();
    let place = |run: &[Piece], piece: &Piece| run.iter().position(|its| its == piece).unwrap();
    let behind = |later: &Piece, earlier: &Piece| {
        runs.iter().all(|run| place(run, earlier) < place(run, later))
    };
    // In the order of one run, those that always come before have their columns already.
    let mut columns: BTreeMap<&Piece, usize> = BTreeMap::new();
    for piece in &runs[0] {
        let before = columns.iter().filter(|(earlier, _)| behind(piece, earlier));
        let column = before.map(|(_, column)| column + 1).max().unwrap_or(0);
        columns.insert(piece, column);
    }
    let mut text = "```text\n".to_owned();
    for (stream, name) in streams {
        let mut row = format!("{name:9}");
        for column in 0..=*columns.values().max().unwrap() {
            let here = pieces.iter().find(|&&p| p.0 == *stream && columns[p] == column);
            let piece = here.map(|(_, kind, number)| format!("├ {kind} {number} "));
            row += &format!("{:12}", piece.as_deref().unwrap_or_default());
        }
        writeln!(text, "{}", row.trim_end()).unwrap();
    }
    text + "```\n"
}

/// The code of a program, as it is above.
fn code(name: &str) -> String {
    let source = include_str!("guide_pictures.rs");
    let (_, rest) = source.split_once(&format!("// begin: {name}\n")).unwrap();
    let hidden = "use cuscope::kernel::GuardedKernel;\n\
                  use cuscope::{DeviceBuffer, In, LaunchConfig, Out, PushedGuard, Result, Stream};\n\
                  struct Work<'ctx> {\n\
                  copies: Stream<'ctx>,\n\
                  kernels: Stream<'ctx>,\n\
                  saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,\n\
                  x: [DeviceBuffer<'ctx, f32>; 2],\n\
                  y: DeviceBuffer<'ctx, f32>,\n\
                  }\n";
    let hidden: String = hidden.lines().map(|line| format!("# {line}\n")).collect();
    format!("```rust\n{hidden}{}```\n", rest.split_once("// end\n").unwrap().0)
}

/// Runs a program in a process of its own, and compares its picture with the page.
fn picture(name: &str, program: Program) {
    if !software() {
        skip!("only the software driver chooses orders");
    }
    let test = format!("{name}_is_drawn");
    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.json"));
    let variables = [("CUSCOPE_SOFT_TRACE", trace.to_str().unwrap())];
    let Some(output) = respawn_with(module_path!(), &test, &variables) else {
        return run_in_orders(program);
    };
    assert_success(&test, &output);
    let said = String::from_utf8(output.stdout).unwrap();
    let streams = said.lines().filter_map(|line| {
        let (name, number) = line.split_once('=')?;
        Some((number.parse().ok()?, name.to_owned()))
    });
    let (streams, runs) = (streams.collect(), runs(&fs::read_to_string(&trace).unwrap()));
    assert_eq!(runs.len() as u64, ORDERS);
    compare(SAFETY, &test, &[code(name), timeline(&streams, &runs)].join("\n"));
}

#[test]
fn blocking_is_drawn() {
    picture("blocking", blocking);
}

#[test]
fn overlapping_is_drawn() {
    picture("overlapping", overlapping);
}

#[test]
fn sharing_is_drawn() {
    picture("sharing", sharing);
}

/// A graph in the language of Graphviz as lines: a step for the nodes whose longest way from the first node is the
/// same, and each with the nodes that it runs after.
fn steps(dot: &str) -> String {
    let mut names = BTreeMap::new();
    let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for part in dot.split("\"graph_1_node_").skip(1) {
        let (number, rest) = part.split_once('"').unwrap();
        if let Some(label) = rest.strip_prefix("[label=\"") {
            names.insert(number, label.lines().nth(1).unwrap());
        }
    }
    for line in dot.lines().filter(|line| line.contains("->")) {
        let ends: Vec<_> =
            line.split('"').filter_map(|end| end.strip_prefix("graph_1_node_")).collect();
        before.entry(ends[1]).or_default().push(ends[0]);
    }
    let mut step_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: Vec<String> = Vec::new();
    for (&number, name) in &names {
        // Nodes come after those that they run after.
        let behind = before.get(number).map_or(&[][..], |behind| behind);
        let step = behind.iter().map(|one| step_of[one] + 1).max().unwrap_or(0);
        step_of.insert(number, step);
        let arrow = if behind.is_empty() { "" } else { " ← " };
        let node = format!("{number} {name}{arrow}{}", behind.join(", "));
        match all.get_mut(step) {
            Some(nodes) => *nodes += &format!("    {node}"),
            None => all.push(node),
        }
    }
    let lines =
        all.iter().enumerate().map(|(step, nodes)| format!("step {}    {nodes}\n", step + 1));
    format!("```text\n{}```\n", lines.collect::<String>())
}

/// The graph of the page.
fn forked(gpu: &PushedGuard<'_>) -> Result<String> {
    let (mut main, mut side) = (gpu.stream()?, gpu.stream()?);
    let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
    let (mut u, mut v) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
    // begin: forked
    let mut graph = gpu.capture(&mut main, |c| {
        let (mut x, mut y) = (c.hold(&mut x), c.hold(&mut y));
        let (mut u, mut v) = (c.hold(&mut u), c.hold(&mut v));
        let (main, side) = (c.stream(), c.fork(&mut side)?);
        main.fill(&mut x, 7)?;
        side.fill(&mut y, 8)?;
        main.copy(&x, &mut u)?;
        side.copy(&x, &mut v)?;
        main.copy(&y, &mut x)
    })?;
    println!("{}", gpu.time_nodes(&main, &mut graph, (&mut x, &mut y, &mut u, &mut v))?);
    // end
    Ok(steps(&graph.dot(DotFlags::empty())?))
}

#[test]
fn a_graph_is_drawn() {
    if !software() {
        skip!("only the software driver's names of nodes are on the page");
    }
    let hidden = "use cuscope::{Context, ContextStack, Device, Result, graph::Enqueue};\n\
                  fn main() -> Result {\n\
                  let context = Context::primary(Device::get(0)?)?;\n\
                  let mut stack = ContextStack::current_thread()?;\n\
                  let gpu = stack.push(&context)?;\n\
                  let (mut main, mut side) = (gpu.stream()?, gpu.stream()?);\n\
                  let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);\n\
                  let (mut u, mut v) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);\n";
    let hidden: String = hidden.lines().map(|line| format!("# {line}\n")).collect();
    let (_, rest) = include_str!("guide_pictures.rs").split_once("// begin: forked\n").unwrap();
    let lines = rest.split_once("    // end\n").unwrap().0.lines();
    let shown: String = lines.map(|line| format!("{}\n", &line[4..])).collect();
    let picture = |gpu: &mut PushedGuard<'_>| {
        let steps = forked(gpu).unwrap();
        let code = format!("```rust\n{hidden}{shown}# Ok(()) }}\n```\n");
        let words = "Its nodes, from the text that `graph.dot(…)` returns. Those of one step can run at the same time:";
        compare(
            "05-graphs.md",
            "a_graph_is_drawn",
            &[code, format!("{words}\n"), steps].join("\n"),
        );
    };
    with_gpu(picture);
}
