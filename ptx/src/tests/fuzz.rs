//! Programs that nobody wrote: whatever the text and whatever a kernel does, the answer is an error
//! and never a panic. `PROPTEST_CASES` asks for other numbers of cases.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::RngSeed;

use super::super::Module;
use super::super::lower::table::ROWS;
use super::super::run::{Fault, Launch, run};
use super::device::{Device, START};
use super::table::{expanded, operands};

/// Kernels of a compiler, to begin with.
const SEEDS: &[&str] = &[
    include_str!("../../../softdriver/tests/kernels/arith.ptx"),
    include_str!("../../../softdriver/tests/kernels/branches.ptx"),
    include_str!("../../../softdriver/tests/kernels/globals.ptx"),
    include_str!("../../../softdriver/tests/kernels/matmul.ptx"),
    include_str!("../../../softdriver/tests/kernels/reduce.ptx"),
    include_str!("../../../softdriver/tests/kernels/saxpy.ptx"),
    include_str!("../../../softdriver/tests/kernels/structs.ptx"),
    include_str!("../../../softdriver/tests/kernels/warp_sum.ptx"),
];

/// The memory of a case.
const MEMORY: usize = 1 << 16;
/// The steps of a launch.
const STEPS: u64 = 20_000;

/// Loads a text and runs all that it has.
fn try_all(text: &str, params: &[u64]) -> Vec<Result<(), Fault>> {
    let Ok(module) = Module::parse(text) else {
        return Vec::new();
    };
    let device = Device::new(MEMORY);
    let mut top = START;
    let globals: Vec<u64> = module
        .globals
        .iter()
        .map(|global| {
            let at = top.next_multiple_of(global.align.max(1) as u64);
            top = at.saturating_add(global.size as u64);
            at
        })
        .collect();
    for index in 0..globals.len() {
        let _ = module.initial_bytes(index, &globals);
    }
    let launches = (0..module.kernels.len().min(4)).map(|kernel| {
        let mut bytes = vec![0; module.kernels[kernel].param_bytes];
        let values = params.iter().flat_map(|value| value.to_le_bytes());
        bytes.iter_mut().zip(values).for_each(|(byte, value)| *byte = value);
        run(&Launch {
            module: &module,
            kernel,
            grid: [2, 1, 1],
            block: [35, 1, 1],
            cluster: Some([2, 1, 1]),
            dynamic_shared: 64,
            params: &bytes,
            globals: &globals,
            memory: &device,
            workspace: 0,
            output: &device,
            workers: 1,
            most_steps: STEPS,
        })
    });
    launches.collect()
}

/// Addresses that lead somewhere, or nowhere, and numbers.
fn param() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => (0..MEMORY as u64).prop_map(|offset| START + (offset & !15)),
        1 => (0..MEMORY as u64 * 2).prop_map(|offset| START + offset),
        1 => 0..64u64,
        1 => prop_oneof![Just(0), Just(0x0100_0000), Just(0x0200_0010), Just(0x0300_0000)],
        1 => any::<u64>(),
    ]
}

/// One change of a text, in lines and words.
#[derive(Clone, Debug)]
enum Change {
    Delete(usize),
    Repeat(usize, usize),
    Swap(usize, usize),
    Word(usize, usize, usize),
    Number(usize, u64),
    Cut(usize),
    Byte(usize, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..100_000usize;
    prop_oneof![
        1 => at.clone().prop_map(Change::Delete),
        1 => (at.clone(), at.clone()).prop_map(|(a, b)| Change::Repeat(a, b)),
        1 => (at.clone(), at.clone()).prop_map(|(a, b)| Change::Swap(a, b)),
        4 => (at.clone(), at.clone(), at.clone()).prop_map(|(a, b, c)| Change::Word(a, b, c)),
        2 => (at.clone(), prop_oneof![any::<u64>(), 0..100u64]).prop_map(|(a, b)| Change::Number(a, b)),
        1 => at.clone().prop_map(Change::Cut),
        1 => (at, any::<u8>()).prop_map(|(a, b)| Change::Byte(a, b)),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for change in changes {
        let count = lines.len().max(1);
        if lines.is_empty() {
            break;
        }
        match *change {
            Change::Delete(a) => drop(lines.remove(a % count)),
            Change::Repeat(a, b) => {
                let line = lines[a % count].clone();
                lines.insert(b % count, line);
            }
            Change::Swap(a, b) => lines.swap(a % count, b % count),
            Change::Word(a, b, c) => {
                let other = lines[b % count].clone();
                let others: Vec<&str> = other.split_whitespace().collect();
                let words: Vec<&str> = lines[a % count].split_whitespace().collect();
                if let (Some(from), false) = (others.get(c % others.len().max(1)), words.is_empty())
                {
                    let mut words = words.clone();
                    let at = c / 7 % words.len();
                    words[at] = from;
                    lines[a % count] = words.join(" ");
                }
            }
            Change::Number(a, number) => {
                let line = &lines[a % count];
                let digits: Vec<usize> = line
                    .char_indices()
                    .filter(|(_, c)| c.is_ascii_digit())
                    .map(|(at, _)| at)
                    .collect();
                if let Some(&at) = digits.get(a / 3 % digits.len().max(1)) {
                    lines[a % count] = format!("{}{number}{}", &line[..at], &line[at + 1..]);
                }
            }
            Change::Cut(a) => lines.truncate(a % count + 1),
            Change::Byte(a, byte) => {
                let line = &mut lines[a % count];
                let at = (0..=line.len())
                    .filter(|&at| line.is_char_boundary(at))
                    .nth(a / 5 % (line.len() + 1));
                line.insert(at.unwrap_or(0), char::from(byte));
            }
        }
    }
    lines.join("\n")
}

/// An instruction of the table, by three numbers, with registers and a guard by the others.
fn instruction(numbers: (usize, usize, usize, u64)) -> String {
    let (row, form, choice, more) = numbers;
    let row = &ROWS[row % ROWS.len()];
    let (form, code) = row.2[form % row.2.len()];
    let opcodes = expanded(form);
    let opcode = &opcodes[choice % opcodes.len()];
    let mut text = operands(opcode, code);
    for (bit, name) in ["%rs1", "%r1", "%rd1", "%f1", "%fd1", "%p1"].iter().enumerate() {
        // Other registers for the operands after the first.
        let number = more >> (3 * bit) & 7;
        if let Some(at) = text.rfind(name) {
            let end = at + name.len();
            text = format!("{}{}{number}{}", &text[..at], &name[..name.len() - 1], &text[end..]);
        }
    }
    let text = text.replace("HERE", ["A", "B", "C"][(more >> 20) as usize % 3]);
    let text = text.replace("TA", "THERE").replace("TB", "THERE").replace("TC", "THERE");
    let guard = match more >> 24 & 7 {
        0 => "@%p2 ",
        1 => "@!%p3 ",
        _ => "",
    };
    format!("{guard}{opcode} {text};")
}

fn stream(instructions: &[(usize, usize, usize, u64)]) -> String {
    let third = instructions.len() / 3;
    let body: Vec<String> = instructions
        .iter()
        .enumerate()
        .map(|(at, &numbers)| {
            let label = match at {
                0 => "A: ",
                _ if at == third => "B: ",
                _ if at == 2 * third => "C: ",
                _ => "",
            };
            format!("{label}{}", instruction(numbers))
        })
        .collect();
    format!(
        ".version 8.8\n.target sm_100\n.address_size 64\n.global .u32 somewhere[64];\n\
         .func nothing() {{ ret; }}\n.visible .entry test(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n\
         .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<9>; .shared .align 16 .b8 sh[256];\n\
         .local .align 16 .b8 lo[64];\nTHERE: .branchtargets A, B, C;\n\
         SHAPE: .callprototype _ ();\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u64 %rd3, nothing; mov.u32 %r1, sh;\n\
         mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 9; setp.gt.u32 %p2, %r2, 20; mov.u32 %r3, -1;\n\
         mov.u64 %rd4, lo; cvta.local.u64 %rd4, %rd4; mad.wide.u32 %rd5, %r2, 8, %rd1;\n{}\nD: ret;\n}}\n",
        body.join("\n")
    )
}

/// So many cases, unless the environment asks for others; the same each time, unless it asks.
fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(12);
    }
    config
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn texts_that_were_changed(
        seed in 0..SEEDS.len(),
        changes in prop::collection::vec(change(), 1..6),
        params in prop::collection::vec(param(), 6),
    ) {
        try_all(&changed(SEEDS[seed], &changes), &params);
    }
}

proptest! {
    #![proptest_config(config(4500))]

    #[test]
    fn streams_of_instructions(
        instructions in prop::collection::vec(any::<(usize, usize, usize, u64)>(), 1..30),
        params in prop::collection::vec(param(), 2),
    ) {
        try_all(&stream(&instructions), &params);
    }

    #[test]
    fn words_in_any_order(
        words in prop::collection::vec(0..100_000usize, 1..80),
        bytes in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let all: Vec<&str> = SEEDS.iter().flat_map(|text| text.split_whitespace()).collect();
        let text: Vec<&str> = words.iter().map(|&at| all[at % all.len()]).collect();
        let rest = String::from_utf8_lossy(&bytes);
        let text = format!(".version 8.0\n.target sm_80\n{} {rest}", text.join(" "));
        try_all(&text, &[START; 6]);
        try_all(&rest, &[]);
    }
}

#[test]
fn streams_run_as_a_rule() {
    // The generator is worth something: most of what it makes loads, and some ends well.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let (mut loaded, mut well) = (0, 0);
    for _ in 0..300 {
        let numbers = |random: &mut dyn FnMut() -> u64| {
            (random() as usize, random() as usize, random() as usize, random())
        };
        let instructions: Vec<_> = (0..8).map(|_| numbers(&mut random)).collect();
        let results = try_all(&stream(&instructions), &[START + 64, START + 128]);
        loaded += usize::from(!results.is_empty());
        well += usize::from(results == [Ok(())]);
    }
    assert!(loaded > 150, "{loaded} load");
    assert!(well > 20, "{well} end well");
}

/// `PTX_LOADS=100000 cargo test --release -p cuscope-ptx --lib loads_are_bounded -- --ignored --nocapture` loads
/// so many changed texts, those of `PTX_CORPUS` among them, and prints what they cost at most.
#[test]
#[ignore = "takes minutes"]
fn loads_are_bounded() {
    let count = std::env::var("PTX_LOADS").map_or(10_000, |count| count.parse().unwrap());
    let mut texts: Vec<String> = SEEDS.iter().map(|&text| text.to_owned()).collect();
    if let Some(folder) = std::env::var_os("PTX_CORPUS") {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "ptx"));
        texts.extend(files.map(|path| std::fs::read_to_string(path).unwrap()));
    }
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        rng_seed: RngSeed::Fixed(21),
        ..ProptestConfig::default()
    });
    let changes = prop::collection::vec(change(), 1..8);
    let (mut loaded, mut slowest, mut bytes) = (0, (0.0, String::new()), 0);
    for case in 0..count {
        let text = &texts[case % texts.len()];
        let changes = changes.new_tree(&mut runner).unwrap().current();
        let text = changed(text, &changes);
        let start = std::time::Instant::now();
        loaded += usize::from(Module::parse(&text).is_ok());
        let seconds = start.elapsed().as_secs_f64();
        bytes += text.len();
        if seconds > slowest.0 {
            slowest = (seconds, format!("{changes:?} of text {}", case % texts.len()));
        }
        assert!(seconds < 5.0, "{seconds} s for {changes:?} of text {}", case % texts.len());
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("{count} texts of {bytes} bytes: {loaded} load; the slowest took {slowest:?}; {peak}");
}
