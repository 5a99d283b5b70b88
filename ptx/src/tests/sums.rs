//! Programs of products and sums: the table says which products NVIDIA's assembler 13.0 fused, and the assembler itself is asked
//! about others.
//!
//! `PTXAS=$(.ci/ptxas) NVDISASM=$(.ci/ptxas nvdisasm) cargo test -p cuscope-ptx --lib assembler_of_sums -- --ignored --nocapture`
//! prints what share of random programs gives the same bits. `PTXAS_COUNT` is how many there are, `PTXAS_SEED` where their choice
//! begins.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use super::assembler::{Random, number};
use super::device::{Loaded, params};

/// A line is the instructions, each with its result and what it takes, and then the sums that fuse a product, each with that. The
/// first numbers are values that are loaded. What nothing takes is stored.
const TABLE: &str = include_str!("contract.txt");

/// An instruction: its name, its result, and what it takes.
type Step = (String, usize, Vec<usize>);

/// A type of floats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Float {
    F32,
    F64,
}

impl Float {
    fn bytes(self) -> usize {
        if self == Self::F32 { 4 } else { 8 }
    }

    /// `a * b + c` of bits, rounded once.
    fn fused(self, a: u64, b: u64, c: u64) -> u64 {
        let narrow = |bits: u64| f32::from_bits(bits as u32);
        match self {
            Self::F32 => narrow(a).mul_add(narrow(b), narrow(c)).to_bits().into(),
            Self::F64 => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
        }
    }

    /// The same bits for all that is no number.
    fn plain(self, bits: u64) -> u64 {
        let none = match self {
            Self::F32 => f32::from_bits(bits as u32).is_nan(),
            Self::F64 => f64::from_bits(bits).is_nan(),
        };
        if none { u64::MAX } else { bits }
    }

    fn of(self, value: f64) -> u64 {
        if self == Self::F32 { (value as f32).to_bits().into() } else { value.to_bits() }
    }

    fn negative(self, bits: u64) -> u64 {
        bits ^ (1 << (8 * self.bytes() - 1))
    }

    fn product(self, a: u64, b: u64) -> u64 {
        // What adds nothing, and takes no sign away.
        self.fused(a, b, self.of(-0.0))
    }

    fn sum(self, a: u64, b: u64) -> u64 {
        self.fused(a, self.of(1.0), b)
    }
}

/// A program without branches.
#[derive(Clone, Debug)]
struct Program(Vec<Step>);

impl Program {
    fn parse(text: &str) -> Self {
        let step = |text: &str| {
            let mut words = text.split_whitespace();
            let what = words.next().unwrap().to_owned();
            let mut numbers = words.map(|word| word.parse().unwrap());
            (what, numbers.next().unwrap(), numbers.collect())
        };
        Self(text.split(';').map(step).collect())
    }

    /// A program of so many instructions on so many values.
    fn random(random: &mut Random, given: usize, count: usize) -> Self {
        const WHAT: [(&str, usize); 12] = [
            ("mul", 2),
            ("mul", 2),
            ("mul", 2),
            ("mul", 2),
            ("add", 2),
            ("add", 2),
            ("add", 2),
            ("sub", 2),
            ("sub", 2),
            ("neg", 1),
            ("mov", 1),
            ("fma", 3),
        ];
        let (mut steps, mut seen): (Vec<Step>, _) = (Vec::new(), BTreeSet::new());
        while steps.len() < count {
            let (what, takes) = *random.of(&WHAT);
            let d = given + steps.len();
            let recent = |random: &mut Random| {
                if d > given && random.below(3) > 0 {
                    given + random.below(d - given)
                } else {
                    random.below(given)
                }
            };
            let from: Vec<_> = (0..takes).map(|_| recent(random)).collect();
            // Compilers compute nothing twice, and write no `x + x` and `x - x` of one register.
            let mut sorted = from.clone();
            sorted.sort_unstable();
            let twice = takes == 2 && what != "mul" && from[0] == from[1];
            if !twice && seen.insert((what, sorted)) {
                steps.push((what.to_owned(), d, from));
            }
        }
        Self(steps)
    }

    /// How many values are loaded.
    fn given(&self) -> usize {
        self.0[0].1
    }

    /// What is stored.
    fn kept(&self) -> Vec<usize> {
        let taken: BTreeSet<_> = self.0.iter().flat_map(|step| &step.2).collect();
        self.0.iter().map(|step| step.1).filter(|d| !taken.contains(d)).collect()
    }

    /// Its kernel: each thread has values of its own behind those of the threads before it.
    fn kernel(&self, name: &str, ty: Float) -> String {
        let (bytes, shown) = (ty.bytes(), if ty == Float::F32 { "f32" } else { "f64" });
        let (given, kept) = (self.given(), self.kept());
        let mut text = format!(
            ".visible .entry {name}(.param .u64 in, .param .u64 out) {{\n.reg .{shown} %f<{}>;\n\
             .reg .b64 %a, %b; .reg .b32 %t; mov.u32 %t, %tid.x; ld.param.u64 %a, [in]; ld.param.u64 %b, [out];\n\
             mad.wide.u32 %a, %t, {}, %a; mad.wide.u32 %b, %t, {}, %b;\n",
            given + self.0.len(),
            given * bytes,
            kept.len() * bytes,
        );
        for at in 0..given {
            writeln!(text, "ld.global.{shown} %f{at}, [%a+{}];", at * bytes).unwrap();
        }
        for (what, d, from) in &self.0 {
            let rounding = if what == "fma" { ".rn" } else { "" };
            write!(text, "{what}{rounding}.{shown} %f{d}").unwrap();
            from.iter().for_each(|from| write!(text, ", %f{from}").unwrap());
            text.push_str(";\n");
        }
        for (at, kept) in kept.iter().enumerate() {
            writeln!(text, "st.global.{shown} [%b+{}], %f{kept};", at * bytes).unwrap();
        }
        text + "ret;\n}\n"
    }

    /// The values that the software driver stores for the values of each thread.
    fn stored(&self, head: &str, ty: Float, threads: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let loaded = Loaded::new(&format!("{head}{}", self.kernel("test", ty)));
        let bytes = ty.bytes();
        let all: Vec<u8> = threads
            .iter()
            .flatten()
            .flat_map(|bits| bits.to_le_bytes()[..bytes].to_vec())
            .collect();
        let kept = self.kept().len();
        let input = loaded.device.place(&all);
        let output = loaded.device.room(kept * bytes * threads.len());
        let size = [threads.len() as u32, 1, 1];
        loaded.launch("test", [1, 1, 1], size, 0, params![input, output]).unwrap();
        let stored: Vec<u8> = loaded.device.get(output, kept * bytes * threads.len());
        let values: Vec<u64> = stored
            .chunks(bytes)
            .map(|chunk| chunk.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
            .map(|bits| ty.plain(bits))
            .collect();
        values.chunks(kept).map(<[u64]>::to_vec).collect()
    }

    /// The values that are stored if sums fuse these products.
    fn expected(&self, ty: Float, fused: &BTreeMap<usize, usize>, given: &[u64]) -> Vec<u64> {
        let mut values = given.to_vec();
        let step = |d: usize| &self.0[d - given.len()];
        for (what, d, from) in &self.0 {
            let value = |at: usize| values[from[at]];
            let difference = |bits: u64| if what == "sub" { ty.negative(bits) } else { bits };
            values.push(match (what.as_str(), fused.get(d)) {
                ("mul", _) => ty.product(value(0), value(1)),
                ("neg", _) => ty.negative(value(0)),
                ("mov", _) => value(0),
                ("fma", _) => ty.fused(value(0), value(1), value(2)),
                (_, None) => ty.sum(value(0), difference(value(1))),
                (_, Some(&product)) => {
                    // The side that leads to the product, and its sign.
                    let lead = |mut at: usize| {
                        let mut sign = false;
                        while at >= given.len() && ["neg", "mov"].contains(&&*step(at).0) {
                            sign ^= step(at).0 == "neg";
                            at = step(at).2[0];
                        }
                        (at == product).then_some(sign)
                    };
                    let side = usize::from(lead(from[0]).is_none());
                    let sign = lead(from[side]).unwrap() ^ (side == 1 && what == "sub");
                    let [a, b] = step(product).2[..] else { unreachable!() };
                    let a = if sign { ty.negative(values[a]) } else { values[a] };
                    let other = value(1 - side);
                    let other = if side == 0 { difference(other) } else { other };
                    ty.fused(a, values[b], other)
                }
            });
        }
        self.kept().into_iter().map(|at| ty.plain(values[at])).collect()
    }
}

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Values of some threads, with all their digits.
fn values(random: &mut Random, ty: Float, threads: usize, given: usize) -> Vec<Vec<u64>> {
    let mut one = || 0.5 + random.below(1 << 52) as f64 / (1u64 << 52) as f64;
    (0..threads).map(|_| (0..given).map(|_| ty.of(one())).collect()).collect()
}

#[test]
fn the_products_are_fused_that_the_assembler_fuses() {
    let mut random = Random(1);
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    for line in lines.step_by(if cfg!(miri) { 20 } else { 1 }) {
        let (program, fused) = line.split_once(" |").unwrap();
        let program = Program::parse(program);
        let pair = |pair: &str| {
            let (sum, product) = pair.split_once(':').unwrap();
            (sum.parse().unwrap(), product.parse().unwrap())
        };
        let fused: BTreeMap<usize, usize> = fused.split_whitespace().map(pair).collect();
        for ty in [Float::F32, Float::F64] {
            let threads = values(&mut random, ty, 32, program.given());
            let expected: Vec<_> =
                threads.iter().map(|given| program.expected(ty, &fused, given)).collect();
            assert_eq!(program.stored(HEAD, ty, &threads), expected, "{ty:?}: {line}");
        }
    }
}

/// Runs machine code without branches on the values of a thread; none if it has an instruction that is not known here.
fn machine(code: &[String], ty: Float, given: &[u64]) -> Option<Vec<u64>> {
    let (mut registers, mut stored) = (BTreeMap::<String, u64>::new(), BTreeMap::new());
    let offset = |operand: &str| -> usize {
        let hex = operand.split_once("+0x").and_then(|(_, rest)| rest.split(']').next());
        hex.map_or(0, |hex| usize::from_str_radix(hex, 16).unwrap())
    };
    for line in code {
        let (opcode, operands) = line.split_once(' ').unwrap_or((line, ""));
        let operands: Vec<&str> =
            operands.split(", ").map(|one| one.trim_end_matches(".reuse")).collect();
        let value = |at: usize| {
            let operand = operands[at].replace(".reuse", "");
            let (negative, name) = match operand.strip_prefix('-') {
                Some(name) => (true, name),
                None => (false, &*operand),
            };
            let bits = if name == "RZ" { 0 } else { *registers.get(name)? };
            Some(if negative { ty.negative(bits) } else { bits })
        };
        let result = match opcode.split('.').next()? {
            "EXIT" => return Some(stored.into_values().map(|bits| ty.plain(bits)).collect()),
            "LDG" => *given.get(offset(operands[1]) / ty.bytes())?,
            "STG" => {
                stored.insert(offset(operands[0]), value(1)?);
                continue;
            }
            "FMUL" | "DMUL" if !opcode.contains('.') => ty.product(value(1)?, value(2)?),
            "FADD" | "DADD" if !opcode.contains('.') => ty.sum(value(1)?, value(2)?),
            "FFMA" | "DFMA" if !opcode.contains('.') => ty.fused(value(1)?, value(2)?, value(3)?),
            "MOV" | "IMAD" if opcode.contains("MOV") => match value(operands.len() - 1) {
                Some(bits) => bits,
                None => continue,
            },
            // Addresses.
            "LDC" | "ULDC" | "S2R" | "S2UR" | "IMAD" | "IADD3" | "LEA" | "R2UR" => continue,
            _ => return None,
        };
        registers.insert(operands[0].to_owned(), result);
    }
    None
}

/// The machine code of kernels of a text, by their names.
fn disassembled(ptxas: &str, nvdisasm: &str, text: &str) -> BTreeMap<String, Vec<String>> {
    let path = std::env::temp_dir().join(format!("cuscope-sums-{}.ptx", std::process::id()));
    let cubin = path.with_extension("cubin");
    std::fs::write(&path, text).unwrap();
    let done = Command::new(ptxas).args(["-arch", "sm_90", "-o"]).arg(&cubin).arg(&path).status();
    assert!(done.unwrap().success());
    let output = Command::new(nvdisasm).arg("-c").arg(&cubin).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for path in [path, cubin] {
        std::fs::remove_file(path).unwrap();
    }
    let mut kernels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut name = String::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        if let Some((_, rest)) = line.split_once("- .text.") {
            name = rest.split_whitespace().next().unwrap().to_owned();
        } else if let Some((_, rest)) = line.split_once("*/ ")
            && let Some((code, _)) = rest.split_once(';')
        {
            kernels.entry(name.clone()).or_default().push(code.trim().to_owned());
        }
    }
    kernels
}

#[test]
fn nothing_is_fused_that_is_to_be_debugged() {
    let step = |what: &str, d, from: [usize; 2]| (what.to_owned(), d, from.to_vec());
    let program = Program(vec![step("mul", 2, [0, 1]), step("add", 3, [2, 0])]);
    let threads = values(&mut Random(1), Float::F32, 32, 2);
    let debugged = program.stored(&HEAD.replace("sm_90", "sm_90, debug"), Float::F32, &threads);
    let plain = program.stored(HEAD, Float::F32, &threads);
    let expected = |fused: &[(usize, usize)]| -> Vec<Vec<u64>> {
        let fused = fused.iter().copied().collect();
        threads.iter().map(|given| program.expected(Float::F32, &fused, given)).collect()
    };
    assert_eq!(plain, expected(&[(3, 2)]));
    assert_eq!(debugged, expected(&[]));
    assert_ne!(debugged, plain);
}

#[test]
#[ignore = "wants NVIDIA's assembler and disassembler"]
fn assembler_of_sums() {
    let (Ok(ptxas), Ok(nvdisasm)) = (std::env::var("PTXAS"), std::env::var("NVDISASM")) else {
        return;
    };
    let mut random = Random(number("PTXAS_SEED", 1) as u64);
    let table = TABLE.lines().filter(|line| !line.starts_with('#'));
    let mut programs: Vec<_> =
        table.map(|line| Program::parse(line.split_once(" |").unwrap().0)).collect();
    for at in 0..number("PTXAS_COUNT", 4000) {
        let (given, count) = [(5, 8), (6, 14), (12, 30), (16, 60)][at % 4];
        programs.push(Program::random(&mut random, given, count));
    }
    let (mut same, mut unknown, mut all) = (0, 0, 0);
    for ty in [Float::F32, Float::F64] {
        for programs in programs.chunks(500) {
            let kernels = programs.iter().enumerate();
            let text: String =
                kernels.map(|(at, program)| program.kernel(&format!("k{at}"), ty)).collect();
            let code = disassembled(&ptxas, &nvdisasm, &format!("{HEAD}{text}"));
            for (at, program) in programs.iter().enumerate() {
                let threads = values(&mut random, ty, 8, program.given());
                let code = &code[&format!("k{at}")];
                let theirs: Option<Vec<_>> =
                    threads.iter().map(|given| machine(code, ty, given)).collect();
                let Some(theirs) = theirs else {
                    unknown += 1;
                    continue;
                };
                all += 1;
                if theirs == program.stored(HEAD, ty, &threads) {
                    same += 1;
                } else if all - same < 10 {
                    println!("{ty:?}: {program:?}");
                }
            }
        }
    }
    let share = 100.0 * f64::from(same) / f64::from(all);
    println!(
        "{all} programs of sums, {share:.2} % give the same bits; {unknown} more were not read"
    );
    assert!(share >= 99.9 && unknown * 20 < all, "{share} % are the same");
}
