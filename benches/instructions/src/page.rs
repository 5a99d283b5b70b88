//! The table in `docs/cost.md`: what an operation may cost.

use crate::guarded::{self, BESIDE};
use crate::operations::{ON_THE_STACK, OPERATIONS};
use cuscope::Result;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::process::exit;

const BEGIN: &str = "<!-- benches/instructions/run.sh writes this table -->\n";
const END: &str = "<!-- its end -->\n";
const REWRITE: &str = "benches/instructions/run.sh --update writes docs/cost.md anew";

/// How many instructions fewer than on the page are not worth a change of it.
const LESS: i64 = 3;
/// How many more are the compiler's doing, where it is another than the page names.
const OTHER_COMPILER: i64 = 25;

#[derive(Clone, PartialEq, Debug)]
struct Row {
    title: String,
    by_hand: i64,
    here: i64,
    /// In a thousand operations.
    allocations: i64,
}

impl Row {
    fn more(&self) -> i64 {
        self.here - self.by_hand
    }
}

/// `page COUNTS PAGE check`: the page tells what was counted; `try`: if it did not, the check would say
/// so; `update`: it is written there; `print`: it is shown.
pub(crate) fn main(counts: &str, page: &str, what: &str) -> Result {
    let compiler = std::env::var("COMPILER").expect("the compiler's name");
    let counted = rows_of(&read(counts));
    let text = read(page);
    let (head, rest) = text.split_once(BEGIN).expect("the page has the mark");
    let (says, tail) = rest.split_once(END).expect("the page has the other mark");
    match what {
        "print" => print!("{}", table(&counted, &compiler)),
        "update" => {
            let new = [head, BEGIN, "\n", &table(&counted, &compiler), "\n", END, tail].concat();
            fs::write(page, new).expect("the page can be written");
        }
        "check" => {
            let complaints = compare(&allowed(says), &counted, slack(says, &compiler));
            for complaint in &complaints {
                eprintln!("{complaint}");
            }
            if !complaints.is_empty() {
                exit(1);
            }
        }
        "try" => attempt(&counted),
        _ => panic!("check, try, update or print"),
    }
    Ok(())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// From lines of an operation, its side, how often, allocations and instructions: the slopes.
fn rows_of(counts: &str) -> Vec<Row> {
    let mut points: HashMap<(&str, &str), Vec<[i64; 3]>> = HashMap::new();
    for line in counts.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, side, numbers @ ..] = &*words else { panic!("no count: {line}") };
        let numbers: Vec<i64> = numbers.iter().map(|n| n.parse().expect("a number")).collect();
        let point = numbers.try_into().expect("how often, allocations, instructions");
        points.entry((name, side)).or_default().push(point);
    }
    let slopes = |name: &str, side: &str| {
        let Some([[n, allocations, instructions], [twice, more, most]]) =
            points.get(&(name, side)).map(Vec::as_slice)
        else {
            panic!("`{name}` is counted twice")
        };
        // Exact, or a part of the operations was another: rounded up.
        let slope = |more, unit| -> i64 { (more * unit + (twice - n - 1)) / (twice - n) };
        (slope(most - instructions, 1), slope(more - allocations, 1000))
    };
    let row = |&(name, title): &(&str, &str)| Row {
        title: title.to_owned(),
        by_hand: slopes(name, "raw").0,
        here: slopes(name, "ours").0,
        allocations: slopes(name, "ours").1,
    };
    OPERATIONS.iter().chain(ON_THE_STACK).chain(guarded::OPERATIONS).map(row).collect()
}

fn table(rows: &[Row], compiler: &str) -> String {
    let mut text = format!(
        "Counted with {compiler}.\n\n| operation | by hand | here | more | allocations |\n|---|---:|---:|---:|---:|\n"
    );
    for row in rows {
        let Row { title, by_hand, here, allocations } = row;
        let (more, allocations) = (row.more(), *allocations as f64 / 1000.0);
        writeln!(text, "| {title} | {by_hand} | {here} | {more} | {allocations} |").unwrap();
    }
    text
}

/// The rows of the page.
fn allowed(text: &str) -> Vec<Row> {
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.contains("| more |"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [title, by_hand, here, _, allocations] = *cells else { panic!("no row: {line}") };
        let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        let allocations: f64 = allocations.parse().expect("a number");
        let allocations = (allocations * 1000.0).round() as i64;
        Row { title: title.into(), by_hand: number(by_hand), here: number(here), allocations }
    })
    .collect()
}

/// None for the compiler that the page names.
fn slack(page: &str, compiler: &str) -> i64 {
    if page.contains(&format!("Counted with {compiler}.")) { 0 } else { OTHER_COMPILER }
}

/// What is to be said of the difference.
fn compare(allowed: &[Row], counted: &[Row], slack: i64) -> Vec<String> {
    let mut complaints = Vec::new();
    let titled = |rows: &[Row], title: &str| rows.iter().find(|row| row.title == title).cloned();
    for row in allowed.iter().filter(|row| titled(counted, &row.title).is_none()) {
        complaints.push(format!("{}: on the page and not counted; {REWRITE}", row.title));
    }
    for seen in counted {
        let (title, more) = (&seen.title, seen.more());
        let Some(row) = titled(allowed, title) else {
            complaints.push(format!("{title}: not on the page; {REWRITE}"));
            continue;
        };
        let allowed = row.more();
        if more > allowed + slack {
            complaints.push(format!(
                "{title}: {more} instructions over the driver calls by hand, allowed are {allowed}"
            ));
        } else if more < allowed - LESS - slack {
            complaints.push(format!(
                "{title}: only {more} instructions over the driver calls by hand, the page says {allowed}; {REWRITE}"
            ));
        }
        let (is, may) = (seen.allocations as f64 / 1000.0, row.allocations as f64 / 1000.0);
        if is > may {
            complaints.push(format!("{title}: {is} allocations, allowed are {may}"));
        } else if is < may {
            complaints
                .push(format!("{title}: only {is} allocations, the page says {may}; {REWRITE}"));
        }
    }
    complaints.extend(beside(counted));
    complaints
}

/// What is to be said of guarded launches beside plain ones.
fn beside(counted: &[Row]) -> Vec<String> {
    let titles = || OPERATIONS.iter().chain(guarded::OPERATIONS);
    let here = |name: &str| {
        let (_, title) = titles().find(|row| row.0 == name)?;
        counted.iter().find(|row| row.title == *title)
    };
    let pairs =
        BESIDE.iter().filter_map(|&(one, plain, most)| Some((here(one)?, here(plain)?, most)));
    let more = pairs.map(|(one, plain, most)| (&one.title, one.here - plain.here, most));
    let told = more.filter(|&(_, more, most)| more > most).map(|(title, more, most)| {
        format!("{title}: {more} instructions more than with a plain kernel, allowed are {most}")
    });
    told.collect()
}

/// That the check can fail, operation by operation: with a page that is off by one.
fn attempt(counted: &[Row]) {
    let through_the_page = allowed(&table(counted, "a compiler"));
    assert_eq!(through_the_page, counted, "the page says what was counted");
    assert!(compare(counted, counted, 0).is_empty(), "it does not complain of itself");
    let with = |at: usize, change: fn(&mut Row)| {
        let mut page = counted.to_vec();
        change(&mut page[at]);
        compare(&page, counted, 0)
    };
    for (at, row) in counted.iter().enumerate() {
        let (title, more) = (&row.title, row.more());
        let one_fewer = format!(
            "{title}: {more} instructions over the driver calls by hand, allowed are {}",
            more - 1
        );
        assert_eq!(with(at, |row| row.here -= 1), [one_fewer]);
        assert_eq!(with(at, |row| row.here += LESS), [""; 0], "{title}");
        let [tells] = &with(at, |row| row.here += LESS + 1)[..] else { panic!("{title}") };
        assert!(tells.starts_with(&format!("{title}: only {more} instr")), "{tells}");
        let [tells] = &with(at, |row| row.allocations -= 1)[..] else { panic!("{title}") };
        assert!(tells.contains("allocations, allowed are"), "{tells}");
        let [tells] = &with(at, |row| row.allocations += 1)[..] else { panic!("{title}") };
        assert!(tells.contains("allocations, the page says"), "{tells}");
    }
    for &(name, _, most) in BESIDE {
        let title = guarded::OPERATIONS.iter().find(|row| row.0 == name).map(|row| row.1);
        let mut slow = counted.to_vec();
        let row = slow.iter_mut().find(|row| Some(&*row.title) == title).expect("it is counted");
        row.here += most + 100;
        let [tells] = &beside(&slow)[..] else { panic!("{title:?}") };
        assert!(tells.contains("more than with a plain kernel"), "{tells}");
    }
    let [tells] = &compare(&counted[1..], counted, 0)[..] else { panic!("a row is missing") };
    assert!(tells.contains("not on the page"), "{tells}");
    let [tells] = &compare(counted, &counted[1..], 0)[..] else { panic!("a row is too many") };
    assert!(tells.contains("not counted"), "{tells}");
}
