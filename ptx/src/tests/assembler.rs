//! NVIDIA's assembler judges the table: forms of it, and instructions that differ from one in a single place.
//!
//! `PTXAS=$(.ci/ptxas) cargo test -p cuscope-ptx --lib assembler -- --ignored --nocapture` prints where the
//! verdicts differ. `PTXAS_COUNT` is how many instructions are judged, `PTXAS_SEED` where the choice of them begins.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::Module;
use super::super::lower::table::ROWS;
use super::table::{expanded, operands};
use super::texts;

/// Numbers that look random (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub(super) fn of<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }
}

/// Operands to put in the place of others.
const OPERANDS: &[&str] = &[
    "%r1",
    "%rd1",
    "%rs1",
    "%f1",
    "%fd1",
    "%p1",
    "%q1",
    "%u1",
    "%h1",
    "1",
    "-1",
    "1.5",
    "0f3F800000",
    "[%rd1]",
    "[%r1]",
    "[somewhere]",
    "[%rd1+4]",
    "[%rd1-4]",
    "{%r1, %r1}",
    "{%f1, %f1}",
    "WARP_SZ",
    "%tid.x",
    "_",
    "nowhere",
];

/// A module of one instruction.
fn module(instruction: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.global .u32 somewhere;\n\
         .func nothing() {{ ret; }}\n.visible .entry test()\n{{\n.reg .pred %p<2>;\n\
         .reg .b16 %rs<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .f32 %f<2>; .reg .u32 %u<2>;\n\
         .reg .f64 %fd<2>; .reg .b128 %q<2>; .reg .f16 %h<2>;\nTHERE: .branchtargets HERE;\n\
         SHAPE: .callprototype _ ();\nHERE:\n{instruction}\nret;\n}}\n"
    )
}

/// One change to an instruction; its kind.
fn change(
    random: &mut Random,
    parts: &mut Vec<String>,
    list: &mut Vec<String>,
    pool: &[String],
) -> &'static str {
    let inner = |random: &mut Random, parts: &[String]| 1 + random.below(parts.len() - 1);
    match random.below(8) {
        0 if parts.len() > 1 => {
            let at = inner(random, parts);
            parts.remove(at);
            "modifier removed"
        }
        1 => {
            let at = 1 + random.below(parts.len());
            parts.insert(at, random.of(pool).clone());
            "modifier added"
        }
        2 if parts.len() > 2 => {
            let (a, b) = (inner(random, parts), inner(random, parts));
            parts.swap(a, b);
            "modifiers swapped"
        }
        3 | 4 if parts.len() > 1 => {
            let at = inner(random, parts);
            parts[at] = random.of(pool).clone();
            "modifier replaced"
        }
        5 if list.len() > 1 => {
            let at = random.below(list.len());
            list.remove(at);
            "operand removed"
        }
        6 if !list.is_empty() => {
            list.push((*random.of(OPERANDS)).to_owned());
            "operand added"
        }
        _ if !list.is_empty() => {
            let at = random.below(list.len());
            list[at] = (*random.of(OPERANDS)).to_owned();
            "operand replaced"
        }
        _ => "as it is",
    }
}

/// Operands, split where no bracket is open.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut list, mut one) = (0, Vec::new(), String::new());
    for c in text.chars() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                list.push(std::mem::take(&mut one).trim().to_owned());
                continue;
            }
            _ => {}
        }
        one.push(c);
    }
    if !one.trim().is_empty() {
        list.push(one.trim().to_owned());
    }
    list
}

/// The message for an assembler that gives none itself.
const DIED: &str = "it died";

/// Returns the assembler's message; nothing if it takes the text.
fn judged(program: &str, text: &str) -> String {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let file = FILES.fetch_add(1, Ordering::Relaxed);
    let path =
        std::env::temp_dir().join(format!("cuscope-ptxas-{}-{file}.ptx", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let output = Command::new(program)
        .args(["-arch", "sm_90a", "-o", "/dev/null"])
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let _ = std::fs::remove_file(&path);
    if output.status.success() {
        return String::new();
    }
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = log.lines().find(|line| line.contains("error") || line.contains("fatal"));
    let said = said.unwrap_or(&log);
    let said = said.split(" : ").last().unwrap_or(said);
    if said.is_empty() { DIED.to_owned() } else { said.to_owned() }
}

/// A number that the environment may give.
pub(super) fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |n| n.parse().unwrap())
}

#[test]
#[ignore = "wants NVIDIA's assembler"]
fn assembler() {
    let count = number("PTXAS_COUNT", 4000);
    let mut random = Random(number("PTXAS_SEED", 1) as u64);
    let forms: Vec<(&str, &str)> = ROWS.iter().flat_map(|row| row.2).copied().collect();
    let mut pool: Vec<String> = forms
        .iter()
        .flat_map(|(form, _)| expanded(form).into_iter().step_by(7))
        .flat_map(|opcode| opcode.split('.').skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    pool.sort();
    pool.dedup();
    let mut cases = Vec::new();
    for index in 0..count {
        // Rows in turn, so that those with many forms do not crowd out the others.
        let row = &ROWS[index % ROWS.len()];
        let (form, code) = *random.of(row.2);
        let opcode = random.of(&expanded(form)).clone();
        let mut list = split(&operands(&opcode, code));
        let mut parts: Vec<String> = opcode.split('.').map(str::to_owned).collect();
        let kind = match random.below(8) {
            0 => "as it is",
            _ => change(&mut random, &mut parts, &mut list, &pool),
        };
        let instruction = format!("{} {};", parts.join("."), list.join(", "));
        cases.push(Case { kind, text: module(&instruction), shown: instruction });
    }
    compare("instructions", &cases, 99.7);
}

/// The texts of whole modules: `PTXAS=$(.ci/ptxas) cargo test -p cuscope-ptx --lib assembler_of_texts -- --ignored --nocapture`
#[test]
#[ignore = "wants NVIDIA's assembler"]
fn assembler_of_texts() {
    let mut random = Random(number("PTXAS_SEED", 1) as u64);
    let cases: Vec<_> =
        (0..number("PTXAS_COUNT", 4000)).map(|_| texts::case(&mut random)).collect();
    compare("texts", &cases, 99.9);
}

/// A text to judge.
pub(super) struct Case {
    /// The reason why it is special.
    pub(super) kind: &'static str,
    pub(super) text: String,
    /// The text that is shown of it.
    pub(super) shown: String,
}

/// Prints where the verdicts of the assembler and of this package differ; so much in a hundred of many have to be the same.
fn compare(what: &str, cases: &[Case], least: f64) {
    let Some(program) = std::env::var("PTXAS").ok().filter(|path| !path.is_empty()) else { return };
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let taken = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (next, found, taken, program) = (&next, &found, &taken, &program);
            scope.spawn(move || {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let theirs = judged(program, &case.text);
                    taken.fetch_add(usize::from(theirs.is_empty()), Ordering::Relaxed);
                    if theirs == DIED {
                        println!("the assembler dies of: {}", case.shown);
                    }
                    let ours = Module::parse(&case.text).err().map(|error| error.log);
                    if theirs.is_empty() != ours.is_none() {
                        let ours =
                            ours.map(|log| log.lines().next().unwrap_or_default().to_owned());
                        found.lock().unwrap().push((case.kind, &case.shown, theirs, ours));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    let mut kinds = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for (kind, shown, theirs, ours) in &found {
        let lax = ours.is_none();
        *kinds.entry((*kind, lax)).or_insert(0) += 1;
        let why = ours.as_deref().unwrap_or(theirs);
        writeln!(out, "{} {shown}\n    {why}", if lax { "too lax:" } else { "too strict:" })
            .unwrap();
    }
    writeln!(out, "{kinds:?}").unwrap();
    let (count, taken) = (cases.len(), taken.into_inner());
    let same = 100.0 * (count - found.len()) as f64 / count as f64;
    writeln!(
        out,
        "{count} {what}, of which {taken} are taken, {} verdicts differ, {same:.2} % are the same",
        found.len()
    )
    .unwrap();
    assert!(count < 4000 || same >= least, "{same} % are the same");
}
