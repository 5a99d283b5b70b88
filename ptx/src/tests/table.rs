//! The table of instructions is true, and is what the docs say.

use std::fmt::Write as _;

use super::super::Module;
use super::super::lower::table::{ROWS, SETS};

/// All that a form stands for.
pub(super) fn expanded(form: &str) -> Vec<String> {
    let Some(at) = form.find(['(', '{', '<']) else {
        return vec![form.to_owned()];
    };
    let (before, rest) = form.split_at(at);
    let (open, close) = match &rest[..1] {
        "(" => ('(', ')'),
        "{" => ('{', '}'),
        _ => ('<', '>'),
    };
    let mut depth = 0;
    let end = rest
        .find(|c| {
            depth += i32::from(c == open) - i32::from(c == close);
            depth == 0
        })
        .unwrap();
    let (inner, after) = (&rest[1..end], &rest[end + 1..]);
    let choices: Vec<&str> = match open {
        '{' => vec!["", inner],
        '(' => inner.split('|').collect(),
        _ => SETS.iter().find(|set| set.0 == inner).unwrap().1.split('|').collect(),
    };
    choices.iter().flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

/// A register for an operand of a type.
fn register(ty: &str, wide: bool) -> &'static str {
    match (ty, wide) {
        ("pred", _) => "%p1",
        ("f32", _) => "%f1",
        ("f64", _) => "%fd1",
        ("b128", _) => "%q1",
        ("b8" | "u8" | "s8" | "b16" | "u16" | "s16" | "f16" | "bf16", false) => "%rs1",
        ("b16" | "u16" | "s16" | "b32" | "u32" | "s32", _) if wide => {
            if ty.ends_with("16") {
                "%r1"
            } else {
                "%rd1"
            }
        }
        ("b64" | "u64" | "s64", _) => "%rd1",
        _ => "%r1",
    }
}

/// The operands of a form, for one opcode of it.
pub(super) fn operands(opcode: &str, code: &str) -> String {
    let types: Vec<&str> = opcode
        .split('.')
        .filter(|part| {
            let digits = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            *part == "pred"
                || (part.len() < 7
                    && !digits.is_empty()
                    && !part.starts_with("v")
                    && !part.starts_with("L")
                    && !part.starts_with("rc")
                    && !part.starts_with("m8"))
        })
        .collect();
    let last = types.last().copied().unwrap_or("b32");
    let before = types.iter().rev().nth(1).copied().unwrap_or(last);
    let mut text = String::new();
    let mut word = String::new();
    for c in code.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        let list;
        text.push_str(match word.as_str() {
            "T" | "V" => register(last, false),
            "S" => register(before, false),
            // A type of 8 bits has no registers: any will do.
            "U" => {
                if before.ends_with('8') {
                    "%r1"
                } else {
                    register(before, false)
                }
            }
            "W" => register(last, true),
            "h" => "%rs1",
            "r" => "%r1",
            "l" => "%rd1",
            "q" => "%q1",
            "f" => "%f1",
            "x" => "%fd1",
            "p" => "%p1",
            "n" => "1",
            "n4" => "4",
            "n16" => "16",
            "n32" => "32",
            "a" if opcode.contains("shared") => "%r1",
            "a" => "%rd1",
            "LABEL" => "HERE",
            "TARGETS" => "THERE",
            "FUNCTION" => "nothing",
            "PROTOTYPE" => "SHAPE",
            "VARIABLE" => "somewhere",
            // So many registers: `r4` stands for `r, r, r, r`.
            other => match other.split_at_checked(1) {
                Some((one, count)) if "hrlfx".contains(one) && count.parse::<usize>().is_ok() => {
                    let one = operands(opcode, one);
                    list = vec![one; count.parse().unwrap_or(0)].join(", ");
                    &list
                }
                _ => other,
            },
        });
        word.clear();
        text.push(c);
    }
    text.trim_end().to_owned()
}

#[test]
fn every_form_that_is_listed_is_taken() {
    let mut count = 0;
    let mut refused = String::new();
    for row in ROWS {
        let mut body = String::new();
        for (form, code) in row.2 {
            for opcode in expanded(form) {
                writeln!(body, "{opcode} {};", operands(&opcode, code)).unwrap();
                count += 1;
            }
        }
        let text = format!(
            ".version 8.8\n.target sm_90a\n.address_size 64\n.global .u32 somewhere;\n\
             .func nothing() {{ ret; }}\n.visible .entry test()\n{{\n.reg .pred %p<2>;\n\
             .reg .b16 %rs<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .f32 %f<2>;\n\
             .reg .f64 %fd<2>; .reg .b128 %q<2>;\nTHERE: .branchtargets HERE;\n\
             SHAPE: .callprototype _ ();\nHERE:\n{body}ret;\n}}\n"
        );
        if let Err(error) = Module::parse(&text) {
            let lines: Vec<&str> = text.lines().collect();
            for line in error.log.lines().take(12) {
                let number = line.split("line ").nth(1).and_then(|rest| rest.split(';').next());
                let number = number.and_then(|number| number.parse::<usize>().ok()).unwrap_or(1);
                writeln!(refused, "{line}: {}", lines[number - 1]).unwrap();
            }
        }
    }
    assert!(refused.is_empty(), "{refused}");
    assert!(count > 2000, "{count}");
}

#[test]
fn rows_are_in_order() {
    assert!(ROWS.is_sorted_by(|a, b| a.0 < b.0));
}

#[test]
fn the_docs_list_what_there_is() {
    let mut table = String::from("| instruction | forms |\n|---|---|\n");
    for row in ROWS {
        let forms: Vec<String> =
            row.2.iter().map(|(form, _)| format!("`{}`", form.replace('|', "\\|"))).collect();
        let mut forms = forms;
        forms.dedup();
        writeln!(table, "| `{}` | {} |", row.0, forms.join("<br>")).unwrap();
    }
    table.push_str("\n| set | one of |\n|---|---|\n");
    for (name, members) in SETS {
        writeln!(table, "| `<{name}>` | `{}` |", members.replace('|', "` `")).unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ptx.md");
    let Ok(text) = std::fs::read_to_string(path) else {
        // The package alone, without the repository around it.
        return;
    };
    let (begin, end) = ("<!-- table -->\n", "<!-- end of table -->");
    let start = text.find(begin).unwrap() + begin.len();
    let stop = text.find(end).unwrap();
    if text[start..stop] == table {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_PTX").is_some(),
        "docs/ptx.md is not up to date: run the tests with UPDATE_PTX=1"
    );
    std::fs::write(path, format!("{}{table}{}", &text[..start], &text[stop..])).unwrap();
}

/// All modules of a folder load: `PTX_CORPUS=folder cargo test -p cuscope-softdriver --lib corpus --
/// --ignored --nocapture` lists what does not.
#[test]
#[ignore = "wants a folder of modules"]
fn corpus() {
    let folder = std::env::var_os("PTX_CORPUS").expect("PTX_CORPUS names a folder of modules");
    let mut seen = std::collections::BTreeMap::new();
    let (mut good, mut bad) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        match Module::parse(&text) {
            Ok(_) => good += 1,
            Err(error) => {
                bad += 1;
                for line in error.log.lines() {
                    let what = line.split("error   : ").nth(1).unwrap_or(line).to_owned();
                    seen.entry(what).or_insert_with(|| format!("{}: {line}", path.display()));
                }
            }
        }
    }
    for (what, place) in &seen {
        println!("{what}\n    {place}");
    }
    println!("{good} modules load, {bad} do not");
}
