//! RESULTS.md, from what was measured.

use crate::bench::{OPERATIONS, Operation};
use crate::page::{COLUMNS, calls, read, row, table};
use crate::timing::quartiles;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub fn numbers(value: &Value) -> Option<[f64; 3]> {
    let list = value.as_array()?;
    Some([0, 1, 2].map(|at| list[at].as_f64().expect("a number")))
}

/// Nanoseconds, with a unit that fits.
fn time(ns: f64) -> String {
    match ns {
        ns if ns < 100.0 => format!("{ns:.1} ns"),
        ns if ns < 1e4 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

/// `peers report MEASURED WEIGHT FOLDER`: from the folder that measure.sh filled and the output of weight.sh,
/// RESULTS.md and its plot in a folder. Where nothing was weighed, the weights stay those of the file.
pub fn write(arguments: &[&str]) {
    let [measured, weight, into] = *arguments else { panic!("report MEASURED WEIGHT FOLDER") };
    let (measured, into) = (Path::new(measured), Path::new(into));
    let runs: Vec<Value> = (0..)
        .map(|run| measured.join(format!("time.{run}.json")))
        .take_while(|path| path.exists())
        .map(|path| read(&path))
        .collect();
    let times = json!({ "machine": runs[0]["machine"], "measured": merged(&runs) });
    let page = into.join("RESULTS.md");
    let starts = fs::read_to_string(measured.join("starts")).unwrap_or_default();
    let weighed = if Path::new(weight).exists() {
        weights(&read(Path::new(weight)), &starts)
    } else {
        before(&fs::read_to_string(&page).expect("the file that has the weights"))
    };
    let text = [
        head(&times["machine"]),
        ratios(&times["measured"]),
        "\n![ratios to C](ratios.svg)\n".into(),
        aim(&times["measured"]),
        absolute(&times["measured"]),
        missing(&times["measured"]),
        "\n## Driver calls\n\nCounted on the GPU's driver.\n\n".into(),
        calls(&read(&measured.join("count.json"))["measured"]),
        weighed,
        HOW.into(),
    ];
    fs::write(page, text.concat()).expect("RESULTS.md");
    crate::plot::write(&times["measured"], &into.join("ratios.svg")).expect("the plot");
}

/// `peers steps PAGE TIMES...`: a page of the rows that are the step of an inner loop.
pub fn steps(page: &str, times: &[&str]) {
    let runs: Vec<Value> = times.iter().map(|path| read(Path::new(path))).collect();
    let mut measured = merged(&runs);
    let rows = measured.as_object_mut().expect("rows");
    rows.retain(|name, _| ["step", "kept", "peer"].iter().any(|prefix| name.starts_with(prefix)));
    let text = [
        head(&runs[0]["machine"])
            .replace("What operations cost on a GPU", "What the step of an inner loop costs")
            .replace(
                "`benches/peers/run.sh` writes this file; how it measures is at its end",
                "How it is measured is at the end",
            ),
        ratios(&measured),
        absolute(&measured),
        STEPS.into(),
    ];
    fs::write(page, text.concat()).expect("the page");
}

const STEPS: &str = "\n## How\n
A step allocates an output from the device's pool, runs saxpy from the input to it, frees the input, and goes on with
the output. 256 steps (16 KiB) or 64 (16 MiB) are enqueued and waited for; the time is that of all, over their number.
cuscope runs them on an ordered stream, and in a scope with scratch memory, where the first input
is allocated in the measured time too. Without kept blocks it makes the calls of C: an allocation, a launch, a free.
With kept blocks it makes one, the launch, beside C with the launch alone and two buffers in turn. With 8 threads, each
has a stream of its own in the one context.

A copy between two devices is one of memory of the other device to that of this one. cuscope orders the two streams by
an event each way, C does not.

`peers time 2 step`, `peers time 2 kept` and `peers time 2 peer` measure, and `peers steps benches/STEPS.md` with their output writes this
file. The rest is as for [RESULTS.md](RESULTS.md).
";

/// The quartiles of the times, and of their ratios to C, over all rounds of all processes.
fn merged(runs: &[Value]) -> Value {
    let mut all = Map::new();
    for operation in OPERATIONS {
        let mut times: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
        let parts = runs.iter().map(|run| &run["measured"][operation.name]);
        for part in parts.clone().filter(|part| part.is_object()) {
            let of = |name: &str| -> Vec<f64> {
                let rounds = part["rounds"][name].as_array().into_iter().flatten();
                rounds.map(|time| time.as_f64().expect("a time") / 1e3).collect()
            };
            // Both candidates by hand, as each has its streams and its place.
            let by_hand = of("C").into_iter().zip(of(crate::c::AGAIN));
            let by_hand: Vec<f64> = by_hand.map(|(one, other)| (one + other) / 2.0).collect();
            for name in COLUMNS {
                let here = of(name);
                let [ns, ratios] = times.entry(name).or_default();
                ratios.extend(here.iter().zip(&by_hand).map(|(time, base)| time / base));
                ns.extend(here);
            }
        }
        times.retain(|_, [ns, _]| !ns.is_empty());
        let values: Map<String, Value> = times
            .into_iter()
            .map(|(name, [ns, ratios])| {
                (name.into(), json!({ "ns": quartiles(&ns), "ratio": quartiles(&ratios) }))
            })
            .collect();
        let none = &runs[0]["measured"][operation.name]["none"];
        if !values.is_empty() {
            all.insert(operation.name.into(), json!({ "values": values, "none": none }));
        }
    }
    Value::Object(all)
}

const HOW: &str = "\n## How\n
A round does each operation some times with each candidate, one candidate after the other, in an order that
changes from round to round; a ratio is that of times of one round. Before a candidate's turn the context is idle.
The 31 to 401 rounds are those of four processes, which make the candidates ready in different orders; in each, 3
rounds before do not count. All but the rows with threads run on one core. Allocations are of 1 KiB, pinned memory is
that of each crate. The times of `…, no wait`, launch, record, memset and replay are those of the call; the queue is
never full.

In the rows with threads, each launches saxpy on a stream of its own in the one context, on a core of its own. They
are made ready, wait, meet, and launch 256 times; the time is that from the first that begins to the last that ends,
over 256. An eighth of the rounds is done with the same threads, streams and module, then these are made anew.
RustaCUDA's function is shared by its threads as those of the others are, which its types do not allow.

cudarc is measured on a stream of its own, there with `disable_event_tracking`, and on its default stream, which is
the driver's legacy one. cuda-core watches what is in flight by events, so that its calls are not always as many.
singe-cuda goes through the CUDA runtime.

`benches/peers/run.sh` builds all of it, `measure.sh`, copied with what was built to the machine with the GPU,
measures, and `run.sh report` writes this file.
";

/// The weights in the file as it is.
fn before(page: &str) -> String {
    let from = page.find("\n## Weight\n").expect("the file has weights");
    let to = page[from + 1..].find("\n## ").expect("something behind them");
    page[from..from + 1 + to].to_owned()
}

/// What the crate promises of these times, and the rows where they are not so.
fn aim(measured: &Value) -> String {
    let mut text = String::from(
        "\n## Against the aim\n\n\
        cuscope takes at most 1.02 of the time of C, in the median, and 1.05 of the launch alone with kept blocks, and no other crate takes less by more than the\n\
        spread: no upper quartile of another is under a lower one of cuscope.\n\n",
    );
    let mut so = true;
    for operation in measured_ones(measured) {
        let values = &measured[operation.name]["values"];
        for ours in ["cuscope", "cuscope, in a scope"] {
            let Some([low, median, _]) = numbers(&values[ours]["ratio"]) else { continue };
            let mut lines = Vec::new();
            // Beside the launch alone.
            let aim = if operation.name.starts_with("kept") { 1.05 } else { 1.02 };
            if median > aim {
                lines.push(format!("{median:.3} of C"));
            }
            for peer in
                COLUMNS.iter().filter(|name| !name.starts_with('C') && !name.starts_with("cuscope"))
            {
                match numbers(&values[*peer]["ratio"]) {
                    Some([_, theirs, high]) if high < low => {
                        lines.push(format!("{peer} {theirs:.3} against {median:.3}"));
                    }
                    _ => (),
                }
            }
            if !lines.is_empty() {
                so = false;
                writeln!(text, "- Not so: {}, {ours}: {}", operation.title, lines.join("; "))
                    .unwrap();
            }
        }
    }
    if so {
        text += "It is so in every row.\n";
    }
    text
}

fn head(machine: &Value) -> String {
    let say = |key: &str| machine[key].to_string().replace('"', "");
    format!(
        "# What operations cost on a GPU\n\n\
        By hand (C), with cuscope, and with other crates, side by side in one context, on non-blocking streams, with\n\
        the same kernels and the same waits. `benches/peers/run.sh` writes this file; how it measures is at its end.\n\n\
        {} (driver of CUDA {}), {} ({} cores).\n",
        say("device"),
        say("driver"),
        say("processor"),
        say("cores"),
    )
}

fn measured_ones(measured: &Value) -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.iter().filter(|operation| measured[operation.name].is_object())
}

fn ratios(measured: &Value) -> String {
    let mut text = String::from(
        "\n## Ratio to C\n\n\
        The median of the rounds' ratios to the mean of two candidates by hand, \"C\" and \"C, again\", and behind it the\n\
        quartiles. What these two differ from 1 by, the measurement cannot tell apart.\n\n",
    );
    table(&mut text, "operation", &COLUMNS);
    for operation in measured_ones(measured) {
        let values = &measured[operation.name]["values"];
        let cell = |name: &&str| match numbers(&values[name]["ratio"]) {
            Some([low, median, high]) if name.starts_with("cuscope") => {
                format!("**{median:.3}** ({low:.2}–{high:.2})")
            }
            Some([low, median, high]) => format!("{median:.3} ({low:.2}–{high:.2})"),
            None => "–".into(),
        };
        row(&mut text, std::iter::once(operation.title.to_owned()).chain(COLUMNS.iter().map(cell)));
    }
    text
}

fn absolute(measured: &Value) -> String {
    let mut text = String::from("\n## Time of one operation\n\nMedians.\n\n");
    table(&mut text, "operation", &COLUMNS);
    for operation in measured_ones(measured) {
        let values = &measured[operation.name]["values"];
        let cell = |name: &&str| {
            numbers(&values[name]["ns"]).map_or("–".into(), |[_, median, _]| time(median))
        };
        row(&mut text, std::iter::once(operation.title.to_owned()).chain(COLUMNS.iter().map(cell)));
    }
    text
}

/// Why there is a dash.
fn missing(measured: &Value) -> String {
    let mut reasons: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for operation in OPERATIONS {
        // What cuscope has not, the column of scopes has.
        for (name, why) in measured[operation.name]["none"].as_object().into_iter().flatten() {
            let why = why.as_str().unwrap_or_default();
            if why != crate::bench::NO_SUCH && !why.starts_with("as ") {
                reasons.entry((name.clone(), why.into())).or_default().push(operation.title);
            }
        }
    }
    let mut text = String::from(
        "\nA dash: the crate has no such operation, or none that is another than in the column beside it.\n\n",
    );
    for ((name, why), titles) in reasons {
        writeln!(text, "- {name}, {}: {why}", titles.join(", ")).unwrap();
    }
    text
}

fn weights(weight: &Value, starts: &str) -> String {
    let mut text = String::from(
        "\n## Weight\n\n\
        A program that runs saxpy once. Built with `cargo build --release` from nothing, dependencies fetched, on two cores\n\
        (C: `cc -O2`), of which processor time says more than the time that passes; its size is stripped. Locked:\n\
        the crates in its lock file, which has those for other targets too. Start: from `main` to the first launch, and\n\
        the whole process; medians.\n\n",
    );
    table(
        &mut text,
        "",
        &["crates", "locked", "build", "processor time", "size", "to the first launch", "process"],
    );
    for name in
        ["C", "cuscope", "cust", "rustacuda", "cudarc", "cuda-core", "oxicuda", "singe-cuda"]
    {
        let mut launched = Vec::new();
        let mut process = Vec::new();
        for line in starts.lines().filter(|line| line.split(' ').next() == Some(name)) {
            let words: Vec<f64> =
                line.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect();
            launched.push(words[0] / 1e6);
            process.push(words[1] / 1e3);
        }
        let median = |mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list.get(list.len() / 2).map_or("–".into(), |ms| format!("{ms:.0} ms"))
        };
        let of = &weight[name];
        row(
            &mut text,
            [
                name.to_owned(),
                of["crates"].to_string(),
                of["locked"].to_string(),
                format!("{:.1} s", of["wall_s"].as_f64().unwrap_or(f64::NAN)),
                format!("{:.1} s", of["cpu_s"].as_f64().unwrap_or(f64::NAN)),
                format!("{} KiB", of["bytes"].as_u64().unwrap_or(0) / 1024),
                median(launched),
                median(process),
            ],
        );
    }
    text
}
