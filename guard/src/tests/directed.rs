//! Kernels that are directed at one rule each.

use super::world::{Argument, Left, Shape, address_of, launch};
use crate::{AccessKind, guard};
use cuscope_ptx::run::{Fault, Place};

/// A kernel of parameters and a body.
fn kernel(params: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 16 .b32 cons[4] = {{1, 2, 3, 4}};\n\
         .visible .entry test({params})\n{{\n.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<9>;\n\
         .local .align 16 .b8 lo[32];\n{body}\nret;\n}}\n"
    )
}

const ONE: &str = ".param .u64 a, .param .u32 n";
const BEGIN: &str = "ld.param.u64 %d0, [a]; cvta.to.global.u64 %d1, %d0; ld.param.u32 %r0, [n];";

fn memory(bytes: usize) -> Argument {
    Argument::Memory { bytes: vec![9; bytes], writes: true, skew: 0 }
}

fn number(value: u32) -> Argument {
    Argument::Number(value.to_le_bytes().to_vec())
}

/// What a guarded kernel leaves with one thread.
fn left(text: &str, arguments: &[Argument]) -> Result<Left, String> {
    let guarded = guard(text).map_err(|error| error.to_string())?;
    let shape = Shape { grid: [1; 3], block: [1; 3], ..Shape::default() };
    launch(guarded.text(), Some(&guarded), "test", arguments, shape)
}

/// An access is outside, is told, and is not made.
fn outside(what: &str, text: &str, arguments: &[Argument]) -> Result<(), String> {
    let left = left(text, arguments).map_err(|why| format!("{what}: {why}"))?;
    match (&left.escapes[..], left.result, left.site) {
        ([], Ok(()), 1..) => Ok(()),
        _ => Err(format!("{what}: {:?}, {:?}, site {}", left.escapes, left.result, left.site)),
    }
}

/// Nothing is outside.
fn inside(what: &str, text: &str, arguments: &[Argument]) -> Result<Left, String> {
    let left = left(text, arguments).map_err(|why| format!("{what}: {why}"))?;
    match (&left.escapes[..], left.result, left.site) {
        ([], Ok(()), 0) => Ok(left),
        _ => Err(format!("{what}: {:?}, {:?}, site {}", left.escapes, left.result, left.site)),
    }
}

fn refused(what: &str, text: &str, reason: &str) -> Result<(), String> {
    match guard(text) {
        Err(error) if error.to_string().contains(reason) => Ok(()),
        Ok(guarded) if guarded.refused().iter().any(|one| one.reason.contains(reason)) => Ok(()),
        other => Err(format!("{what}: {:?}", other.map(|guarded| guarded.refused().to_vec()))),
    }
}

fn contains(what: &str, text: &str, wanted: &[&str], unwanted: &[&str]) -> Result<(), String> {
    let guarded = guard(text).map_err(|error| format!("{what}: {error}"))?;
    let text = guarded.text();
    let missing = wanted.iter().find(|one| !text.contains(**one));
    let there = unwanted.iter().find(|one| text.contains(**one));
    match (missing, there) {
        (None, None) if guarded.refused().is_empty() => Ok(()),
        _ => Err(format!("{what}: {missing:?} {there:?} {:?}\n{text}", guarded.refused())),
    }
}

/// The line of a part of a text, from 1.
fn line_of(text: &str, part: &str) -> Vec<u32> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| line.contains(part)).map(|(number, _)| number).collect()
}

/// Runs all; what is wrong with the first that is.
pub(crate) fn all() -> Result<(), String> {
    indices()?;
    paths()?;
    widths()?;
    spaces()?;
    together()?;
    steps()?;
    runs()?;
    loops()?;
    counts()?;
    ends()?;
    lists()?;
    surfaces()?;
    calls()?;
    written()?;
    texts()
}

fn indices() -> Result<(), String> {
    let signed = kernel(
        ONE,
        &format!(
            "{BEGIN} mul.wide.s32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], 7;"
        ),
    );
    let huge = [Argument::Huge { bytes: 1 << 35 }, number(0)];
    let with = |index: u32| [huge[0].clone(), number(index)];
    outside("a negative index", &signed, &with(-2_i32 as u32))?;
    outside("the least index", &signed, &with(i32::MIN as u32))?;
    inside("the largest index", &signed, &with(i32::MAX as u32))?;
    let back = signed.replace("[%d3]", "[%d3+-8]");
    inside("a step back", &back, &with(2))?;
    outside("a step back too far", &back, &with(1))?;
    outside("a step back around", &back, &with(i32::MIN as u32 + 1))?;
    let on = signed.replace("[%d3]", "[%d3+8]");
    inside("a step on from before", &on, &with(-2_i32 as u32))?;
    outside("a step on from further before", &on, &with(-3_i32 as u32))?;
    inside("a step on from the largest", &on, &with(i32::MAX as u32))?;
    let unsigned = signed.replace("mul.wide.s32", "mul.wide.u32");
    let exact = |bytes: u64, index: u32| [Argument::Huge { bytes }, number(index)];
    inside("a large index", &unsigned, &exact(1 << 34, u32::MAX - 1))?;
    let on = unsigned.replace("[%d3]", "[%d3+4]");
    outside("a step on around", &on, &exact(1 << 34, u32::MAX))?;
    inside("a step on", &on, &exact(1 << 34, u32::MAX - 2))?;
    wide()?;
    derived()?;
    let two = kernel(
        ".param .u64 a, .param .u32 n, .param .u32 m",
        &format!(
            "{BEGIN} ld.param.u32 %r1, [m]; mul.wide.u32 %d2, %r0, 4; mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d2; add.s64 %d5, %d4, %d3; st.global.u32 [%d5], 7;"
        ),
    );
    outside("a second index", &two, &[memory(64), number(0), number(1000)])
}

/// Indices of 64 bits.
fn wide() -> Result<(), String> {
    let body = |offset: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u32 m",
            &format!(
                "{BEGIN} ld.param.u32 %r1, [m]; mov.b64 %d4, {{%r0, %r1}}; shl.b64 %d2, %d4, 2; \
                 add.s64 %d3, %d1, %d2; st.global.u32 [%d3{offset}], 7;"
            ),
        )
    };
    let with =
        |bytes, index: u64| [memory(bytes), number(index as u32), number((index >> 32) as u32)];
    let plain = body("");
    contains("an index of 64 bits", &plain, &["setp.lt.u64"], &["sub.s64"])?;
    inside("the last index of 64 bits", &plain, &with(64, 15))?;
    outside("an index of 64 bits that is too large", &plain, &with(64, 16))?;
    outside(
        "an index of 64 bits at the end of an extent that is no multiple",
        &plain,
        &with(62, 15),
    )?;
    outside("a negative index of 64 bits", &plain, &with(64, -1_i64 as u64))?;
    outside("an index of 64 bits whose product wraps around", &plain, &with(64, 1 << 62))?;
    outside("an index of 64 bits without memory", &plain, &with(3, 0))?;
    inside("a step back of 64 bits", &body("+-8"), &with(64, 2))?;
    outside("a step back of 64 bits too far", &body("+-8"), &with(64, 1))?;
    inside("a step on of 64 bits from before", &body("+8"), &with(64, -2_i64 as u64))?;
    outside("a step on of 64 bits too far", &body("+8"), &with(64, 14))?;
    // The register is written again between the address and the access.
    let again = plain.replace("st.global", "mov.u64 %d4, 0; st.global");
    outside("an index of 64 bits that changes", &again, &with(64, 16))?;
    Ok(())
}

/// Addresses that are computed in other ways.
fn derived() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u32 m",
            &format!(
                "{BEGIN} ld.param.u32 %r1, [m]; mov.b64 %d4, {{%r0, %r1}}; cvt.u64.u32 %d5, %r0; \
                 {rest} st.global.u32 [%d3], 7;"
            ),
        )
    };
    let with = |bytes, index: u32| [memory(bytes), number(index), number(0)];
    for (what, computed, bytes, last) in [
        (
            "a number less",
            "mul.wide.u32 %d2, %r0, 4; add.s64 %d6, %d1, %d2; sub.s64 %d3, %d6, 8;",
            32,
            9,
        ),
        (
            "a sum that is shifted",
            "add.s64 %d6, %d5, 4; shl.b64 %d7, %d6, 2; add.s64 %d3, %d1, %d7;",
            32,
            3,
        ),
        ("a multiple of 12", "mul.wide.u32 %d2, %r0, 12; add.s64 %d3, %d1, %d2;", 40, 3),
        ("a multiple of 12, with sign", "mul.wide.s32 %d2, %r0, 12; add.s64 %d3, %d1, %d2;", 40, 3),
        ("a product that is no shift", "mul.lo.s64 %d2, %d4, 12; add.s64 %d3, %d1, %d2;", 40, 3),
        ("a product that is a shift", "mul.lo.s64 %d2, %d4, 8; add.s64 %d3, %d1, %d2;", 28, 3),
        (
            "half a unit further",
            "shl.b64 %d2, %d4, 3; add.s64 %d6, %d1, %d2; add.s64 %d3, %d6, 4;",
            32,
            3,
        ),
        ("a number that is shifted out", "shl.b64 %d2, 1, 70; add.s64 %d3, %d1, %d2;", 4, 9),
        ("a sum with a number", "add.s64 %d2, 8, %d5; mad.lo.s64 %d3, %d2, 4, %d1;", 64, 7),
        (
            "a register of twice the width",
            "cvt.u64.u32 %d2, %d4; shl.b64 %d6, %d2, 2; add.s64 %d3, %d1, %d6;",
            16,
            3,
        ),
    ] {
        let text = body(computed);
        inside(what, &text, &with(bytes, last))?;
        if !what.ends_with("out") {
            outside(&format!("{what}, too far"), &text, &with(bytes, last + 1))?;
        }
    }
    // These are compared by their indices, of 64 bits or of 32.
    for computed in [
        "mad.wide.u32 %d3, %r0, 4, %d1;",
        "mad.wide.s32 %d3, %r0, 4, %d1;",
        "mul.wide.u32 %d2, %r0, 4; add.s64 %d6, %d2, 8; add.s64 %d3, %d6, %d1;",
        "mul.wide.s32 %d2, 4, %r0; sub.s64 %d6, %d1, 8; add.s64 %d3, %d6, %d2;",
        "cvt.s64.s32 %d2, %r0; shl.b64 %d6, %d2, 2; add.s64 %d3, %d1, %d6;",
        "shl.b64 %d6, %d5, 2; mov.u64 %d7, %d6; add.s64 %d3, %d1, %d7;",
        "shl.b64 %d6, %d4, 2; add.s64 %d3, %d1, %d6;",
        "mul.lo.s64 %d6, %d4, 4; add.s64 %d3, %d6, %d1;",
        "mul.lo.s64 %d6, %d5, 4; add.s64 %d3, %d6, %d1;",
        "mov.u64 %d7, cons; mul.wide.u32 %d2, %r0, 4; add.s64 %d6, %d7, %d2; ld.const.u32 %r2, [%d6]; mov.u64 %d3, %d1;",
        "mov.u64 %d7, lo; cvta.local.u64 %d8, %d7; mul.wide.u32 %d2, %r0, 4; add.s64 %d6, %d8, %d2; ld.u32 %r2, [%d6]; mov.u64 %d3, %d1;",
    ] {
        match computed.contains("%d4") {
            true => contains(computed, &body(computed), &["setp.lt.u64"], &["sub.s64"])?,
            false => contains(computed, &body(computed), &["setp.lt.u32"], &["setp.lt.u64"])?,
        }
    }
    let twice = body("cvt.u64.u32 %d2, %d4; shl.b64 %d6, %d2, 2; add.s64 %d3, %d1, %d6;");
    contains("a register of twice the width", &twice, &["setp.lt.u64"], &["setp.lt.u32"])?;
    let out = body("shl.b64 %d2, 1, 70; add.s64 %d3, %d1, %d2;").replace("global.u32", "global.u8");
    inside("a number that is shifted out, for a byte", &out, &with(4, 0))?;
    outside("a number less than the first", &body("sub.s64 %d3, %d1, 4;"), &with(32, 0))?;
    outside("a pointer that is shifted", &body("shl.b64 %d3, %d1, 2;"), &with(32, 0))?;
    let far = body("shl.b64 %d2, %d5, 16; shl.b64 %d6, %d2, 16; add.s64 %d3, %d1, %d6;");
    inside("a shift of a shift of 0", &far, &with(32, 0))?;
    outside("a shift of a shift", &far, &with(32, 1))?;
    let edge = body("shl.b64 %d2, %d5, 30; shl.b64 %d6, %d2, 1; add.s64 %d3, %d1, %d6;");
    outside("a shift that is far", &edge, &with(32, 1))
}

/// Reads of an argument that follow each other, and what is moved for that.
fn runs() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u64 b",
            &format!("{BEGIN} ld.param.u64 %d8, [b]; cvta.to.global.u64 %d8, %d8; {rest}"),
        )
    };
    let with = |bytes, index| [memory(bytes), number(index), memory(16)];
    let two = body(
        "mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r1, [%d3];
         add.s32 %r2, %r0, 100; mul.wide.u32 %d4, %r2, 4; add.s64 %d5, %d1, %d4; ld.global.u32 %r3, [%d5];
         add.s32 %r4, %r1, %r3; st.global.u32 [%d8], %r4;",
    );
    inside("two reads", &two, &with(404, 0))?;
    outside("the first of two reads", &two, &with(404, 101))?;
    outside("the second of two reads", &two, &with(400, 0))?;
    // Braces say nothing about what is done.
    for two in [&two, &two.replace("add.s32 %r2", "{ .reg .b32 %x; mov.u32 %x, %r0; } add.s32 %r2")]
    {
        let guarded = guard(two).map_err(|error| error.to_string())?;
        match guarded.kernels()[0].sites() {
            [reads, write]
                if reads.further == line_of(two, "%r3, [%d5]")
                    && reads.parameters == [0]
                    && (&write.parameters[..], &write.further[..]) == (&[2], &[]) => {}
            sites => {
                return Err(format!("two reads have one check: {sites:?}\n{}", guarded.text()));
            }
        }
    }
    let guarded = guard(&two).map_err(|error| error.to_string())?;
    let used = guarded.kernels()[0].parameters().iter().map(|one| (one.reads, one.writes));
    let used: Vec<_> = used.collect();
    if used != [(true, false), (false, false), (false, true)] {
        return Err(format!("what is read and written: {used:?}"));
    }
    // What is written depends on the order of a read, and of what it reads and writes.
    let at = |first: &str| {
        body(&format!(
            "mov.u32 %r1, 0; mov.u64 %d6, %d1; {first} and.b32 %r2, %r1, 8; cvt.u64.u32 %d4, %r2;
             add.s64 %d5, %d8, %d4; st.global.u32 [%d5], 7;"
        ))
    };
    let wanted = inside("a write", &at("mov.u32 %r1, 8;"), &with(8, 0))?;
    let read = at("ld.global.u32 %r1, [%d6];");
    if inside("a write behind a read", &read, &with(8, 0))?.memory != wanted.memory {
        return Err("what a read gives is used before it".to_owned());
    }
    let moved = body(
        "mov.u64 %d6, %d1; ld.global.u32 %r1, [%d6]; add.s64 %d6, %d1, 400; ld.global.u32 %r2, [%d1+4];
         ld.global.u32 %r3, [%d6];",
    );
    outside("an address that changes behind a read", &moved, &with(64, 0))?;
    let first = moved.replace("ld.global.u32 %r3, [%d6];", "");
    inside("an address that changes behind a read of it", &first, &with(64, 0))?;
    // Reads that wait for others are made behind those that do not, but before a write.
    let waits = body(
        "mov.u32 %r1, 0; ld.global.u32 %r2, [%d1]; and.b32 %r2, %r2, 4; cvt.u64.u32 %d2, %r2; add.s64 %d3, %d1, %d2;
         ld.global.u32 %r3, [%d3]; st.global.u32 [%d1+4], 7; ld.global.u32 %r4, [%d1+8]; and.b32 %r4, %r4, 4;
         cvt.u64.u32 %d4, %r4; add.s64 %d5, %d1, %d4; ld.global.u32 %r5, [%d5]; ld.global.u32 %r6, [%d1+12];
         add.s32 %r5, %r5, %r6; st.global.v2.u32 [%d8], {%r3, %r5};",
    );
    let filled = |word: u8| {
        let bytes = [word, 1, 2, 3].iter().flat_map(|&word| [word, 0, 0, 0]).collect();
        [Argument::Memory { bytes, writes: true, skew: 0 }, number(0), memory(16)]
    };
    for word in [0, 4] {
        let shape = Shape { grid: [1; 3], block: [1; 3], ..Shape::default() };
        let plain = launch(&waits, None, "test", &filled(word), shape)?;
        if inside("reads that wait", &waits, &filled(word))?.memory != plain.memory {
            return Err(format!("reads that wait, of {word}"));
        }
    }
    let gathers = body(
        "ld.global.u32 %r2, [%d1]; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d8, %d2; ld.global.u32 %r3, [%d3];
         ld.global.u32 %r4, [%d1+4]; mul.wide.u32 %d4, %r4, 4; add.s64 %d5, %d8, %d4; ld.global.u32 %r5, [%d5];",
    );
    match guard(&gathers).map_err(|error| error.to_string())?.kernels()[0].sites() {
        [indices, values] if indices.further.len() == 1 && values.further.len() == 1 => {}
        sites => return Err(format!("two gathers have two checks: {sites:?}")),
    }
    // The only parameter that is an address is what any address is compared with.
    let chained = kernel(
        ONE,
        &format!("{BEGIN} mov.u64 %d3, %d1; ld.global.u64 %d3, [%d3]; ld.global.u32 %r1, [%d3];"),
    );
    outside("an address that the read before gives", &chained, &[memory(64), number(0)])?;
    // The clock is no register that nobody else changes.
    let clock = body("ld.global.u32 %r1, [%d1]; mov.u32 %r2, %clock; ld.global.u32 %r3, [%d1+4];");
    let text = guard(&clock).map_err(|error| error.to_string())?.text().to_owned();
    let place = |what: &str| text.find(what).unwrap_or(0);
    let (one, clock, other) =
        (place("ld.global"), place("%clock"), text.rfind("ld.global").unwrap_or(0));
    if !(one < clock && clock < other) {
        return Err(format!("the clock is read elsewhere:\n{text}"));
    }
    Ok(())
}

fn paths() -> Result<(), String> {
    let body = |rest: &str| kernel(ONE, &format!("{BEGIN} setp.eq.u32 %p1, %r0, 1; {rest}"));
    let skipped = body(
        "@%p1 bra SKIP; mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2;\nSKIP:\nst.global.u32 [%d3], 7;",
    );
    outside("a skipped address", &skipped, &[memory(64), number(1)])?;
    inside("an address that is not skipped", &skipped, &[memory(64), number(2)])?;
    let predicated =
        body("mul.wide.u32 %d2, %r0, 4; @!%p1 add.s64 %d3, %d1, %d2; st.global.u32 [%d3], 7;");
    outside("an address with a predicate", &predicated, &[memory(64), number(1)])?;
    let changed = body(
        "mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; mov.u32 %r0, 0; st.global.u32 [%d3], 7;",
    );
    outside("an index that changes", &changed, &[memory(64), number(1000)])?;
    inside("an index that changed", &changed, &[memory(64), number(15)])?;
    // The address is of the pass before, and the index of this one.
    let loops = body(
        "mov.u32 %r5, 0; mov.u64 %d3, %d1;\nL:\nadd.u32 %r6, %r5, %r0; st.global.u32 [%d3], 7; mul.wide.u32 %d2, %r6, 4; add.s64 %d3, %d1, %d2; sub.u32 %r0, %r0, %r0; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2; @%p2 bra L;",
    );
    outside("an address of the pass before", &loops, &[memory(64), number(1000)])?;
    ways()?;
    over()?;
    contains(
        "a register that is read before it is written",
        &body("add.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;"),
        &["mov.b32 %r9, 0;"],
        &[],
    )
    .or_else(|_| zeroed(&body("add.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;")))
}

/// Addresses that are computed on some of the ways to an access.
fn ways() -> Result<(), String> {
    let body = |rest: &str| {
        let computed = "mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2;";
        kernel(
            ONE,
            &format!(
                "{BEGIN} setp.eq.u32 %p1, %r0, 1; setp.eq.u32 %p2, %r0, 2; setp.eq.u32 %p3, %r0, 3; {}",
                rest.replace("COMPUTED", computed).replace("END", "st.global.u32 [%d3], 7;")
            ),
        )
    };
    // The numbers with which it is computed.
    for (ways, computed) in [
        ("@%p1 bra A; @%p2 bra B; COMPUTED\nB:\nA:\nEND", &[0, 3][..]),
        ("@%p1 bra A; @%p2 bra B; bra C;\nB:\nCOMPUTED\nC:\nadd.u32 %r1, %r1, 1;\nA:\nEND", &[2]),
        (
            "@%p1 bra A; COMPUTED @%p2 bra B; bra C;\nA:\n@%p3 bra B;\nC:\nadd.u32 %r1, %r1, 1;\nB:\nEND",
            &[0, 2, 3],
        ),
        (
            "@%p1 bra A; bra B;\nA:\nCOMPUTED bra C;\nB:\n@%p2 bra D; bra C;\nD:\nadd.u32 %r1, %r1, 1;\nC:\nEND",
            &[1],
        ),
        (
            "@%p1 bra A;\nM:\nbra L;\nA:\nCOMPUTED\nL:\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 2; @%p4 bra M;\nEND",
            &[1],
        ),
        (
            "mov.u32 %r5, 1;\nL:\nsetp.gt.u32 %p4, %r5, %r0; @%p4 bra D; COMPUTED add.u32 %r5, %r5, 1; bra L;\nD:\nEND",
            &[1, 2, 3],
        ),
        (
            "@%p1 bra A; @%p2 bra A; @%p3 bra A; COMPUTED bra A;\nB:\nEND ret;\nA:\nadd.u32 %r1, %r1, 1; bra B;",
            &[0],
        ),
        (
            "bra A;\nB:\nCOMPUTED\nA:\n@!%p1 bra C; @%p4 bra C; setp.eq.u32 %p4, %r0, %r0; bra B;\nC:\nEND",
            &[1],
        ),
    ] {
        let text = body(ways);
        for number_of in 0..4 {
            let arguments = [memory(64), number(number_of)];
            match computed.contains(&number_of) {
                true => inside(ways, &text, &arguments).map(drop)?,
                false => outside(&format!("{ways} with {number_of}"), &text, &arguments)?,
            }
        }
    }
    // What is computed on all ways is compared by its index.
    for ways in [
        "COMPUTED @%p1 bra A; add.u32 %r1, %r1, 1;\nA:\nEND",
        "COMPUTED @%p1 bra A; @%p2 bra B; add.u32 %r1, %r1, 1;\nB:\nadd.u32 %r1, %r1, 1;\nA:\nEND",
        "@%p1 bra A; bra B;\nA:\nadd.u32 %r1, %r1, 1;\nB:\nCOMPUTED\nL:\n@%p2 bra C; bra D;\nC:\nadd.u32 %r1, %r1, 1; @%p3 bra L;\nD:\nEND",
    ] {
        contains(ways, &body(ways), &["setp.lt.u32"], &["sub.s64"])?;
        inside(ways, &body(ways), &[memory(64), number(15)])?;
        outside(ways, &body(ways), &[memory(64), number(16)])?;
    }
    // Several indices that change between their addresses and the accesses.
    let changed = body(
        "add.u32 %r1, %r0, 1; mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; mul.wide.u32 %d4, %r1, 4; add.s64 %d5, %d1, %d4; \
         add.u32 %r2, %r0, 2; mul.wide.u32 %d6, %r2, 4; add.s64 %d7, %d1, %d6; mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; \
         st.global.u32 [%d3], 7; bar.sync 0; st.global.u32 [%d5], 7; bar.sync 0; st.global.u32 [%d7], 7;",
    );
    inside("three indices that change", &changed, &[memory(64), number(13)])?;
    for index in 14..17 {
        outside("three indices that change", &changed, &[memory(64), number(index)])?;
    }
    Ok(())
}

/// Accesses that a branch skips, which are made with its predicate.
fn over() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(
            ONE,
            &format!("{BEGIN} setp.eq.u32 %p1, %r0, 1; mov.u32 %r5, 3; mov.u32 %r6, 4; {rest}"),
        )
    };
    let with = |bytes, number_of| [memory(bytes), number(number_of)];
    let same = |what: &str, text: &str, arguments: &[Argument]| {
        let shape = Shape { grid: [1; 3], block: [1; 3], ..Shape::default() };
        let plain = launch(text, None, "test", arguments, shape)?;
        match inside(what, text, arguments)?.memory == plain.memory {
            true => Ok(()),
            false => Err(format!("{what}: the results differ")),
        }
    };
    let far = "mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r5;";
    let short = body(&format!("@%p1 bra S; {far}\nS:\nst.global.u32 [%d1], %r6;"));
    let negated = short.replace("@%p1 bra", "@!%p1 bra");
    for text in [&short, &negated] {
        contains("a branch over a write", text, &["@"], &["bra"])?;
        same("a branch over a write", text, &with(16, 1))?;
        same("a write that a branch is before", text, &with(16, 2))?;
    }
    same("a branch over a write that is outside", &short, &with(4, 1))?;
    outside("a write that is outside, behind a branch", &short, &with(16, 4))?;
    inside("a branch over a write with a predicate that does not hold", &negated, &with(16, 4))?;
    outside("a write behind a branch that is not made", &negated, &with(4, 1))?;
    let beyond = short.replace("bra S", "bra T").replace("S:", "S:\nst.global.u32 [%d1], %r5;\nT:");
    contains("a branch beyond a label", &beyond, &["bra"], &[])?;
    same("a branch beyond a label", &beyond, &with(16, 1))?;
    let used = short.replace(far, &format!("add.u32 %r6, %r6, 1; {far}"));
    contains("a branch over what is used", &used, &["bra"], &[])?;
    same("a branch over what is used", &used, &with(16, 1))?;
    let again = short.replace(far, &format!("setp.ne.u32 %p1, %r0, %r0; {far} {far}"));
    contains("a branch over its predicate", &again, &["bra"], &[])?;
    same("a branch over its predicate", &again, &with(16, 2))
}

/// The register that `add` reads is set to 0 before.
fn zeroed(text: &str) -> Result<(), String> {
    let guarded = guard(text).map_err(|error| error.to_string())?;
    let text = guarded.text();
    let add = text.lines().find(|line| line.contains("add.u32") && line.ends_with(", 1;"));
    let read = add.and_then(|line| line.split(", ").nth(1)).ok_or("no addition")?;
    match text.contains(&format!("mov.b32 {read}, 0;")) {
        true => Ok(()),
        false => Err(format!("{read} is not set\n{text}")),
    }
}

fn widths() -> Result<(), String> {
    let body = |rest: &str| kernel(ONE, &format!("{BEGIN} {rest}"));
    let moved = body(
        "mul.wide.u32 %d2, %r0, 12; mov.u64 %d3, %d1; add.s64 %d3, %d3, %d2; ld.global.u32 %r1, [%d3];",
    );
    inside("the last word of an extent", &moved, &[memory(64), number(5)])?;
    outside("half a word behind others", &moved, &[memory(62), number(5)])?;
    let first = moved.replace("%r0, 12", "%r0, 8").replace("u32 %r1", "v2.u32 {%r1, %r2}");
    inside("the first element of a vector", &first, &[memory(60), number(7)])?;
    outside("a part of the first element", &first, &[memory(59), number(7)])?;
    outside("half a word", &body("ld.global.u64 %d5, [%d1];"), &[memory(4), number(0)])?;
    inside(
        "a vector that is read past the end",
        &body("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];"),
        &[memory(4), number(0)],
    )?;
    outside(
        "a vector that is written past the end",
        &body("st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};"),
        &[memory(4), number(0)],
    )?;
    outside("nothing", &body("ld.global.u8 %r1, [%d1];"), &[memory(0), number(0)])?;
    let skew = Argument::Memory { bytes: vec![0; 64], writes: true, skew: 2 };
    outside("a begin that is not aligned", &body("ld.global.u32 %r1, [%d1];"), &[skew, number(0)])?;
    outside(
        "an offset that is not aligned",
        &body("ld.global.u32 %r1, [%d1+2];"),
        &[memory(64), number(0)],
    )?;
    let doubled = body(
        "cvt.u64.u32 %d2, %r0; shl.b64 %d3, %d2, 1; add.s64 %d4, %d1, %d3; ld.global.u32 %r1, [%d4];",
    );
    inside("twice an even number", &doubled, &[memory(64), number(2)])?;
    outside("twice an odd number", &doubled, &[memory(64), number(1)])?;
    let skew = |bytes| Argument::Memory { bytes: vec![0; bytes], writes: true, skew: 2 };
    inside("twice a number, from an odd begin", &doubled, &[skew(62), number(29)])?;
    outside("the last of twice a number, from an odd begin", &doubled, &[skew(64), number(31)])?;
    // A copy reads as much as a register says, in whole words.
    let copy = body(
        ".shared .align 16 .b8 sh[16]; mov.u32 %r1, sh; cp.async.cg.shared.global [%r1], [%d1+16], 16, %r0; cp.async.wait_all;",
    );
    for (bytes, size) in [(32, 16), (24, 8), (20, 1)] {
        inside("a copy of a size", &copy, &[memory(bytes), number(size)])?;
        outside("a copy of a size", &copy, &[memory(bytes - 1), number(size)])?;
    }
    multiples()?;
    launched()?;
    let read = Argument::Memory { bytes: vec![0; 64], writes: false, skew: 0 };
    outside(
        "a write of what may only be read",
        &body("st.global.u32 [%d1], 7;"),
        &[read.clone(), number(0)],
    )?;
    outside(
        "an update of what may only be read",
        &body("red.global.add.u32 [%d1], 7;"),
        &[read, number(0)],
    )?;
    // The value is 0, and not what the register held.
    let zero = inside(
        "",
        &body("st.global.u32 [%d1], 0; st.global.u32 [%d1+4], 0;"),
        &[memory(8), number(0)],
    )?;
    let value = body(
        "mov.u32 %r1, 5; mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r1, [%d3]; st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r1;",
    );
    let own = body(
        "mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; ld.global.u64 %d3, [%d3]; st.global.u64 [%d1], %d3;",
    );
    if left(&own, &[memory(8), number(1000)])?.memory != zero.memory {
        return Err("the value of a load to the register of its address".to_owned());
    }
    let left = left(&value, &[memory(8), number(1000)])?;
    match left.memory == zero.memory {
        true => Ok(()),
        false => Err(format!("the value of a load that was not made: {:?}", left.memory)),
    }
}

/// What an address is a multiple of, whatever it was computed of.
fn multiples() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u32 m",
            &format!(
                "{BEGIN} ld.param.u32 %r1, [m]; setp.eq.u32 %p1, %r0, 1; cvt.u64.u32 %d5, %r0; cvt.u64.u32 %d6, %r1; \
                 {rest} add.s64 %d3, %d1, %d2; ld.global.u32 %r9, [%d3];"
            ),
        )
    };
    let with = |index: u32| [memory(64), number(index), number(2)];
    // With the first number it is a multiple of 4, and with the second one it is not.
    for (computed, good, bad) in [
        ("and.b64 %d2, %d5, 6;", 4, 2),
        ("and.b64 %d2, %d5, %d6;", 1, 2),
        ("or.b64 %d2, %d5, 4;", 0, 2),
        ("xor.b64 %d2, %d5, 2;", 2, 4),
        ("sub.s64 %d2, %d5, 2;", 6, 4),
        ("add.s64 %d2, %d5, %d6;", 6, 4),
        ("min.u64 %d2, %d5, 4;", 9, 2),
        ("max.u64 %d2, %d5, 4;", 3, 6),
        ("mul.lo.s64 %d2, %d5, %d6;", 2, 1),
        ("mul.lo.s64 %d2, %d5, 6;", 2, 1),
        ("mad.lo.s64 %d2, %d5, 4, 2; add.s64 %d2, %d2, %d5;", 2, 1),
        ("mad.lo.s64 %d2, %d5, %d6, %d6;", 1, 2),
        ("mul.wide.u32 %d2, %r0, %r1;", 2, 1),
        ("mul.wide.u32 %d2, %r0, 2;", 2, 1),
        ("mad.wide.u32 %d2, %r0, 4, %d5;", 4, 2),
        ("mad.wide.u32 %d2, %r0, %r1, %d6;", 1, 2),
        ("shl.b64 %d2, %d5, 1;", 2, 1),
        ("shl.b64 %d2, %d5, %r1; shr.u64 %d2, %d2, 1;", 2, 1),
        ("selp.b64 %d2, 4, 2, %p1;", 1, 2),
        ("selp.b64 %d2, %d5, 4, %p1; sub.s64 %d2, 5, %d2;", 1, 2),
        ("mov.b64 %d2, {%r0, 0};", 4, 2),
        ("mul.hi.u32 %r2, %r0, -1; cvt.u64.u32 %d2, %r2;", 5, 3),
        ("shr.u64 %d2, %d5, 1;", 8, 4),
        ("and.b32 %r2, %r0, -2; cvt.u64.u32 %d2, %r2;", 5, 3),
        ("mul.lo.u32 %r2, %r0, 2; cvt.s64.s32 %d2, %r2;", 2, 1),
        ("shl.b32 %r2, %r0, 1; cvt.u64.u32 %d2, %r2;", 2, 1),
        (
            "shl.b64 %d2, %d5, 33; cvt.u32.u64 %r2, %d2; add.u32 %r2, %r2, %r0; cvt.u64.u32 %d2, %r2;",
            4,
            2,
        ),
        ("prmt.b32 %r2, %r0, 0, 0x3210; cvt.u64.u32 %d2, %r2;", 4, 2),
        ("shf.l.wrap.b32 %r2, %r0, %r0, 0; cvt.u64.u32 %d2, %r2;", 4, 2),
        ("bfi.b32 %r2, %r0, 0, 0, 8; cvt.u64.u32 %d2, %r2;", 4, 2),
        ("mov.u64 %d2, 2; @%p1 mov.u64 %d2, 4;", 1, 2),
        ("mov.u64 %d2, 4; @!%p1 mov.u64 %d2, %d5;", 1, 2),
    ] {
        let text = body(computed);
        inside(computed, &text, &with(good))?;
        outside(computed, &text, &with(bad))?;
    }
    // These are known to be multiples, and their lowest bits are not looked at.
    for computed in [
        "and.b64 %d2, %d5, -4;",
        "mul.lo.s64 %d2, %d5, 12;",
        "shl.b64 %d2, %d5, 2; add.s64 %d2, %d2, 8;",
        "and.b32 %r2, %r0, 12; cvt.u64.u32 %d2, %r2;",
        "shl.b32 %r2, %r0, 1; mul.wide.u32 %d2, %r2, 2;",
        "mad.wide.s32 %d2, %r0, 4, 8;",
        "mad.lo.s64 %d2, %d5, 4, 8;",
        "shl.b32 %r2, %r0, 3; selp.b32 %r2, %r2, 4, %p1; cvt.u64.u32 %d2, %r2;",
    ] {
        let text = body(computed);
        let guarded = guard(&text).map_err(|error| error.to_string())?;
        let low = |line: &str| line.contains("and.b32") && line.ends_with(", 3;");
        if guarded.text().lines().any(low) {
            return Err(format!("{computed} is known to be a multiple\n{}", guarded.text()));
        }
        inside(computed, &text, &with(4))?;
    }
    // What a sum of floating point numbers is made of says nothing about it.
    let sum = body(
        "mov.b32 %f0, 0x3f800000; mov.b32 %f1, 0x34000000; add.f32 %f2, %f0, %f1; mov.b32 %r2, %f2; \
         sub.u32 %r2, %r2, 0x3f800000; cvt.u64.u32 %d2, %r2;",
    );
    outside("a sum of floating point numbers", &sum, &with(0))?;
    // A number that is no multiple, and a begin that is none.
    outside("a number that is no multiple", &body("mov.u64 %d2, 2;"), &with(0))?;
    let down = body("mov.u64 %d2, 0; and.b64 %d1, %d1, -2;");
    let skew = Argument::Memory { bytes: vec![0; 64], writes: true, skew: 2 };
    inside("a begin that is made a multiple", &down, &with(0))?;
    outside("a begin that is made a multiple of less", &down, &[skew, number(0), number(2)])?;
    let skew = |skew| [Argument::Memory { bytes: vec![0; 64], writes: true, skew }, number(0)];
    for same in ["mul.lo.s64 %d3, %d1, 1;", "and.b64 %d3, %d1, %d1;", "and.b64 %d3, %d1, -1;"] {
        let text = kernel(ONE, &format!("{BEGIN} {same} ld.global.u32 %r1, [%d3];"));
        inside(same, &text, &skew(4))?;
        outside(same, &text, &skew(2))?;
    }
    // An address in halves, beside another one.
    let halves = kernel(
        ".param .u64 a, .param .u32 n, .param .u64 b",
        &format!(
            "{BEGIN} ld.param.u64 %d8, [b]; mov.b64 {{%r1, %r2}}, %d8; mov.b64 %d4, {{%r1, %r2}}; setp.eq.u32 %p1, %r0, 0; \
             selp.b64 %d3, %d1, %d4, %p1; st.global.u32 [%d3], 7;"
        ),
    );
    let read = halves.replace("mov.b64 %d4, {%r1, %r2}", "ld.global.u64 %d4, [%d1]");
    for index in 0..2 {
        inside("an address in halves", &halves, &[memory(4), number(index), memory(4)])?;
        let bytes = address_of(2).to_vec();
        let place = Argument::Memory { bytes, writes: true, skew: 0 };
        let with = [place, number(index), memory(4)];
        inside("an address from memory", &read, &with)?;
        let taken = read.replace("ld.global.u64 %d4, [%d1]", "atom.global.exch.b64 %d4, [%d1], 0");
        inside("an address that is taken from memory", &taken, &with)?;
    }
    // The begin of one argument says nothing about distances in another.
    let other = |far: u32| {
        let place =
            format!("ld.global.u64 %d5, [%d1]; add.s64 %d6, %d5, {far}; and.b64 %d4, %d6, -4");
        let text = halves.replace("mov.b64 %d4, {%r1, %r2}", &place);
        let bytes = address_of(2).to_vec();
        let odd = Argument::Memory { bytes: vec![0; 64], writes: true, skew: 2 };
        (text, [Argument::Memory { bytes, writes: true, skew: 0 }, number(1), odd])
    };
    let (near, far) = (other(58), other(62));
    inside("the last word behind an odd begin", &near.0, &near.1)?;
    outside("a word that ends behind an odd end", &far.0, &far.1)?;
    // In a function a pointer may lead anywhere.
    let called = body(
        "add.s64 %d7, %d1, %d5; { .param .b64 one; st.param.b64 [one], %d7; call f, (one); } mov.u64 %d2, 0;",
    )
    .replace(".visible", ".func f(.param .b64 p) { .reg .b64 %d<3>; .reg .b32 %r<3>; ld.param.b64 %d0, [p]; ld.global.u32 %r1, [%d0]; ret; }\n.visible");
    inside("a pointer that is passed on", &called, &with(4))?;
    outside("a pointer that is passed on and no multiple", &called, &with(2))
}

/// What the launch looks at.
fn launched() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(ONE, &format!("{BEGIN} mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; {rest}"))
    };
    let word = body("ld.global.u32 %r1, [%d3];");
    let looked = |text: &str| {
        let guarded = guard(text).map_err(|error| error.to_string())?;
        let first = guarded.kernels().first().map(|one| one.parameters()[0]);
        first.map(|one| (one.bounds.begin, one.bounds.most)).ok_or("refused".to_owned())
    };
    let all = |what: &str, text: &str, wanted| match looked(text)? {
        found if found == wanted => Ok(()),
        found => Err(format!("{what}: the launch looks at {found:?}")),
    };
    all("accesses of a kind", &word, (4, 0x3_ffff_fffc))?;
    contains("accesses of a kind", &word, &["shf.r.wrap"], &["and.b64", "selp"])?;
    let huge = Argument::Huge { bytes: 1 << 36 };
    inside("the last index", &word, &[huge.clone(), number(u32::MAX - 1)])?;
    let half = Argument::Memory { bytes: vec![0; 64], writes: true, skew: 2 };
    outside("a begin that is not aligned", &word, &[half, number(0)])?;
    // Some need more alignment than others.
    let mixed = body(
        "ld.global.u32 %r1, [%d1+4]; setp.eq.u32 %p1, %r0, 0; @%p1 bra END; st.global.v4.u32 [%d1+16], {%r1, %r1, %r1, %r1};\nEND:",
    );
    let word = Argument::Memory { bytes: vec![0; 64], writes: true, skew: 4 };
    all("vectors and words", &mixed, (1, u64::MAX))?;
    outside("a vector that is not aligned", &mixed, &[word.clone(), number(1)])?;
    inside("a word before it", &mixed, &[word, number(0)])?;
    // An index of words goes further than one of bytes.
    let bytes = body(
        "cvt.u64.u32 %d4, %r2; add.s64 %d5, %d1, %d4; ld.global.u8 %r3, [%d5]; ld.global.u32 %r1, [%d3];",
    );
    inside("an index of words beside one of bytes", &bytes, &[huge.clone(), number(u32::MAX - 1)])?;
    let byte = body(
        "cvt.u64.u32 %d4, %r0; add.s64 %d5, %d1, %d4; ld.global.u8 %r3, [%d5]; ld.global.u32 %r1, [%d1+4];",
    );
    all("a byte and a word", &byte, (1, u64::MAX))?;
    inside("the last byte", &byte, &[memory(64), number(63)])?;
    outside("a byte further", &byte, &[memory(64), number(64)])?;
    // Between three and four times 2^32 bytes.
    let words = body("ld.global.u32 %r1, [%d3]; ld.global.u32 %r2, [%d1+4];");
    let large = |index| [Argument::Huge { bytes: 13 << 30 }, number(index)];
    inside("the last word of 13 GiB", &words, &large(0xcfff_ffff))?;
    outside("a word behind 13 GiB", &words, &large(0xd000_0000))?;
    // A write further on reaches further than a read, and no limit wraps around for that.
    let further = body("ld.global.u32 %r1, [%d3]; st.global.u32 [%d3+4], 7;");
    let whole = |index| [Argument::Huge { bytes: 1 << 34 }, number(index)];
    inside("a read before a write", &further, &whole(0))?;
    inside("a read before the last write", &further, &whole(u32::MAX - 1))?;
    outside("a read before a write behind the end", &further, &whole(u32::MAX))?;
    // An index with sign, the negative ones of which are large numbers.
    let signed = kernel(
        ONE,
        &format!(
            "{BEGIN} mul.wide.s32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], 7;\nL:\nst.global.u32 [%d3+4], 7;"
        ),
    );
    outside("a negative index", &signed, &[huge.clone(), number(0x8000_0000)])?;
    inside("the largest index with sign", &signed, &[huge.clone(), number(0x7fff_ffff)])?;
    // A function gets what is passed.
    let called = body("{ .param .b64 one; st.param.b64 [one], %d0; call f, (one); } ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];")
        .replace(".visible", ".func f(.param .b64 p) { .reg .b64 %d<3>; .reg .b32 %r<3>; ld.param.b64 %d0, [p]; ld.global.u32 %r1, [%d0]; ret; }\n.visible");
    all("a pointer that is passed on", &called, (1, u64::MAX))
}

fn spaces() -> Result<(), String> {
    let body = |rest: &str| kernel(ONE, &format!("{BEGIN} mul.wide.u32 %d2, %r0, 4; {rest}"));
    let local = body("mov.u64 %d3, lo; add.s64 %d4, %d3, %d2; st.local.u32 [%d4], 7;");
    outside("local memory", &local, &[memory(8), number(8)])?;
    inside("local memory inside", &local, &[memory(8), number(7)])?;
    let generic =
        body("mov.u64 %d3, lo; cvta.local.u64 %d3, %d3; add.s64 %d4, %d3, %d2; st.u32 [%d4], 7;");
    outside("local memory by a generic address", &generic, &[memory(8), number(8)])?;
    inside("local memory inside by a generic address", &generic, &[memory(8), number(7)])?;
    let constant = body(
        "mov.u64 %d3, cons; add.s64 %d4, %d3, %d2; ld.const.u32 %r1, [%d4]; st.global.u32 [%d1], %r1;",
    );
    outside("constant memory", &constant, &[memory(8), number(4)])?;
    inside("constant memory inside", &constant, &[memory(8), number(3)])?;
    let generic = body(
        "mov.u64 %d3, cons; cvta.const.u64 %d5, %d3; add.s64 %d4, %d5, %d2; ld.u32 %r1, [%d4]; st.global.u32 [%d1], %r1;",
    );
    outside("constant memory by a generic address", &generic, &[memory(8), number(4)])?;
    inside("constant memory inside by a generic address", &generic, &[memory(8), number(3)])?;
    let shared = body(
        ".shared .align 16 .b8 sh[64]; mov.u64 %d3, sh; cvta.shared.u64 %d3, %d3; add.s64 %d4, %d3, %d2; st.u32 [%d4], 7; ld.u32 %r1, [%d4]; st.global.u32 [%d1], %r1;",
    );
    inside("shared memory by a generic address", &shared, &[memory(8), number(7)])?;
    // The memory of the other blocks of a cluster is shared memory, where there are clusters.
    contains("generic addresses", &shared, &["isspacep.shared::cluster"], &[])?;
    let older = shared.replace("sm_90", "sm_80");
    contains("generic addresses", &older, &["isspacep.shared "], &["cluster"])?;
    // A pointer to local memory, in a function that takes it for one to global memory.
    let called = kernel(ONE, "mov.u64 %d3, lo; cvta.local.u64 %d3, %d3; { .param .b64 one; st.param.b64 [one], %d3; call f, (one); }")
        .replace(".visible", ".func f(.param .b64 p) { .reg .b64 %d<3>; .reg .b32 %r<3>; ld.param.b64 %d0, [p]; ld.global.u32 %r1, [%d0]; ret; }\n.visible");
    outside("local memory in a function", &called, &[memory(8), number(0)])?;
    let shared = called
        .replace("cvta.local", "cvta.shared")
        .replace("mov.u64 %d3, lo", ".shared .b32 sh[4]; mov.u64 %d3, sh");
    outside(
        "shared memory in a function that accesses global memory",
        &shared,
        &[memory(8), number(0)],
    )?;
    let generic = called.replace("ld.global", "ld");
    inside("local memory in a function, by a generic address", &generic, &[memory(8), number(0)])?;
    let generic = shared.replace("ld.global", "ld");
    inside("shared memory in a function, by a generic address", &generic, &[memory(8), number(0)])?;
    // Addresses of one space in another one.
    for (what, computed) in [
        (
            "an address in local memory, as a generic one",
            "mov.u64 %d3, lo; add.s64 %d4, %d3, %d2; st.u32 [%d4], 7;",
        ),
        (
            "a generic address in local memory",
            "mov.u64 %d3, lo; cvta.local.u64 %d4, %d3; add.s64 %d5, %d4, %d2; st.local.u32 [%d5], 7;",
        ),
        (
            "an address that is made generic twice",
            "mov.u64 %d3, lo; cvta.local.u64 %d4, %d3; cvta.local.u64 %d5, %d4; st.u32 [%d5], 7;",
        ),
        (
            "an address that is made local twice",
            "mov.u64 %d3, lo; cvta.to.local.u64 %d4, %d3; st.local.u32 [%d4], 7;",
        ),
        (
            "constant memory that is taken for local memory",
            "mov.u64 %d3, cons; cvta.local.u64 %d4, %d3; ld.u32 %r1, [%d4];",
        ),
        ("a byte behind a variable", "mov.u64 %d3, lo; st.local.u8 [%d3+32], 7;"),
        ("a byte before a variable", "mov.u64 %d3, lo; st.local.u8 [%d3+-1], 7;"),
    ] {
        outside(what, &body(computed), &[memory(8), number(0)])?;
    }
    inside(
        "the last byte of a variable",
        &body("mov.u64 %d3, lo; st.local.u8 [%d3+31], 7;"),
        &[memory(8), number(0)],
    )?;
    named()?;
    refused(
        "a parameter beyond its end",
        &kernel(ONE, "ld.param.u32 %r1, [n+8];"),
        "outside of the parameter",
    )
}

/// Variables by their names, and of little alignment.
fn named() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(ONE, &format!("{BEGIN} mul.wide.u32 %d2, %r0, 4; {rest}")).replace(
            "\n.const",
            "\n.global .align 16 .b8 glob[16]; .global .align 2 .b8 half[16];\n.const",
        )
    };
    let with = || [memory(8), number(0)];
    inside("a variable", &body("st.global.u32 [glob+12], 7;"), &with())?;
    for (what, access) in [
        ("behind a variable", "st.global.u32 [glob+16], 7;"),
        ("before a variable", "st.global.u32 [glob+-4], 7;"),
        ("half behind a variable", "st.global.v2.u32 [glob+12], {%r1, %r2};"),
        ("a variable, not aligned", "ld.global.u32 %r1, [glob+2];"),
        ("a variable that need not be aligned", "ld.global.u32 %r1, [half];"),
        ("constant memory", "ld.const.u32 %r1, [cons+16];"),
        ("constant memory, not aligned", "ld.const.u32 %r1, [cons+1];"),
    ] {
        outside(what, &body(access), &with())?;
    }
    inside("a variable of two bytes", &body("ld.global.u16 %h1, [half+14];"), &with())?;
    let indexed = body("mov.u64 %d3, half; add.s64 %d4, %d3, %d2; ld.global.u32 %r1, [%d4];");
    contains("a variable that need not be aligned", &indexed, &["and.b32"], &[])?;
    let whole = indexed.replace("%d3, half", "%d3, glob");
    contains("a variable that is aligned", &whole, &[], &["and.b32"])?;
    // The bytes of a parameter by their address.
    let bytes = kernel(
        ".param .u64 a, .param .u32 n, .param .align 8 .b8 s[16]",
        &format!(
            "{BEGIN} mov.b64 %d3, s; mul.wide.u32 %d2, %r0, 4; add.s64 %d4, %d3, %d2; ld.param.u32 %r1, [%d4]; \
             st.global.u32 [%d1], %r1;"
        ),
    );
    let passed = |index| [memory(8), number(index), Argument::Struct(vec![5; 16], Vec::new())];
    inside("the last word of a parameter", &bytes, &passed(3))?;
    outside("a word behind a parameter", &bytes, &passed(4))?;
    // An address that is a multiple if an argument begins at one, in a variable.
    let led = kernel(
        ".param .u64 a, .param .u32 n, .param .u64 b",
        &format!(
            "{BEGIN} ld.param.u64 %d2, [b]; ld.global.u64 %d9, [%d2]; and.b64 %d10, %d9, -4; mov.u64 %d3, glob; \
             cvta.global.u64 %d4, %d3; sub.s64 %d5, %d4, %d1; shr.s64 %d6, %d5, 2; shl.b64 %d7, %d6, 2; add.s64 %d8, %d1, %d7; \
             setp.eq.u32 %p1, %r0, 1; selp.b64 %d11, %d10, %d8, %p1; st.global.u32 [%d11+4], 7;"
        ),
    )
    .replace("\n.const", "\n.global .align 16 .b8 glob[16];\n.const");
    let from =
        |skew| [Argument::Memory { bytes: vec![0; 8], writes: true, skew }, number(0), memory(8)];
    inside("a variable behind a begin that is a multiple", &led, &from(0))?;
    outside("a variable behind a begin that is none", &led, &from(2))?;
    refused("a write to constant memory", &body("st.const.u32 [cons], 7;"), "not done")?;
    refused(
        "a variable of another space",
        &body("ld.local.u32 %r1, [cons];"),
        "another state space",
    )?;
    // Parameters and results of functions.
    let function = |rest: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .func (.param .align 4 .b8 back[12]) f(.param .align 4 .b8 p[12]) {{ .reg .b32 %r<4>; .reg .b64 %d<4>; {rest} ret; }}\n\
             .visible .entry test(.param .u64 a, .param .align 4 .b8 s[12]) {{ .reg .b64 %d<4>; .reg .b32 %r<4>; ld.param.u64 %d1, [s+4]; \
             {{ .param .align 4 .b8 one[12]; .param .align 4 .b8 two[12]; st.param.b32 [one], 1; call (two), f, (one); ld.param.b32 %r1, [two+8]; }} ret; }}\n"
        )
    };
    contains(
        "a function",
        &function("ld.param.u64 %d1, [p+4]; st.param.b32 [back+8], 7;"),
        &["st.param.b32"],
        &[],
    )?;
    refused("what is written to a parameter", &function("st.param.b32 [p], 7;"), "not done")?;
    refused("what is read of a result", &function("ld.param.b32 %r1, [back];"), "not done")?;
    refused("an update of a result", &function("red.param.add.u32 [back], 7;"), "not done")?;
    refused(
        "a result beyond its end",
        &function("st.param.b32 [back+12], 7;"),
        "outside of the parameter",
    )
}

/// Accesses that have one check.
fn together() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u64 b",
            &format!(
                "{BEGIN} mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; ld.param.u64 %d8, [b]; cvta.to.global.u64 %d8, %d8; {rest}"
            ),
        )
    };
    let with = |bytes, index| [memory(bytes), number(index), memory(8)];
    let back =
        body("ld.global.u32 %r1, [%d3+8]; ld.global.u32 %r2, [%d3+4]; ld.global.u32 %r3, [%d3];");
    inside("three reads", &back, &with(12, 0))?;
    outside("the first of three reads", &back, &with(8, 0))?;
    outside("the last of three reads", &back, &with(8, u32::MAX))?;
    contains("one comparison of three reads", &back, &["setp.lt.u32"], &[])?;
    let text = guard(&back).map_err(|error| error.to_string())?;
    let compared = text.text().lines().filter(|line| line.contains("setp.lt.u32")).count();
    let site = &text.kernels()[0].sites()[0];
    if compared != 1 || site.further.len() != 2 || text.kernels()[0].sites().len() != 1 {
        return Err(format!("one check for three reads: {compared}, {site:?}\n{}", text.text()));
    }
    // None is made if one is outside.
    let writes = body("st.global.u32 [%d3], 7; st.global.u32 [%d3+4], 7;");
    let untouched = inside("nothing", &body(""), &with(4, 0))?;
    let left = left(&writes, &with(4, 0))?;
    if left.site == 0 || left.memory != untouched.memory {
        return Err(format!("two writes, one of them outside: {left:?}"));
    }
    // Of those that order others, each is checked by itself.
    for words in ["volatile", "relaxed.sys", "release.sys", "mmio.relaxed.sys"] {
        let writes = writes.replace("st.global", &format!("st.{words}.global"));
        let left = self::left(&writes, &with(4, 0))?;
        if left.site == 0 || left.memory == untouched.memory {
            return Err(format!("two writes that are {words}, one of them outside: {left:?}"));
        }
    }
    // The second is elsewhere: the address changes between them.
    let moved = body("ld.global.u32 %r1, [%d3]; add.s64 %d3, %d3, 64; ld.global.u32 %r1, [%d3+4];");
    outside("an address that moves", &moved, &with(16, 0))?;
    let loaded = body("ld.global.u64 %d3, [%d3]; ld.global.u32 %r1, [%d3+4];");
    outside("an address that is read", &loaded, &with(16, 0))?;
    // The first is left out.
    let skipped = body(
        "setp.eq.u32 %p1, %r0, 1; @%p1 bra S; st.global.u32 [%d1], 7;\nS:\nst.global.u32 [%d1+400], 7;",
    );
    outside("an access behind a label", &skipped, &with(64, 1))?;
    let predicated = body(
        "setp.eq.u32 %p1, %r0, 1; @%p1 st.global.u32 [%d1], 7; st.global.u32 [%d1+4], 7; st.global.u32 [%d8], 7;",
    );
    let plain = body("st.global.u32 [%d1+4], 7; st.global.u32 [%d8], 7;");
    let wanted = inside("a write", &plain, &with(8, 0))?;
    let left = inside("a write behind one with a predicate", &predicated, &with(8, 0))?;
    if left.memory != wanted.memory {
        return Err(format!("a write behind one with a predicate: {left:?}"));
    }
    // The second is never reached.
    let called = body("ld.global.u32 %r1, [%d1]; call f; ld.global.u32 %r1, [%d1+400];")
        .replace(".visible", ".func f() { exit; }\n.visible");
    inside("an access behind a call that ends the thread", &called, &with(64, 0))?;
    for end in ["exit", "ret"] {
        let ended = body(&format!(
            "setp.eq.u32 %p1, %r0, 0; ld.global.u32 %r1, [%d1]; @%p1 {end}; ld.global.u32 %r1, [%d1+400];"
        ));
        inside("an access behind the end of this thread", &ended, &with(64, 0))?;
        outside("an access behind the end of other threads", &ended, &with(64, 1))?;
    }
    let read = Argument::Memory { bytes: vec![9; 64], writes: false, skew: 0 };
    let two = body("ld.global.u32 %r1, [%d3]; ld.global.u32 %r2, [%d3+4];");
    inside("two reads of what may only be read", &two, &[read.clone(), number(0), memory(8)])?;
    let skew = Argument::Memory { bytes: vec![9; 64], writes: true, skew: 2 };
    outside("two reads behind a begin that is not aligned", &two, &[skew, number(0), memory(8)])?;
    let both = body("ld.global.u32 %r1, [%d1]; st.global.u32 [%d1+4], %r1;");
    outside("a write beside a read", &both, &[read, number(0), memory(8)])?;
    let skewed = body("ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+2];");
    outside("a read beside that is not aligned", &skewed, &with(64, 0))
}

/// Accesses whose addresses are equal steps apart.
fn steps() -> Result<(), String> {
    let minus = |number: i32| number as u32;
    let body = |rest: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u32 m, .param .u32 k",
            &format!(
                "{BEGIN} ld.param.u32 %r1, [m]; ld.param.u32 %r2, [k]; mul.wide.s32 %d2, %r0, 4; \
                 add.s64 %d3, %d1, %d2; mul.wide.s32 %d4, %r1, 4; mul.wide.s32 %d7, %r2, 4; {rest}"
            ),
        )
    };
    let three = body(
        "ld.global.u32 %r3, [%d3]; add.s64 %d5, %d3, %d4; ld.global.u32 %r4, [%d5]; \
         add.s64 %d6, %d4, %d5; ld.global.u32 %r5, [%d6];",
    );
    let guarded = guard(&three).map_err(|error| error.to_string())?;
    match guarded.kernels()[0].sites() {
        [all] if all.further.len() == 2 && !guarded.text().contains("sub.s64") => {}
        sites => return Err(format!("three steps have one check: {sites:?}\n{}", guarded.text())),
    }
    // What is further from one of them than the others are has a check of its own.
    let beside = body(
        "ld.global.u32 %r3, [%d3]; add.s64 %d5, %d3, %d4; ld.global.u32 %r4, [%d5]; ld.global.u32 %r5, [%d3+16];",
    );
    inside("an access beside steps", &beside, &walked(20, [0, 1, 0]))?;
    outside("an access beside steps that is outside", &beside, &walked(16, [0, 1, 0]))?;
    // As many steps as are followed lead to another address.
    let chain: String = (0..256).map(|at| format!("add.s64 %e{}, %e{at}, %d4; ", at + 1)).collect();
    let elsewhere = body(&format!(
        ".reg .b64 %e<257>; add.s64 %e0, %d1, %d7; ld.global.u32 %r3, [%d3]; {chain} ld.global.u32 %r4, [%e256];"
    ));
    inside("steps from elsewhere", &elsewhere, &walked(16, [0, 0, 3]))?;
    outside("steps from elsewhere that is outside", &elsewhere, &walked(16, [0, 0, 400]))?;
    // In 64 bits too: of an index without sign, by a step of another scale, and a number of bytes further.
    let unsigned = three.replace("mul.wide.s32 %d2", "mul.wide.u32 %d2");
    let scaled = three.replace("mul.wide.s32 %d4, %r1, 4", "mul.wide.s32 %d4, %r1, 8");
    let on = three.replace("[%d3]", "[%d3+4]").replace("[%d5]", "[%d5+4]");
    let on = on.replace("[%d6]", "[%d6+4]");
    let back = on.replace("+4]", "+-4]");
    let stores = three.replace("ld.global.u32 %r3, [%d3]", "st.global.u32 [%d3], 7");
    let stores = stores.replace("ld.global.u32 %r4, [%d5]", "st.global.u32 [%d5], 7");
    let stores = stores.replace("ld.global.u32 %r5, [%d6]", "st.global.u32 [%d6], 7");
    for (what, text, first, by) in [
        ("steps", &three, 0, 1),
        ("steps of an index without sign", &unsigned, 0, 1),
        ("steps of another scale", &scaled, 0, 2),
        ("steps a number further", &on, 1, 1),
        ("steps a number back", &back, -1, 1),
        ("stores", &stores, 0, 1),
    ] {
        let with = |bytes, index: i32, step: i32| {
            walked(bytes, [minus(index - first), minus(step / by), 0])
        };
        inside(what, text, &with(64, 1, 6))?;
        inside(what, text, &with(64, 3, 6))?;
        outside(&format!("the last of {what}"), text, &with(60, 3, 6))?;
        inside(what, text, &with(64, 14, -6))?;
        outside(&format!("the first of {what}"), text, &with(60, 15, -6))?;
        outside(&format!("the last of {what} back"), text, &with(64, 10, -6))?;
        for far in [1 << 30, i32::MIN, i32::MIN / 2, i32::MAX] {
            outside(&format!("{what} of {far}"), text, &with(64, 4, far))?;
        }
    }
    let left = left(&stores, &walked(60, [3, 6, 0]))?;
    if left.memory != inside("nothing", &body(""), &walked(60, [0; 3]))?.memory {
        return Err(format!("three stores, one of them outside: {left:?}"));
    }
    let huge =
        |bytes, index, step| vec![Argument::Huge { bytes }, number(index), number(step), number(0)];
    inside("the largest steps", &three, &huge(1 << 33, 1, (1 << 30) - 1))?;
    inside("the largest steps back", &three, &huge(1 << 33, u32::MAX / 2, minus(1 - (1 << 30))))?;
    outside("steps that end below 0", &three, &huge(1 << 33, 0, minus(1 - (1 << 30))))?;
    outside("steps that end above", &three, &huge(1 << 33, 2, (1 << 30) - 1))?;
    inside("steps without sign", &unsigned, &huge(1 << 35, u32::MAX - 2, 1))?;
    outside("steps beyond 2^32 elements", &unsigned, &huge(1 << 34, u32::MAX, 1))?;
    let large = three.replace("mul.wide.s32 %d4", "mul.wide.u32 %d4");
    inside("small steps without sign", &large, &walked(64, [3, 6, 0]))?;
    outside("large steps without sign", &large, &walked(64, [8, u32::MAX, 0]))?;
    // Vectors whose begin is aligned, at steps that are not.
    let vectors = kernel(
        ".param .u64 a, .param .u32 n, .param .u32 m, .param .u32 k",
        &format!(
            "{BEGIN} ld.param.u32 %r1, [m]; mul.wide.s32 %d2, %r0, 8; add.s64 %d3, %d1, %d2; mul.wide.s32 %d4, %r1, 4; \
             ld.global.v2.u32 {{%r3, %r4}}, [%d3]; add.s64 %d5, %d3, %d4; ld.global.v2.u32 {{%r5, %r6}}, [%d5]; \
             add.s64 %d6, %d5, %d4; ld.global.v2.u32 {{%r7, %r8}}, [%d6];"
        ),
    );
    inside("vectors at steps", &vectors, &walked(64, [1, 2, 0]))?;
    outside("vectors at steps that are not aligned", &vectors, &walked(64, [1, 1, 0]))?;
    // Each of these is no group of steps, or one of fewer accesses.
    let other = three.replace("add.s64 %d6, %d4, %d5", "add.s64 %d6, %d7, %d5");
    outside("another step", &other, &walked(64, [0, 1, 100]))?;
    let wider = three.replace("ld.global.u32 %r4, [%d5]", "ld.global.u32 %r4, [%d5+8]");
    inside("an access further behind", &wider, &walked(64, [15, minus(-6), 0]))?;
    // The first is of the pass before.
    let before = kernel(
        ".param .u64 a, .param .u32 n, .param .u32 m, .param .u32 k",
        &format!(
            "{BEGIN} ld.param.u32 %r1, [m]; mul.wide.s32 %d4, %r1, 4; mov.u32 %r5, 0;\nL:\nld.global.u32 %r3, [%d3]; \
             mul.lo.s32 %r6, %r5, %r0; mul.wide.s32 %d2, %r6, 4; add.s64 %d3, %d1, %d2; add.s64 %d5, %d3, %d4; \
             ld.global.u32 %r4, [%d5]; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2; @%p2 bra L;"
        ),
    );
    outside("a step from the address of this pass", &before, &walked(64, [1000, 1, 0]))?;
    let again = three.replace("add.s64 %d6", "mul.wide.s32 %d4, %r2, 4; add.s64 %d6");
    outside("a step that changes", &again, &walked(64, [0, 1, 100]))?;
    let index = three.replace("ld.global.u32 %r3", "mov.u32 %r1, 0; ld.global.u32 %r3");
    outside("a step whose index changes", &index, &walked(64, [0, 100, 0]))?;
    let skipped = three.replace(
        "add.s64 %d6, %d4, %d5;",
        "add.s64 %d6, %d4, %d5; setp.eq.u32 %p1, %r0, 0; @%p1 bra S;",
    );
    let skipped = format!("{}\nS:\nret;\n}}\n", skipped.trim_end().trim_end_matches('}'));
    inside("a last step that is left out", &skipped, &walked(64, [0, 15, 0]))?;
    outside("a last step that is not", &skipped, &walked(64, [1, 14, 0]))?;
    // In a loop, the second copy has no check of them.
    let up = "add.s32 %r0, %r0, 1; setp.lt.s32 %p2, %r0, %r1;";
    let two = "add.s64 %d6, %d3, %d5; ld.global.u32 %r17, [%d6]; add.s64 %d7, %d6, %d5; ld.global.u32 %r16, [%d7];";
    let indexed = read("%r0");
    let moved = "add.s64 %d3, %d1, %d9; ld.global.u32 %r18, [%d3]; add.s64 %d9, %d9, 4;";
    for (read, copied) in
        [(&*indexed, true), (moved, true), (&indexed.replace("wide.s", "wide.u"), false)]
    {
        let walk = walk(
            "mul.wide.s32 %d5, %r2, 4; mul.wide.s32 %d9, %r0, 4;",
            &format!("{read} {two} {up}"),
        );
        twice("steps in a loop", &walk, copied)?;
        inside("steps in a loop", &walk, &walked(36, [0, 3, 3]))?;
        outside("the last of steps in a loop", &walk, &walked(32, [0, 3, 3]))?;
        outside("the first of steps in a loop", &walk, &walked(36, [1, 4, minus(-1)]))?;
        outside("steps in a loop that are large", &walk, &walked(36, [0, 3, 1 << 31]))?;
    }
    Ok(())
}

/// A kernel with a loop, in which every pass makes another read as well.
fn walk(before: &str, body: &str) -> String {
    kernel(
        ".param .u64 a, .param .u32 n, .param .u32 m, .param .u32 k",
        &format!(
            "{BEGIN} ld.param.u32 %r1, [m]; ld.param.u32 %r2, [k]; mov.b64 %d8, {{%r0, %r1}}; mov.u32 %r10, 0; \
             setp.eq.u32 %p1, %r10, 1; {before}\nL:\nld.global.u32 %r19, [%d1]; {body} @%p2 bra L;"
        ),
    )
}

/// The address of the index in a register, and a read there.
fn read(index: &str) -> String {
    format!("mul.wide.s32 %d2, {index}, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r18, [%d3];")
}

fn walked(bytes: usize, numbers: [u32; 3]) -> Vec<Argument> {
    std::iter::once(memory(bytes)).chain(numbers.map(number)).collect()
}

/// Whether a read has no check, which is so in the second copy of a loop alone.
fn twice(what: &str, text: &str, wanted: bool) -> Result<(), String> {
    let guarded = guard(text).map_err(|error| format!("{what}: {error}"))?;
    let free = guarded.text().lines().filter(|line| line.trim().starts_with("ld.global")).count();
    match free > 0 {
        twice if twice == wanted => Ok(()),
        twice => Err(format!("{what}: {twice}\n{}", guarded.text())),
    }
}

/// Nothing outside is accessed, however long it takes.
fn stays(what: &str, text: &str, arguments: &[Argument]) -> Result<(), String> {
    twice(what, text, true)?;
    let left = left(text, arguments).map_err(|why| format!("{what}: {why}"))?;
    match (&left.escapes[..], left.result) {
        ([], Ok(()) | Err(Fault::LaunchTimeout)) => Ok(()),
        (escapes, result) => Err(format!("{what}: {escapes:?}, {result:?}")),
    }
}

/// Loops with a second copy: the range of what they access.
fn loops() -> Result<(), String> {
    let minus = |number: i32| number as u32;
    let up = "add.s32 %r0, %r0, 1; setp.lt.s32 %p2, %r0, %r1;";
    let rising = walk("", &format!("{} {up}", read("%r0")));
    twice("a rising index", &rising, true)?;
    inside("a rising index", &rising, &walked(32, [0, 8, 0]))?;
    outside("the last of a rising index", &rising, &walked(28, [0, 8, 0]))?;
    outside("the first of a rising index", &rising, &walked(32, [minus(-1), 8, 0]))?;
    inside("one pass", &rising, &walked(32, [7, 0, 0]))?;
    outside("one pass outside", &rising, &walked(28, [7, 0, 0]))?;
    let on = rising.replace("@%p2 bra L;", "@%p2 bra M; st.global.u32 [%d1], 7;\nM:");
    twice("a branch that leads on", &on, false)?;
    let falling =
        walk("", &format!("{} add.s32 %r0, %r0, -2; setp.ne.s32 %p2, %r0, %r1;", read("%r0")));
    twice("a falling index", &falling, false)?;
    outside("the last of a falling index", &falling, &walked(32, [7, minus(-3), 0]))?;
    let far = walk(
        "",
        &format!(
            "{} add.s32 %r5, %r0, 4; {} {up}",
            read("%r0"),
            read("%r5").replace("%d2", "%d5").replace("%d3", "%d6")
        ),
    );
    inside("two indices", &far, &walked(48, [0, 8, 0]))?;
    outside("the larger of two indices", &far, &walked(44, [0, 8, 0]))?;
    // An index that is computed in each pass.
    let less = walk("", &format!("sub.s32 %r5, %r0, %r2; {} {up}", read("%r5")));
    twice("an index that is less", &less, true)?;
    inside("an index that is less", &less, &walked(64, [2, 8, 2]))?;
    outside("the first of an index that is less", &less, &walked(64, [1, 8, 2]))?;
    let shifted = walk("", &format!("shl.b32 %r5, %r0, 1; {} {up}", read("%r5")));
    twice("an index that is shifted", &shifted, true)?;
    inside("an index that is shifted", &shifted, &walked(60, [0, 8, 0]))?;
    outside("the last of an index that is shifted", &shifted, &walked(56, [0, 8, 0]))?;
    // One index into two arguments.
    let other = "add.s64 %d12, %d11, %d2; ld.global.u32 %r17, [%d12];";
    let both = walk("", &format!("{} {other} {up}", read("%r0")))
        .replace(".param .u32 k", ".param .u64 k")
        .replace(
            "ld.param.u32 %r2, [k];",
            "ld.param.u64 %d10, [k]; cvta.to.global.u64 %d11, %d10;",
        );
    twice("two arguments", &both, true)?;
    let two = |first, second| vec![memory(first), number(0), number(8), memory(second)];
    inside("two arguments", &both, &two(32, 32))?;
    outside("the first of two arguments", &both, &two(28, 32))?;
    outside("the second of two arguments", &both, &two(32, 28))?;
    // A number and a register further.
    let further = walk(
        "mul.wide.s32 %d5, %r2, 4; mov.u64 %d3, %d1;",
        &format!(
            "ld.global.u32 %r18, [%d3]; add.s64 %d6, %d3, %d5; ld.global.u32 %r17, [%d6+8]; add.s64 %d3, %d3, 4; {up}"
        ),
    );
    twice("a number and a register further", &further, true)?;
    inside("a number and a register further", &further, &walked(24, [0, 3, 1]))?;
    outside("the last of a number and a register further", &further, &walked(20, [0, 3, 1]))?;
    // A number that goes down, below 0.
    let down = walk(
        "mov.u64 %d3, %d1;",
        "ld.global.u32 %r18, [%d3]; add.s64 %d3, %d3, 4; add.s32 %r0, %r0, -1; setp.ne.s32 %p2, %r0, %r2;",
    );
    twice("a number that goes down", &down, true)?;
    inside("a number that goes down", &down, &walked(20, [3, 0, minus(-2)]))?;
    outside("the last of a number that goes down", &down, &walked(16, [3, 0, minus(-2)]))?;
    // The larger one first, and one that is a number further beside one that is a register further.
    let placed = "mul.wide.s32 %d5, %r2, 4; mul.wide.s32 %d9, %r0, 4; add.s64 %d3, %d1, %d9;";
    let falling = walk(
        placed,
        &format!(
            "add.s64 %d6, %d3, %d5; ld.global.u32 %r17, [%d6]; ld.global.u32 %r18, [%d3]; add.s64 %d3, %d3, 4; {up}"
        ),
    );
    twice("the larger one first", &falling, true)?;
    inside("the larger one first", &falling, &walked(20, [0, 3, 2]))?;
    outside("the smaller one behind it", &falling, &walked(36, [minus(-1), 3, 2]))?;
    outside("the larger one before it", &falling, &walked(16, [0, 3, 2]))?;
    let beside = walk(
        placed,
        &format!(
            "ld.global.u32 %r18, [%d3]; add.s64 %d6, %d3, 4; ld.global.u32 %r17, [%d6]; add.s64 %d7, %d3, %d5; \
             ld.global.u32 %r16, [%d7]; add.s64 %d3, %d3, 4; {up}"
        ),
    );
    inside("a number beside a register", &beside, &walked(16, [0, 3, 0]))?;
    outside("a number beside a register that is 0", &beside, &walked(12, [0, 3, 0]))?;
    // Two registers further, and the first of them is the larger one.
    let apart = walk(
        "mul.wide.s32 %d5, %r2, 4; mul.wide.s32 %d7, %r1, 4; mov.u64 %d3, %d1;",
        &format!(
            "ld.global.u32 %r18, [%d3]; add.s64 %d6, %d3, %d5; ld.global.u32 %r17, [%d6]; add.s64 %d9, %d3, %d7; \
             ld.global.u32 %r16, [%d9]; add.s64 %d3, %d3, 4; {up}"
        ),
    );
    twice("two registers further", &apart, true)?;
    inside("two registers further", &apart, &walked(36, [0, 3, 6]))?;
    outside("the first of two registers further", &apart, &walked(32, [0, 3, 6]))?;
    outside("the second of two registers further", &apart, &walked(20, [0, 3, 1]))?;
    let sum = apart.replace("add.s64 %d9, %d3, %d7", "add.s64 %d9, %d6, %d7");
    inside("a sum of two registers further", &sum, &walked(40, [0, 3, 4]))?;
    outside("the last of a sum of two registers further", &sum, &walked(36, [0, 3, 4]))?;
    // The pointer moves, by a register.
    let pointer = |step: &str| {
        walk(
            &format!("mul.wide.s32 %d5, %r2, 4; add.s64 %d3, %d1, %d5; {step} mov.u32 %r5, 0;"),
            "ld.global.u32 %r18, [%d3]; add.s64 %d3, %d3, %d6; add.s32 %r5, %r5, 1; setp.ne.s32 %p2, %r5, 3;",
        )
    };
    let by = pointer("mul.wide.s32 %d6, %r0, 4;");
    twice("a pointer", &by, true)?;
    inside("a pointer", &by, &walked(36, [4, 0, 0]))?;
    outside("the last of a pointer", &by, &walked(32, [4, 0, 0]))?;
    outside("the first of a pointer", &by, &walked(32, [1, 0, minus(-1)]))?;
    inside("a pointer that moves back", &by, &walked(36, [minus(-4), 0, 8]))?;
    outside("the last of a pointer that moves back", &by, &walked(36, [minus(-4), 0, 7]))?;
    outside(
        "a pointer with a step of 2^32",
        &pointer("shl.b64 %d6, %d8, 2;"),
        &walked(36, [0, 1, 0]),
    )?;
    let far = by.replace(
        "ld.global.u32 %r18, [%d3];",
        "add.s64 %d9, %d3, 4294967296; ld.global.u32 %r18, [%d9];",
    );
    twice("a pointer 2^32 further", &far, true)?;
    outside("a pointer 2^32 further", &far, &walked(36, [4, 0, 0]))?;
    // Several at equal distances, which a register has.
    let apart = walk(
        "mul.wide.s32 %d5, %r2, 4; mov.u64 %d3, %d1;",
        &format!(
            "ld.global.u32 %r18, [%d3]; add.s64 %d6, %d3, %d5; ld.global.u32 %r17, [%d6]; add.s64 %d7, %d6, %d5; \
             ld.global.u32 %r16, [%d7]; add.s64 %d3, %d7, %d5; {up}"
        ),
    );
    twice("pointers at equal distances", &apart, true)?;
    inside("pointers at equal distances", &apart, &walked(36, [0, 3, 1]))?;
    outside("the largest of pointers at equal distances", &apart, &walked(32, [0, 3, 1]))?;
    outside("pointers at equal distances that go back", &apart, &walked(36, [0, 3, minus(-1)]))?;
    // What a register holds where it is read.
    let moved = |body: &str| {
        walk(
            "mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 1;",
            &format!("{} {body} {up}", read("%r5")),
        )
    };
    for (what, body, bytes) in [
        ("two steps a pass", "add.s32 %r5, %r5, 1; add.s32 %r5, %r5, 1;", 20),
        ("a step in parts", "add.s32 %r6, %r5, 1; add.s32 %r5, %r6, 1;", 20),
    ] {
        twice(what, &moved(body), true)?;
        inside(what, &moved(body), &walked(bytes, [0, 3, 0]))?;
        outside(what, &moved(body), &walked(bytes - 4, [0, 3, 0]))?;
    }
    for (what, body) in [
        ("a step that changes", "add.s32 %r5, %r5, %r7; add.s32 %r7, %r7, 1;"),
        ("a step with a predicate", "add.s32 %r5, %r5, 1; @%p1 add.s32 %r5, %r5, -1;"),
        ("a product", "add.s32 %r5, %r5, 1; mul.lo.s32 %r5, %r5, %r5;"),
    ] {
        outside(what, &moved(body), &walked(4, [0, 3, 0]))?;
        twice(what, &moved(body), false)?;
    }
    let early =
        walk("", &format!("{} add.s32 %r0, %r0, 1; setp.lt.s32 %p2, %r0, %r1;", read("%r0")));
    outside("an index before its step", &early, &walked(32, [minus(-1), 4, 0]))?;
    let synchronised = walk("", &format!("{} bar.sync 0; {up}", read("%r0")));
    twice("a loop with a barrier", &synchronised, false)?;
    inside("a loop with a barrier", &synchronised, &walked(32, [0, 8, 0])).map(drop)
}

/// How many passes a loop has, whatever it compares.
fn counts() -> Result<(), String> {
    // The index is of its own.
    let of = |exit: &str| {
        walk("mov.u32 %r5, 0;", &format!("{} add.s32 %r5, %r5, 1; {exit}", read("%r5")))
    };
    let cases: &[(&str, [u32; 3], u32)] = &[
        ("add.s32 %r0, %r0, 2; setp.ne.s32 %p2, %r0, %r1;", [1, 9, 0], 4),
        ("add.s32 %r0, %r0, -4; setp.ne.u32 %p2, %r0, %r1;", [8, 0, 0], 2),
        ("sub.s32 %r0, %r0, 1; setp.ne.b32 %p2, %r0, 0;", [3, 0, 0], 3),
        ("add.s32 %r0, %r0, 1073741824; setp.ne.s32 %p2, %r0, %r1;", [0, 0, 0], 4),
        ("add.s32 %r0, %r0, -1073741824; setp.ne.s32 %p2, %r0, %r1;", [0, 0, 0], 4),
        ("add.s32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 5;", [0, 0, 0], 5),
        ("add.s32 %r0, %r0, 4; setp.lt.s32 %p2, %r0, %r1;", [0, 9, 0], 3),
        ("add.s32 %r0, %r0, 4; setp.lt.s32 %p2, %r0, %r1;", [0, 8, 0], 2),
        ("add.s32 %r0, %r0, 4; setp.le.s32 %p2, %r0, %r1;", [0, 8, 0], 3),
        ("add.s32 %r0, %r0, 1; setp.lt.s32 %p2, %r0, %r1;", [5, 3, 0], 1),
        ("add.s64 %d8, %d8, 1; setp.lt.u64 %p2, %d8, 4;", [0, 0, 0], 4),
        ("add.s64 %d8, %d8, -2; setp.ne.s64 %p2, %d8, 0;", [8, 0, 0], 4),
        ("add.s64 %d8, %d8, 4; setp.le.s64 %p2, %d8, 8;", [0, 0, 0], 3),
    ];
    // Others than compilers make stand once.
    let others: &[(&str, [u32; 3], u32)] = &[
        ("add.s32 %r0, %r0, 3; setp.ne.s32 %p2, %r0, %r1;", [0, 9, 0], 3),
        ("add.s32 %r0, %r0, -1; setp.eq.s32 %p3, %r0, %r1; not.pred %p2, %p3;", [3, 0, 0], 3),
        ("add.s32 %r0, %r0, -2; setp.gt.s32 %p2, %r0, %r1;", [7, 0, 0], 4),
        ("add.s32 %r0, %r0, 2; setp.gt.s32 %p2, %r1, %r0;", [0, 7, 0], 4),
        ("add.s32 %r0, %r0, %r2; setp.lt.u32 %p2, %r0, %r1;", [0, 7, 3], 3),
    ];
    let all = cases.iter().map(|one| (one, true)).chain(others.iter().map(|one| (one, false)));
    for (&(exit, numbers, passes), copied) in all {
        let text = of(exit);
        twice(exit, &text, copied)?;
        inside(exit, &text, &walked(passes as usize * 4, numbers))?;
        outside(exit, &text, &walked(passes as usize * 4 - 4, numbers))?;
    }
    let minus = |number: i32| number as u32;
    let equal = of("add.s32 %r0, %r0, 1; setp.ne.s32 %p2, %r0, %r1;").replace("@%p2", "@!%p2");
    outside("a branch while two are equal", &equal, &walked(4, [4, 5, 0]))?;
    twice("a branch while two are equal", &equal, false)?;
    stays(
        "an end that is not met",
        &of("add.s32 %r0, %r0, 2; setp.ne.s32 %p2, %r0, %r1;"),
        &walked(12, [0, 5, 0]),
    )?;
    let varying = of("add.s32 %r0, %r0, 2; add.s32 %r1, %r1, 1; setp.lt.s32 %p2, %r0, %r1;");
    outside("an end that changes", &varying, &walked(12, [0, 4, 0]))?;
    stays(
        "a number that wraps around",
        &of("add.s32 %r0, %r0, 2; setp.lt.u32 %p2, %r0, %r1;"),
        &walked(24, [minus(-8), minus(-1), 0]),
    )?;
    stays(
        "a number that wraps around by a larger step",
        &of("add.s32 %r0, %r0, 4; setp.lt.u32 %p2, %r0, %r1;"),
        &walked(24, [minus(-16), minus(-2), 0]),
    )?;
    stays(
        "more than 2^32 passes",
        &of("add.s64 %d8, %d8, -1; setp.ne.s64 %p2, %d8, 0;"),
        &walked(12, [2, 1, 0]),
    )
}

fn ends() -> Result<(), String> {
    let body = |end: &str| {
        kernel(ONE, &format!("{BEGIN} ld.global.u32 %r1, [%d1+64]; setp.eq.u32 %p1, %r1, 0; {end}"))
    };
    outside("exit", &body("exit;"), &[memory(8), number(0)])?;
    outside("exit with a predicate", &body("@%p1 exit; bar.sync 0;"), &[memory(8), number(0)])?;
    outside("ret with a predicate", &body("@%p1 ret; trap;"), &[memory(8), number(0)])?;
    let called = body("call f; bar.sync 0;").replace(".visible", ".func f() { exit; }\n.visible");
    outside("an exit of what is called", &called, &[memory(8), number(0)])?;
    let again = kernel(
        ONE,
        &format!(
            "{BEGIN} mov.u32 %r5, 0;\nL:\nsetp.eq.u32 %p1, %r5, 1; @%p1 ret; ld.global.u32 %r1, [%d1+64]; add.u32 %r5, %r5, 1; bra L;"
        ),
    );
    outside("an end before the access", &again, &[memory(8), number(0)])?;
    let far = again.replace("@%p1 ret", "@%p1 bra END").replace("bra L;", "bra L;\nEND:");
    outside("a branch to the end, before the access", &far, &[memory(8), number(0)])?;
    let early = kernel(
        ONE,
        &format!(
            "{BEGIN} setp.eq.u32 %p1, %r0, 0; @%p1 bra END; ld.global.u32 %r1, [%d1+64];\nEND:"
        ),
    );
    let returns = |text: &str| {
        let guarded = guard(text).map_err(|error| error.to_string())?;
        let returns = |line: &str| line.starts_with("\t@%") && line.ends_with(" ret;");
        Ok::<_, String>(guarded.text().lines().any(returns))
    };
    outside("an access behind an early end", &early, &[memory(8), number(1)])?;
    inside("an early end", &early, &[memory(8), number(0)])?;
    if !returns(&early)? || returns(&far)? {
        return Err("only an end that nothing fails before is a `ret`".to_owned());
    }
    let open = body("").replace("\nret;\n}", "\n}");
    outside("the end of the text", &open, &[memory(8), number(0)])?;
    // What is in shared memory is left to the hardware, and nothing else is reached.
    let shared = kernel(ONE, &format!("{BEGIN} st.shared.u32 [%r0], 7;"));
    let left = left(&shared, &[memory(8), number(1 << 20)])?;
    match (left.result, left.place, left.escapes.is_empty()) {
        (Err(Fault::IllegalAddress), Some(Place::Shared), true) => Ok(()),
        other => Err(format!("shared memory: {other:?}")),
    }
}

fn lists() -> Result<(), String> {
    let body = |rest: &str| kernel(ONE, &format!("{BEGIN} {rest}"));
    refused("what is in no list", &body("discard.global.L2 [%d1], 128;"), "discard")?;
    refused("what nobody knows", &body("frobnicate.global [%d1];"), "not in the list")?;
    refused(
        "an address where none is expected",
        &body("add.u32 %r1, %r2, [%d1];"),
        "not expected",
    )?;
    refused(
        "an order with an address",
        &body("fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;"),
        "not expected",
    )?;
    refused("a modifier that nobody knows", &body("ld.global.frob.u32 %r1, [%d1];"), "'.frob'")?;
    refused("a constant address", &body("ld.global.u32 %r1, [16];"), "a constant")?;
    refused(
        "two accesses with an address of 32 bits",
        &body("ld.global.u32 %r1, [%r0]; ld.global.u32 %r2, [%r0+4];"),
        "64 bits is expected",
    )?;
    refused(
        "two accesses with an address that is no integer",
        &body("mov.b64 %q0, %d1; ld.global.u32 %r1, [%q0]; ld.global.u32 %r2, [%q0+4];")
            .replace(".reg .pred", ".reg .f64 %q<2>; .reg .pred"),
        "64 bits is expected",
    )?;
    refused(
        "the address of a function",
        &body("mov.u64 %d5, test;"),
        "the address of the function",
    )?;
    refused("an indirect call", &body("call %d1, P;\nP: .callprototype _ ();"), "indirect")?;
    refused("a barrier elsewhere", &body("mbarrier.init.b64 [%d1], 1;"), "shared")?;
    refused(
        "a copy of tensors",
        &body("cp.async.bulk.prefetch.L2.global [%d1], 16;"),
        "not guarded yet",
    )?;
    for update in ["red.global.add.frob.u32", "red.global.add.noftz.frob.f16x2"] {
        let text = body(&format!("{update} [%d1], 7;"));
        refused("a modifier of an update that nobody knows", &text, "'.frob'")?;
    }
    refused("a modifier of updates", &body("ld.global.noftz.u32 %r1, [%d1];"), "'.noftz'")?;
    refused("an update that is a read", &body("ld.global.add.u32 %r1, [%d1];"), "'.add'")?;
    for access in [
        "st.async.weak.mbarrier::complete_tx::bytes.global.u32 [%d1], 7, [%d1];",
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%d1], 7, [%d1];",
    ] {
        refused("an asynchronous access elsewhere", &body(access), "shared memory of the cluster")?;
    }
    let cluster = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], 7, [%r2];";
    contains("an asynchronous access", &body(cluster), &["st.async"], &[])?;
    refused(
        "a hint for the map of a tensor",
        &body("prefetch.tensormap [%d1];"),
        "not guarded yet",
    )?;
    contains("a hint", &body("prefetch.global.L2::evict_last [%d1];"), &["prefetch"], &[])?;
    for access in ["mbarrier.init.shared.b64 [cons], 1;", "st.shared.u32 [cons], 7;"] {
        refused("shared memory by another name", &body(access), "another state space")?;
    }
    refused(
        "a barrier of a place",
        &body("mbarrier.init.shared.b64 [%d1, {%r0}], 1;"),
        "not expected",
    )?;
    refused("what computes of an address", &body("xor.b64 %d3, lo, 8;"), "not expected")?;
    inside(
        "addresses where they are expected",
        &body("cvta.local.u64 %d4, lo; st.u32 [%d4], 7;"),
        &[memory(8), number(0)],
    )?;
    // Barriers of copies, and copies.
    for barrier in [
        "cp.async.mbarrier.arrive.noinc.b64 [%d1];",
        "cp.async.mbarrier.arrive.b64 [%d1];",
        "cp.async.ca.shared.global.frob [%r1], [%d1], 4;",
    ] {
        refused("a barrier or copy elsewhere", &body(barrier), "not guarded yet")?;
    }
    let copies = format!(
        ".shared .align 16 .b8 sh[64]; {}",
        [
            "cp.async.mbarrier.arrive.shared.b64 [%r1];",
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];",
            "cp.async.commit_group;",
            "cp.async.wait_group 0;",
            "cp.async.wait_all;",
            "mbarrier.init.shared.b64 [%r1], 1;",
            "mbarrier.arrive.shared::cta.b64 _, [sh];",
            "cp.async.ca.shared.global [sh], [%d1], 4;",
            "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32.xor.popc {%r1, %r2}, %r3, %r4, {%r5, %r6};",
        ]
        .join(" ")
    );
    contains("barriers and copies", &body(&copies), &["mbarrier.init", "wait_all", "wmma"], &[])?;
    refused(
        "a copy to a variable elsewhere",
        &body("cp.async.ca.shared.global [cons], [%d1], 4;"),
        "another state space",
    )?;
    refused(
        "a copy whose size has 64 bits",
        &body("cp.async.ca.shared.global [%r1], [%d1], 4, %d2;"),
        "a size of 32 bits",
    )?;
    refused("a copy by three addresses", &body("cp.async.wait_all [%d1];"), "not expected")?;
    refused(
        "a handle that is computed",
        &kernel(
            ".param .u64 t",
            "ld.param.u64 %d0, [t]; add.s64 %d1, %d0, 1; tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d1, {%r1}];",
        ),
        "exactly one parameter",
    )?;
    refused(
        "a handle from memory",
        &body("ld.global.u64 %d5, [%d1]; suld.b.1d.b32.zero %r1, [%d5, {%r0}];"),
        "exactly one parameter",
    )
}

/// Surfaces and textures.
fn surfaces() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(
            ".param .u64 s, .param .u32 n",
            &format!("ld.param.u64 %d0, [s]; mov.u64 %d1, %d0; ld.param.u32 %r0, [n]; {rest}"),
        )
    };
    // The places that are compared, as numbers of what is in the brackets, and what they have to be a multiple of.
    for (access, place, mask) in [
        ("suld.b.1d.b32.trap %r1, [%d1, {%r0}];", 0, 3),
        ("suld.b.2d.v2.b32.trap {%r1, %r2}, [%d1, {%r0, %r3}];", 0, 7),
        ("sust.b.2d.v4.b32 [%d1, {%r0, %r3}], {%r1, %r2, %r4, %r5};", 0, 15),
        ("suld.b.1d.v4.b16.clamp {%h1, %h2, %h3, %h4}, [%d1, {%r0}];", 0, 7),
        ("suld.b.a1d.b32.trap %r1, [%d1, {%r3, %r0}];", 1, 3),
        ("sust.b.a2d.b64.trap [%d1, {%r3, %r0, %r4, %r5}], %d5;", 1, 7),
        ("sured.b.add.1d.u32.trap [%d1, {%r0}], %r1;", 0, 3),
    ] {
        let text = body(access);
        let guarded = guard(&text).map_err(|error| error.to_string())?;
        let printed = guarded.text();
        let line = printed.lines().find(|line| line.contains("[%") && line.contains(", {%"));
        let list = line.and_then(|line| line.split(", {").find(|part| part.contains("}]")));
        let compared = list.and_then(|list| list.split(['}', ',']).nth(place)).unwrap_or("none");
        let wanted = format!(", {}, {mask};", compared.trim());
        if !printed.lines().any(|line| line.contains("and.b32") && line.ends_with(&wanted)) {
            return Err(format!("{access} is not compared by{wanted}\n{printed}"));
        }
    }
    for (access, printed) in [
        ("suld.b.1d.b8.trap %h1, [%d1, {%r0}];", "suld.b.1d.b8.zero "),
        ("sust.p.1d.v4.b32.trap [%d1, {%r0}], {%r1, %r2, %r3, %r4};", "sust.p."),
        ("suq.width.b32 %r1, [%d1];", "suq.width.b32 "),
    ] {
        contains(access, &body(access), &[printed], &["and.b32", "trap"])?;
    }
    let three = body(
        "suld.b.1d.b32 %r1, [%d1, {%r0}]; sust.b.1d.b32 [%d1, {%r0}], %r1; sured.b.add.1d.u32 [%d1, {%r0}], %r1;",
    );
    let guarded = guard(&three).map_err(|error| error.to_string())?;
    let kinds: Vec<_> = guarded.kernels()[0].sites().iter().map(|one| one.kind).collect();
    if kinds != [AccessKind::Read, AccessKind::Write, AccessKind::Update] {
        return Err(format!("accesses of surfaces: {kinds:?}"));
    }
    let text = guarded.text();
    let set = |line: &&str| line.starts_with("\t@") && line.contains(" mov.b32 %r");
    if text.lines().filter(set).count() != 1 {
        return Err(format!("what is read is 0 where it is not read\n{text}"));
    }
    let texture = "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d1, {%r0}];";
    contains("a texture", &body(texture), &["tex.1d"], &["and.b32"])?;
    contains(
        "a handle behind a label",
        &body(&format!("bra L;\nL:\n{texture}")),
        &["tex.1d"],
        &[],
    )?;
    let two = texture.replace("}];", "}], [%d2, {%r0}];");
    refused("a texture of two handles", &body(&two), "two addresses")?;
    refused("a question about two", &body("suq.width.b32 %r1, [%d1], [%d2];"), "two addresses")
}

/// Functions, by the way that they get what they are called with.
fn calls() -> Result<(), String> {
    let text = "
        .version 8.0
        .target sm_90
        .address_size 64
        .func (.reg .b32 back) f(.reg .b32 n, .reg .b64 p)
        {
            .reg .b64 %d<3>;
            mul.wide.u32 %d1, n, 4;
            add.s64 %d2, p, %d1;
            ld.global.u32 back, [%d2];
            ret;
        }
        .visible .entry test(.param .u64 a, .param .u32 n)
        {
            .reg .b64 %d<3>;
            .reg .b32 %r<3>;
            ld.param.u64 %d0, [a];
            ld.param.u32 %r0, [n];
            call (%r1), f, (%r0, %d0);
            st.global.u32 [%d0], %r1;
            ret;
        }";
    let with = |index| [memory(16), number(index)];
    inside("registers of a function", text, &with(3))?;
    outside("registers of a function", text, &with(4))?;
    let guarded = guard(text).map_err(|error| error.to_string())?;
    let sites = guarded.kernels()[0].sites().iter().map(|one| one.function.as_deref());
    let mut sites: Vec<_> = sites.collect();
    sites.sort_unstable();
    if sites != [None, Some("f")] {
        return Err(format!("the functions of accesses: {sites:?}"));
    }
    pointers()
}

/// Pointers that functions are called with.
fn pointers() -> Result<(), String> {
    let body = |functions: &str, rest: &str| {
        kernel(
            ".param .u64 a, .param .u32 n, .param .u64 b, .param .u32 m",
            &format!(
                "{BEGIN} ld.param.u64 %d8, [b]; ld.param.u32 %r1, [m]; setp.eq.u32 %p1, %r1, 1; .param .b64 one; .param .b32 two; \
                 st.param.b32 [two], %r0; {rest}"
            ),
        )
        .replace(
            ".visible",
            &format!(
                ".func f(.param .b64 p, .param .b32 n) {{ .reg .b64 %d<4>; .reg .b32 %r<3>; ld.param.b64 %d0, [p]; \
                 ld.param.b32 %r0, [n]; mul.wide.s32 %d1, %r0, 4; add.s64 %d2, %d0, %d1; ld.u32 %r1, [%d2]; ret; }} {functions}\n.visible"
            ),
        )
    };
    let with = |index: i32, other| [memory(16), number(index as u32), memory(32), number(other)];
    let call = "call f, (one, two);";
    let either = body("", &format!("selp.b64 %d3, %d8, %d0, %p1; st.param.b64 [one], %d3; {call}"));
    // With the first number the pointer leads to memory of 16 bytes, and with 1 to memory of 32.
    for (what, text) in [
        ("one of two pointers", either.clone()),
        (
            "a pointer that another replaces",
            body("", &format!("st.param.b64 [one], %d0; @%p1 st.param.b64 [one], %d8; {call}")),
        ),
        (
            "a pointer that is passed on",
            body(
                ".func g(.param .b64 p, .param .b32 n) { .reg .b64 %d<4>; .reg .b32 %r<3>; ld.param.b64 %d0, [p]; ld.param.b32 %r0, [n]; \
                 .param .b64 one; .param .b32 two; st.param.b64 [one], %d0; st.param.b32 [two], %r0; call f, (one, two); ret; }",
                "selp.b64 %d3, %d8, %d0, %p1; st.param.b64 [one], %d3; call g, (one, two);",
            ),
        ),
        (
            "two calls",
            body(
                "",
                &format!(
                    "st.param.b64 [one], %d0; @!%p1 call f, (one, two); st.param.b64 [one], %d8; @%p1 {call}"
                ),
            ),
        ),
    ] {
        for (index, other) in [(0, 0), (3, 0), (0, 1), (7, 1)] {
            inside(what, &text, &with(index, other))?;
        }
        for (index, other) in [(-1, 0), (4, 0), (7, 0), (-1, 1), (8, 1)] {
            outside(&format!("{what}: {index}, {other}"), &text, &with(index, other))?;
        }
    }
    // A pointer that leads to neither has no extents: three registers are 0.
    let guarded = guard(&either).map_err(|error| error.to_string())?;
    let zero = |line: &&str| line.starts_with("\tmov.u64 %d") && line.ends_with(", 0;");
    match guarded.text().lines().filter(zero).count() {
        3 => {}
        count => return Err(format!("{count} of 3 extents are 0 before they are chosen")),
    }
    let fewer = body("", "st.param.b64 [one], %d0; call f, (one);");
    refused("a call with one argument of two", &fewer, "other arguments than the function has")?;
    let middle = body("", &format!("add.s64 %d3, %d0, 8; st.param.b64 [one], %d3; {call}"));
    for access in ["ld.u32", "ld.global.u32", "ld.global.u8"] {
        let text = &middle.replace("ld.u32", access);
        for index in [-2, 1] {
            inside("a pointer into the middle", text, &with(index, 0))?;
        }
        for index in [-3, 2] {
            outside("a pointer into the middle", text, &with(index, 0))?;
        }
    }
    // What is only lent to be read is not written by a function, and what it writes is named.
    let writes = body("", &format!("st.param.b64 [one], %d0; {call}"))
        .replace("ld.u32 %r1, [%d2]", "st.u32 [%d2], 7");
    let read = Argument::Memory { bytes: vec![9; 16], writes: false, skew: 0 };
    inside("a write of a function", &writes, &with(3, 0))?;
    outside(
        "a write of a function to what may be read",
        &writes,
        &[read, number(0), memory(32), number(0)],
    )?;
    // Nothing is behind a pointer that is stored in parts.
    let parts = format!(
        "mov.b64 {{%r3, %r4}}, %d0; st.param.b32 [one], %r3; st.param.b32 [one+4], %r4; {call}"
    );
    outside("a pointer in parts", &body("", &parts), &with(0, 0))
}

/// Registers that are read before they are written.
fn written() -> Result<(), String> {
    let body = |rest: &str| {
        kernel(ONE, &format!("{BEGIN} setp.eq.u32 %p1, %r0, 1; setp.eq.u32 %p2, %r0, 2; {rest}"))
    };
    for rest in [
        "add.u32 %r7, %r7, 1; st.global.u32 [%d1], %r7;",
        "@%p1 mov.u32 %r7, 1; add.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;",
        "@%p1 bra A;\nmov.u32 %r7, 1;\nA:\nadd.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;",
        "@%p1 bra A;\nM:\nbra L;\nA:\nmov.u32 %r7, 1;\nL:\n@%p2 bra M;\nadd.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;",
        "@%p1 bra A;\nM:\n@%p2 bra L; bra L;\nA:\nmov.u32 %r7, 1;\nL:\n@%p2 bra M;\nadd.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;",
    ] {
        zeroed(&body(rest))?;
    }
    // What is written on all ways is not set.
    let set = body(
        "@%p1 bra A;\nmov.u32 %r7, 1; bra B;\nA:\nmov.u32 %r7, 2;\nB:\nadd.u32 %r3, %r7, 1; st.global.u32 [%d1], %r3;",
    );
    if zeroed(&set).is_ok() {
        return Err("a register that is written is set to 0".to_owned());
    }
    contains(
        "a barrier whose number is not written",
        &body("bar.sync %r7;"),
        &["mov.b32 %r", ", 0;"],
        &[],
    )
}

fn texts() -> Result<(), String> {
    let body = |rest: &str| kernel(ONE, &format!("{BEGIN} {rest}"));
    contains(
        "a policy",
        &body(
            "createpolicy.fractional.L2::evict_last.b64 %d7, 0f3F800000; ld.global.L2::cache_hint.u32 %r1, [%d1], %d7;",
        ),
        &["ld.global.u32"],
        &["cache_hint", "createpolicy"],
    )?;
    contains(
        "a pragma",
        &body(".pragma \"enable_smem_spilling\"; .pragma \"nounroll\";"),
        &["nounroll"],
        &["smem"],
    )?;
    let surface = kernel(
        ".param .u64 s, .param .u32 n",
        "ld.param.u64 %d0, [s]; mov.u64 %d1, %d0; ld.param.u32 %r0, [n]; suld.b.1d.b32.trap %r1, [%d1, {%r0}]; sust.b.1d.b32 [%d1, {%r0}], %r1;",
    );
    contains("a surface", &surface, &["suld.b.1d.b32.zero", "sust.b.1d.b32.zero"], &[".trap"])?;
    // A place that is no multiple of 4 is left out.
    let looked = guard(&surface).map_err(|error| error.to_string())?;
    let looked =
        looked.text().lines().filter(|line| line.contains("and.b32") && line.ends_with(", 3;"));
    if looked.count() != 2 {
        return Err("the places of a surface have no check".to_owned());
    }
    let guarded = guard(&surface).map_err(|error| error.to_string())?;
    let lines: Vec<&str> = guarded.text().lines().collect();
    let access = lines.iter().find(|line| line.contains("suld")).ok_or("no surface")?;
    let handle =
        access.split('[').nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default();
    if !lines
        .iter()
        .any(|line| line.contains(&format!("ld.param.u64 {handle}, [")) && !line.contains("%d0,"))
    {
        return Err(format!("the handle {handle} is not read again\n{}", guarded.text()));
    }
    let list =
        body("T: .branchtargets A, B; brx.idx %r0, T;\nA:\nret;\nB:\nst.global.u32 [%d1], 7;");
    contains("a list of targets", &list, &["min.u32", ", 1;"], &[])?;
    inside("the last target", &list, &[memory(8), number(1000)])?;
    let lists = body(
        "setp.eq.u32 %p1, %r0, 7;\nS: .branchtargets A, B, C, D; T: .branchtargets A, B; U: .branchtargets C, D, B;\n\
         @%p1 brx.idx %r0, S; brx.idx %r0, T;\nA:\nret;\nB:\nst.global.u32 [%d1], 7; ret;\nC:\nst.global.u32 [%d1+400], 7; @%p1 brx.idx %r0, U;\nD:",
    );
    inside("the last target of one of three lists", &lists, &[memory(8), number(1000)])?;
    contains("lists of targets", &lists, &[", 3;", ", 1;", ", 2;"], &[])?;
    // The workspace of a cooperative launch, the halves of whose address are in two registers.
    let sync = "add.s64 %d4, %d3, 4; atom.global.add.u32 %r3, [%d4], 1; ld.global.u32 %r4, [%d3];";
    for address in [
        "mov.b64 %d3, {%r1, %r2};",
        "cvt.u64.u32 %d5, %r1; cvt.u64.u32 %d6, %r2; shl.b64 %d6, %d6, 32; or.b64 %d3, %d5, %d6;",
        "cvt.u64.u32 %d5, %r1; cvt.u64.u32 %d6, %r2; bfi.b64 %d3, %d6, %d5, 32, 32;",
    ] {
        let text = body(&format!("mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; {address} {sync}"));
        contains(address, &text, &[", 0, 8, "], &["hidden+0]"])?;
        let other = text.replace("%envreg2", "%ctaid.x").replace("%envreg1", "%tid.x");
        contains(address, &other, &["hidden+0]"], &[", 0, 8, "])?;
    }
    // Names of ours that the text has.
    let named = body("st.global.u32 [guard0_p0], 7; bra guard0_l0;\nguard0_l0:")
        .replace(".const", ".global .u32 guard0_p0; .global .u32 guard0_hidden;\n.const");
    let guarded = guard(&named).map_err(|error| error.to_string())?;
    let own = guarded.text().split("hidden[").next().and_then(|head| head.rsplit(' ').next());
    if own.is_none_or(|own| own.is_empty() || named.contains(own)) {
        return Err(format!("names of the text: {own:?}"));
    }
    inside("names of ours", &named, &[memory(8), number(0)]).map(drop)
}

#[test]
fn each_rule_does_what_it_says() {
    all().unwrap_or_else(|why| panic!("{why}"));
}
