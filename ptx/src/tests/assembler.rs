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

/// Numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn of<'l, T>(&mut self, list: &'l [T]) -> &'l T {
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

/// What the assembler says; nothing if it takes the text.
fn judged(program: &str, text: &str, file: usize) -> String {
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
    let said = log.lines().find(|line| line.contains("error")).unwrap_or(&log);
    said.split(" : ").last().unwrap_or(said).to_owned()
}

#[test]
#[ignore = "wants NVIDIA's assembler"]
fn assembler() {
    let program = std::env::var("PTXAS").ok().filter(|path| !path.is_empty());
    let program = program.expect("PTXAS names NVIDIA's assembler");
    let number = |name: &str, default| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let (count, seed) = (number("PTXAS_COUNT", 4000), number("PTXAS_SEED", 1));
    let mut random = Random(seed as u64);
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
        cases.push((kind, format!("{} {};", parts.join("."), list.join(", "))));
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for worker in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (cases, next, found, program) = (&cases, &next, &found, &program);
            scope.spawn(move || {
                while let Some((kind, instruction)) =
                    cases.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let text = module(instruction);
                    let theirs = judged(program, &text, worker);
                    let ours = Module::parse(&text).err().map(|error| error.log);
                    if theirs.is_empty() != ours.is_none() {
                        let ours =
                            ours.map(|log| log.lines().next().unwrap_or_default().to_owned());
                        found.lock().unwrap().push((*kind, instruction.clone(), theirs, ours));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    let mut kinds = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for (kind, instruction, theirs, ours) in &found {
        let lax = ours.is_none();
        *kinds.entry((*kind, lax)).or_insert(0) += 1;
        let why = ours.as_deref().unwrap_or(theirs);
        writeln!(out, "{} {instruction}\n    {why}", if lax { "too lax:" } else { "too strict:" })
            .unwrap();
    }
    writeln!(out, "{kinds:?}").unwrap();
    let same = 100.0 * (count - found.len()) as f64 / count as f64;
    writeln!(
        out,
        "{count} instructions, {} verdicts differ, {same:.2} % are the same",
        found.len()
    )
    .unwrap();
}
