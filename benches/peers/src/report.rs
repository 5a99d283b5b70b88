//! RESULTS.md and its plots, from what was measured.

use crate::bench::OPERATIONS;
use plotters::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The columns, as the measurement names them.
const COLUMNS: [&str; 11] = [
    "C",
    "C, again",
    "cuscope",
    "cuscope, in a scope",
    "cust",
    "RustaCUDA",
    "cudarc",
    "cudarc, untracked",
    "cudarc, default stream",
    "oxicuda",
    "singe-cuda",
];

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn numbers(value: &Value) -> Option<[f64; 3]> {
    let list = value.as_array()?;
    Some([0, 1, 2].map(|at| list[at].as_f64().expect("a number")))
}

/// Nanoseconds, with a unit that fits.
fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e4 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

/// `peers report MEASURED WEIGHT FOLDER`: from the folder that measure.sh filled and the output of weight.sh,
/// RESULTS.md and its plot in a folder.
pub fn write(arguments: &[&str]) {
    let [measured, weight, into] = *arguments else { panic!("report MEASURED WEIGHT FOLDER") };
    let (measured, into) = (Path::new(measured), Path::new(into));
    let (times, weight) = (read(&measured.join("time.json")), read(Path::new(weight)));
    let starts = fs::read_to_string(measured.join("starts")).expect("the starts");
    let mut text = head(&times["machine"]);
    text += &ratios(&times["measured"]);
    text += "\n![ratios to C](ratios.svg)\n";
    text += &absolute(&times["measured"]);
    text += &missing(&times["measured"]);
    text += "\n## Driver calls\n\nCounted on the GPU's driver.\n\n";
    text += &calls(&read(&measured.join("count.json"))["measured"]);
    text += &weights(&weight, &starts);
    fs::write(into.join("RESULTS.md"), text).expect("RESULTS.md");
    plot(&times["measured"], &into.join("ratios.svg")).expect("the plot");
}

fn head(machine: &Value) -> String {
    let say = |key: &str| machine[key].to_string().replace('"', "");
    format!(
        "# What operations cost on a GPU\n\n\
        By hand (C), with cuscope, and with other crates, in one process and one context, on non-blocking streams, with\n\
        the same kernels and the same waits. `benches/peers/run.sh` writes this file; how it measures is at its end.\n\n\
        {} (driver of CUDA {}), {} ({} cores).\n",
        say("device"), say("driver"), say("processor"), say("cores"),
    )
}

fn row(text: &mut String, cells: impl IntoIterator<Item = String>) {
    writeln!(text, "| {} |", cells.into_iter().collect::<Vec<_>>().join(" | ")).unwrap();
}

fn table(text: &mut String, first: &str, columns: &[&str]) {
    row(text, std::iter::once(first.to_owned()).chain(columns.iter().map(|name| (*name).to_owned())));
    row(text, (0..=columns.len()).map(|at| if at == 0 { "---".into() } else { "---:".into() }));
}

/// The driver calls of each operation.
fn calls(counted: &Value) -> String {
    let mut text = String::new();
    let columns: Vec<&str> = COLUMNS.into_iter().filter(|name| counted[*name].is_object()).collect();
    table(&mut text, "operation", &columns);
    for operation in OPERATIONS.iter().filter(|operation| counted["C"][operation.name].is_object()) {
        let cell = |name: &&str| match &counted[*name][operation.name]["total"] {
            Value::Null => "–".into(),
            total => total.to_string(),
        };
        row(&mut text, std::iter::once(title(operation)).chain(columns.iter().map(cell)));
    }
    text
}

/// Without the size, which calls do not depend on.
fn title(operation: &crate::bench::Operation) -> String {
    operation.title.replace(" of 64 B", "")
}

/// `peers page COUNTED PAGE`: the page has the table of what was counted; with `UPDATE_COST` it is written there.
pub fn page(counted: &str, page: &str) {
    const BEGIN: &str = "<!-- .ci/peers writes this table -->\n";
    const END: &str = "<!-- its end -->\n";
    let is = calls(&read(Path::new(counted))["measured"]);
    let text = fs::read_to_string(page).expect("the page");
    let (head, rest) = text.split_once(BEGIN).expect("the page has the mark");
    let (says, tail) = rest.split_once(END).expect("the page has the other mark");
    if std::env::var_os("UPDATE_COST").is_some() {
        return fs::write(page, [head, BEGIN, "\n", &is, "\n", END, tail].concat()).expect("the page");
    }
    for (says, is) in says.trim().lines().zip(is.trim().lines()) {
        assert_eq!(says, is, "UPDATE_COST=1 .ci/peers writes {page} anew");
    }
    assert!(says.trim() == is.trim(), "UPDATE_COST=1 .ci/peers writes {page} anew");
}

fn ratios(measured: &Value) -> String {
    let mut text = String::from(
        "\n## Ratio to C\n\n\
        The median of the rounds' ratios, and behind it the quartiles. \"C, again\" is a second candidate by hand: what it\n\
        differs from 1 by, the measurement cannot tell apart.\n\n",
    );
    table(&mut text, "operation", &COLUMNS[1..]);
    for operation in OPERATIONS {
        let values = &measured[operation.name]["values"];
        let cell = |name: &&str| match numbers(&values[name]["ratio"]) {
            Some([low, median, high]) if name.starts_with("cuscope") => {
                format!("**{median:.3}** ({low:.2}–{high:.2})")
            }
            Some([low, median, high]) => format!("{median:.3} ({low:.2}–{high:.2})"),
            None => "–".into(),
        };
        row(&mut text, std::iter::once(operation.title.to_owned()).chain(COLUMNS[1..].iter().map(cell)));
    }
    text
}

fn absolute(measured: &Value) -> String {
    let mut text = String::from("\n## Time of one operation\n\nMedians.\n\n");
    table(&mut text, "operation", &COLUMNS);
    for operation in OPERATIONS {
        let values = &measured[operation.name]["values"];
        let cell = |name: &&str| numbers(&values[name]["ns"]).map_or("–".into(), |[_, median, _]| time(median));
        row(&mut text, std::iter::once(operation.title.to_owned()).chain(COLUMNS.iter().map(cell)));
    }
    text
}

/// Why there is a dash.
fn missing(measured: &Value) -> String {
    let mut reasons: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for operation in OPERATIONS {
        for (name, why) in measured[operation.name]["none"].as_object().into_iter().flatten() {
            let why = why.as_str().unwrap_or_default();
            if why != crate::bench::NO_SUCH && !why.starts_with("as ") {
                reasons.entry((name.clone(), why.into())).or_default().push(operation.title);
            }
        }
    }
    let mut text = String::from("\nA dash: the crate has no such operation, or none that is another than in the column beside it.\n\n");
    for ((name, why), titles) in reasons {
        writeln!(text, "- {name}, {}: {why}", titles.join(", ")).unwrap();
    }
    text
}

fn weights(weight: &Value, starts: &str) -> String {
    let mut text = String::from(
        "\n## Weight\n\n\
        A program that runs saxpy once. Built with `cargo build --release` from nothing, dependencies fetched, on two cores\n\
        (C: `cc -O2`); its size is stripped. Start: from `main` to the first launch, and the whole process; medians.\n\n",
    );
    table(&mut text, "", &["crates", "build", "processor time", "size", "to the first launch", "process"]);
    for name in ["C", "cuscope", "cust", "rustacuda", "cudarc", "oxicuda", "singe-cuda"] {
        let mut launched = Vec::new();
        let mut process = Vec::new();
        for line in starts.lines().filter(|line| line.split(' ').next() == Some(name)) {
            let words: Vec<f64> = line.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect();
            launched.push(words[0] / 1e6);
            process.push(words[1] / 1e3);
        }
        let median = |mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list.get(list.len() / 2).map_or("–".into(), |ms| format!("{ms:.0} ms"))
        };
        let of = &weight[name];
        row(&mut text, [
            name.to_owned(),
            of["crates"].to_string(),
            format!("{:.1} s", of["wall_s"].as_f64().unwrap_or(f64::NAN)),
            format!("{:.1} s", of["cpu_s"].as_f64().unwrap_or(f64::NAN)),
            format!("{} KiB", of["bytes"].as_u64().unwrap_or(0) / 1024),
            median(launched),
            median(process),
        ]);
    }
    text += "\n## How\n\n\
        A round does each operation some times with each candidate, one candidate after the other, in an order that\n\
        changes from round to round; the ratio is that of two times of one round. Before a candidate's turn the context is\n\
        idle. Rounds are 31 to 201 behind 3 that do not count. All but the rows with threads run on one core. Allocations\n\
        are of 1 KiB, pinned memory is that of each crate. The times of `…, no wait`, launch, record, memset and replay are\n\
        those of the call; the queue is never full.\n\n\
        cudarc is measured on a stream of its own, there with `disable_event_tracking`, and on its default stream, which is\n\
        the driver's legacy one. singe-cuda goes through the CUDA runtime.\n\n\
        `benches/peers/run.sh` builds all of it, `measure.sh`, copied with what was built to the machine with the GPU,\n\
        measures, and `run.sh report` writes this file.\n";
    text
}

/// One line of dots an operation: cuscope, the null test, the peers.
fn plot(measured: &Value, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let colour = |name: &str| match name {
        "C, again" => RGBColor(150, 150, 150),
        "cuscope" => RGBColor(200, 30, 30),
        "cuscope, in a scope" => RGBColor(240, 130, 30),
        "cust" => RGBColor(30, 110, 200),
        "RustaCUDA" => RGBColor(120, 190, 240),
        "cudarc" => RGBColor(20, 120, 60),
        "cudarc, untracked" => RGBColor(110, 190, 100),
        "cudarc, default stream" => RGBColor(180, 220, 120),
        "oxicuda" => RGBColor(130, 60, 170),
        _ => RGBColor(80, 60, 40),
    };
    let rows: Vec<_> = OPERATIONS.iter().filter(|it| measured[it.name]["values"].is_object()).collect();
    let area = SVGBackend::new(path, (1100, 120 + 28 * rows.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .caption("time of an operation, relative to C (median and quartiles; logarithmic)", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(290)
        .build_cartesian_2d((0.9..3.5).log_scale(), -0.5..count - 0.5)?;
    let title = |y: &f64| {
        let at = count - 1.0 - y;
        let near = (at - at.round()).abs() < 0.01 && at.round() >= 0.0;
        near.then(|| rows.get(at.round() as usize)).flatten().map_or(String::new(), |row| row.title.into())
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(rows.len() * 2)
        .y_label_formatter(&title)
        .x_label_formatter(&|x| format!("{x:.2}"))
        .x_labels(12)
        .draw()?;
    chart.draw_series([PathElement::new([(1.02, -0.5), (1.02, count - 0.5)], RGBColor(200, 30, 30).mix(0.4))])?;
    for (place, name) in COLUMNS[1..].iter().enumerate() {
        let style = colour(name);
        let dots: Vec<_> = rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| {
                let spread = numbers(&measured[row.name]["values"][name]["ratio"])?;
                let y = count - 1.0 - at as f64 + 0.36 - 0.08 * place as f64;
                Some((y, spread.map(|ratio| ratio.clamp(0.9, 3.5))))
            })
            .collect();
        chart.draw_series(
            dots.iter().map(|&(y, [low, _, high])| PathElement::new([(low, y), (high, y)], style.mix(0.6))),
        )?;
        chart
            .draw_series(dots.iter().map(|&(y, [_, median, _])| Circle::new((median, y), 3, style.filled())))?
            .label(*name)
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, style.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
