//! Texts of whole modules that nobody wrote: declarations in each place, vectors, operands, externs, comments and
//! strings; most of them with a token taken away, added or replaced.

use super::assembler::{Case, Random};

/// In these lists, what is mostly taken is in the first half.
const TYPES: &[&str] = &[
    ".u8", ".s8", ".b8", ".u16", ".s16", ".b16", ".u32", ".s32", ".b32", ".u64", ".f16", ".s64",
    ".b64", ".f16x2", ".f32", ".f64", ".b128", ".pred", ".bf16",
];
const PLAIN: &[&str] = &[".u32", ".b32", ".u64", ".f32", ".u8", ".f64", ".b16"];
const VECTORS: &[&str] = &["", "", "", "", ".v2", ".v4", ".v3", ".v8"];
const SPACES: &[&str] = &[".global", ".const", ".shared", ".local", ".param", ".reg"];
const LINKAGES: &[&str] = &["", "", "", ".visible", ".extern", ".weak", ".common"];
const ALIGNS: &[&str] =
    &["", "", "", "", ".align 16", ".align 4", ".align 1", ".align 3", ".align 0"];
const SIZES: &[&str] = &[
    "", "", "", "", "", "[4]", "[2][2]", "[4U]", "[0x4]", "[]", "[0]", "[2+2]", "[1][]", "[2][0]",
];
const NUMBERS: &[&str] = &[
    "1",
    "0",
    "-1",
    "0x10",
    "0b11",
    "017",
    "7U",
    "WARP_SZ",
    "1+2",
    "2*3",
    "(1<<4)|3",
    "~0",
    "!4",
    "-(2)",
    "1?2:3",
    "4>2",
    "7/2",
    "7 % 3",
    "(.s64)1",
    "0xffffffffffffffff",
    "1-1",
    "+4",
    "- -1",
    "1&&0",
    "1==1",
    "6^3",
    "1.5",
    "1.5+1.5",
    "0f3F800000",
    "0d3FF0000000000000",
    "-0f3F800000",
    "1e3",
    ".5",
    "(.u32)1",
    "99999999999999999999",
    "08",
    "10u",
    "1 2",
    "(1",
    "1)",
    "1+1.5",
    "1,2",
    "7%3",
    "1-",
    "0x",
    "1.5<2.0",
    "~1.5",
];
const INITS: &[&str] = &[
    "= 1",
    "= -1",
    "= 1+2",
    "= {1, 2}",
    "= {{1, 2}, {3}}",
    "= g1",
    "= generic(g1)",
    "= g1+4",
    "= {g1, 0}",
    "= f1",
    "= 1.5",
    "= 0f3F800000",
    "= {1, 2, 3, 4}",
    "= \"a\"",
    "= {}",
    "= late",
    "= generic(g1)+4",
    "= {0f3F800000}",
    "=",
    "= {1, 2, 3, 4, 5}",
    "= {1, {2}}",
    "= 0xff(g1)",
    "= {0xff(g1), 0xff00(g1)}",
    "= generic(g1+4)",
    "= f1+4",
];
/// Names, some of which every text declares.
const NAMES: &[&str] =
    &["x", "y", "$z", "_a", "%n", "add", "tid", "x1$2", "g1", "f1", "k", "_", "WARP_SZ"];
const REGISTERS: &[&str] = &[
    "%r1", "%r2", "%r3", "%r1", "%r2", "%v1.x", "%rd1", "%f1", "%fd1", "%rs1", "%p1", "%v1", "%r9",
    "%tid.x", "%q",
];
const ADDRESSES: &[&str] = &[
    "[%rd1]",
    "[%rd1+4]",
    "[%rd1 + 4]",
    "[%rd1+-4]",
    "[%rd1+4*2]",
    "[%rd1+(4)]",
    "[%rd1+4-2]",
    "[g1]",
    "[g1+4]",
    "g4[1]",
    "g4[%r1]",
    "g4[%r1+1]",
    "g4[2*1]",
    "g4[-1]",
    "[g4]",
    "[g4+8]",
    "[ g1 ]",
    "[%rd1+WARP_SZ]",
    "[%rd1-4]",
    "g1[0]",
    "[g4[1]]",
    "g4[1][1]",
    "[0]",
    "[%r1]",
    "[%rd1+%rd2]",
    "[late]",
    "g4",
    "g4+4",
    "[out]",
    "out[0]",
    "[g1-4]",
    "[%rd1][0]",
    "[]",
    "%rd1",
    "[%rd1,4]",
    "s4[1]",
    "[s4]",
    "[l4]",
    "l4[1]",
    "l4[2+1]",
];
const COMMENTS: &[&str] = &[
    "/* c */",
    "// c\n",
    "/**/",
    "/***/",
    "/* \n */",
    "// /*\n",
    "/* // */",
    "/* /* */",
    "/* \" */",
    "// \"\n",
    "/* \u{1} */",
    "\t",
    "\r\n",
    "\u{c}",
    "\n\n",
];
/// Tokens to put anywhere.
const TOKENS: &[&str] = &[
    ";",
    ",",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ":",
    "=",
    "+",
    "-",
    "|",
    "@",
    "!",
    "*",
    "/",
    "~",
    "^",
    "&",
    "?",
    "1",
    "x",
    "%r1",
    ".u32",
    ".v2",
    ".reg",
    ".param",
    ".global",
    ".align",
    ".visible",
    ".extern",
    ".func",
    ".entry",
    ".loc",
    ".file",
    ".pragma",
    "\"a\"",
    "1.5",
    "0f3F800000",
    "ret",
    "mov",
    "_",
    "WARP_SZ",
    "#",
    "$",
    "\\",
    "`",
    "'",
    ".",
    "%",
    "<<",
    "&&",
    "==",
    "1e",
    "0x",
    ".5",
];

/// One of some words, mostly of the first half.
fn word(random: &mut Random, list: &[&'static str]) -> &'static str {
    let list = if some(random, 4) { list } else { &list[..list.len().div_ceil(2)] };
    list[random.below(list.len())]
}

fn some(random: &mut Random, chance: usize) -> bool {
    random.below(chance) == 0
}

/// A declaration of a variable.
fn variable(random: &mut Random, space: &str, linkage: bool) -> String {
    let linkage = if linkage { word(random, LINKAGES) } else { "" };
    let align = word(random, ALIGNS);
    let ty = if some(random, 3) { word(random, TYPES) } else { word(random, PLAIN) };
    let name = word(random, NAMES);
    let init = if some(random, 5) { word(random, INITS) } else { "" };
    let gap = if some(random, 4) { "" } else { " " };
    let more = if some(random, 8) { ", z2" } else { "" };
    let count = if space == ".reg" && some(random, 2) {
        word(random, &["<4>", "<0>", "<2U>", "<1+1>"])
    } else {
        ""
    };
    format!(
        "{linkage} {align} {space}{gap}{}{gap}{ty} {name}{count}{} {init}{more};",
        word(random, VECTORS),
        word(random, SIZES)
    )
    .replace("  ", " ")
}

/// A parameter of a function.
fn parameter(random: &mut Random, entry: bool, name: &str) -> String {
    let space = match random.below(8) {
        0 => word(random, SPACES),
        1..=3 if !entry => ".reg",
        _ => ".param",
    };
    let pointer = word(
        random,
        &["", "", "", ".ptr", ".ptr .global", ".ptr .global .align 4", ".ptr .align 4"],
    );
    let vector = if some(random, 3) { word(random, VECTORS) } else { "" };
    let size = if some(random, 4) { word(random, SIZES) } else { "" };
    let align = if some(random, 4) { word(random, ALIGNS) } else { "" };
    let ty = if some(random, 5) { word(random, TYPES) } else { word(random, PLAIN) };
    format!("{space} {align} {vector} {ty} {pointer} {name}{size}")
}

fn parameters(random: &mut Random, entry: bool) -> String {
    let names = ["a", "b", "c"];
    let count = random.below(3);
    let list: Vec<_> = names[..count].iter().map(|name| parameter(random, entry, name)).collect();
    format!("({})", list.join(", "))
}

/// An item of module scope.
fn item(random: &mut Random) -> String {
    match random.below(12) {
        0..=4 => {
            let space =
                if some(random, 6) { word(random, SPACES) } else { word(random, &SPACES[..3]) };
            variable(random, space, true)
        }
        5 | 6 => {
            let linkage = word(random, &["", "", ".visible", ".weak", ".extern"]);
            let returns = if some(random, 2) {
                format!("({})", parameter(random, false, "r"))
            } else {
                String::new()
            };
            let end = word(random, &["{ ret; }", "{ ret; }", "{ ret; }", ";", "{ }", "ret;"]);
            let list = parameters(random, false);
            let directive = word(random, &["", "", "", ".noreturn", ".maxntid 1"]);
            let name = word(random, &["f2", "f3", "f2", "g1"]);
            format!("{linkage} .func {returns} {name}{list} {directive} {end}")
        }
        7 => {
            let list = parameters(random, true);
            let directive = word(
                random,
                &[
                    "",
                    "",
                    ".maxntid 32",
                    ".reqntid 32, 1, 1",
                    ".maxntid 0",
                    ".minnctapersm 2",
                    ".maxnreg 32",
                    ".pragma \"nounroll\";",
                    ".maxntid 32 .reqntid 32",
                    ".explicitcluster",
                    ".reqnctapercluster 2",
                    ".frob",
                    ".maxntid 1,1,1,1",
                ],
            );
            let linkage = word(random, &["", ".visible", ".weak"]);
            format!("{linkage} .entry k2{list} {directive} {{ ret; }}")
        }
        8 => (word(
            random,
            &[
                ".file 1 \"a.cu\"",
                ".file 2 \"/tmp/b c.cu\", 1, 2",
                ".file \"a\"",
                ".file 1 a",
                ".file 3 \"a;}{\"",
            ],
        ))
        .to_owned(),
        9 => (word(
            random,
            &[
                ".section .debug_str { .b8 1,2 }",
                ".section .debug_info { L: .b32 x }",
                ".section x { }",
                ".pragma \"nounroll\";",
                ".section .debug_x { .b8 1 .b64 2 }",
            ],
        ))
        .to_owned(),
        10 => (word(
            random,
            &[
                ".extern .global .u32 late;",
                ".extern .shared .align 16 .b8 dyn[];",
                ".extern .func f9();",
                ".extern .global .u32 g1;",
                ".extern .shared .u32 s9;",
                ".extern .const .u32 c9[4];",
                ".visible .global .u32 late;",
                ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);",
                ".extern .func vprintf(.param .b64 a, .param .b64 b);",
                ".func f1();",
                ".extern .global .u64 g1;",
            ],
        ))
        .to_owned(),
        _ => (word(
            random,
            &[
                ";",
                ".loc 1 2 3",
                ".maxntid 1",
                "L:",
                "ret;",
                ".address_size 64",
                "{ }",
                ".visible",
                ".frob",
            ],
        ))
        .to_owned(),
    }
}

/// An operand of an instruction.
fn operand(random: &mut Random) -> String {
    match random.below(10) {
        0..=3 => (word(random, REGISTERS)).to_owned(),
        4 | 5 => (word(random, NUMBERS)).to_owned(),
        6 => format!(
            "{}{}",
            word(random, &["%r1", "%rd1", "%rs1", "g1", "g4", "s4", "l4", "out"]),
            word(random, &["+1", " + 4", "+-4", "-4", "+(2*2)", "+1.5", "+4+4"])
        ),
        7 => (word(random, ADDRESSES)).to_owned(),
        8 => (word(random, &["g1", "g4", "s4", "l4", "out", "f1", "late"])).to_owned(),
        _ => (word(
            random,
            &[
                "{%r1, %r2}",
                "{%r1}",
                "{1, 2}",
                "{%r1+1, %r2}",
                "{%f1, %f1}",
                "{-1, %r1}",
                "{_, %r2}",
                "-%r1",
                "!%p1",
                "_",
                "{%rs1, %rs1}",
            ],
        ))
        .to_owned(),
    }
}

/// A statement of a body.
fn statement(random: &mut Random) -> String {
    let address = |random: &mut Random| (word(random, ADDRESSES)).to_owned();
    match random.below(20) {
        0 | 1 => {
            let space = word(random, SPACES);
            let linkage = some(random, 8);
            variable(random, space, linkage)
        }
        2 | 3 => format!(
            "mov.u32 {}, {};",
            word(random, &["%r1", "%r1", "%v1.x", "%v1.y", "%f1"]),
            operand(random)
        ),
        4 | 5 => {
            format!("mov.u64 {}, {};", word(random, &["%rd1", "%rd1", "%rd2"]), operand(random))
        }
        6 | 7 => format!("ld.global.u32 %r1, {};", address(random)),
        8 => format!(
            "ld{}.u32 %r1, {};",
            word(random, &[".shared", ".local", ".const", ".param", ""]),
            address(random)
        ),
        9 => format!("st.global.u32 {}, {};", address(random), operand(random)),
        10 => format!("add.u32 %r1, {}, {};", operand(random), operand(random)),
        11 => format!(
            "{} %rd1, {};",
            word(
                random,
                &[
                    "cvta.global.u64",
                    "cvta.to.global.u64",
                    "cvta.shared.u64",
                    "cvta.local.u64",
                    "add.u64 %rd2,"
                ]
            ),
            operand(random)
        ),
        12 => format!("{{ {} }}", statement(random)),
        13 => (word(
            random,
            &[
                "L1: ret;",
                "bra END;",
                "@%p1 bra END;",
                "@!%p1 ret;",
                "@ %p1 ret;",
                "bra NOWHERE;",
                "L1 : L2 :",
                "{ L3: } bra L3;",
                "END:",
                "@%p1 L4: ret;",
                "@!!%p1 ret;",
            ],
        ))
        .to_owned(),
        14 => (word(
            random,
            &[
                "call f1;",
                "call f1, ();",
                "call g1;",
                "call (%r1), f4, (%r2);",
                "call (%r1), f4, (1+1);",
                "call (%r1), f4, (%r2+1);",
                "call (_), f4, (%r2);",
                "call (%v1), f5, (%v1);",
                "call f5, (%v1);",
                "call (%r1), f4;",
                "call.uni (%r1), f4, (%r2);",
                "call (%r1) f4, (%r2);",
                "call %rd1, P;",
                "call (%r1), f4, ((1));",
                "call (%r1), f4, (-%r2);",
                "call k;",
                "call f9;",
                "call (%v1), f5, ({%r1, %r2});",
            ],
        ))
        .to_owned(),
        15 => (word(
            random,
            &[
                ".loc 1 1 1",
                ".loc 1 1",
                ".pragma \"nounroll\";",
                ".pragma \"frob\";",
                ".file 1 \"a\"",
                ";",
                "T: .branchtargets L1;",
                "P: .callprototype _ ();",
                "P: .callprototype (.param .u32 _) _ (.param .u32 _);",
                ".maxntid 1;",
                "T: .calltargets f1;",
                ".section .x { }",
            ],
        ))
        .to_owned(),
        16 => (word(
            random,
            &[
                "mov .u32 %r1, 1;",
                "mov/**/.u32 %r1, 1;",
                "mov. u32 %r1, 1;",
                "mov.u32 %r1 1;",
                "mov.u32 %r1, 1;;",
                "mov.u32, %r1, 1;",
                "ret",
                "mov.u32 (%r1), 1;",
                "ld .global .u32 %r1, [%rd1];",
                "mov.v2.u32 %v1, {1, 2};",
                "mov.v2.u32 %v1, {%v1.y, %v1.x};",
                "ld.global.v2.u32 %v1, [%rd1];",
                "st.global.v2.u32 [%rd1], %v1;",
                "mov.b64 %rd1, %v1;",
                "mov.b64 %v1, %rd1;",
                "mov.u32 %r1, %v1;",
                "mov.u32 %r1, %v1.z;",
                "mov.u32 %r1, %v1.r;",
                "mov.u32 %v1.g, 1;",
            ],
        ))
        .to_owned(),
        17 => format!("mov.f32 %f1, {};", word(random, NUMBERS)),
        18 => format!(
            "setp.eq.u32 {}, {}, {};",
            word(random, &["%p1", "%p1|%p2", "%p1 | %p2", "%r1", "_|%p1", "%p1|_"]),
            operand(random),
            operand(random)
        ),
        _ => format!(
            "atom.global.add.u32 {}, {}, {};",
            word(random, &["%r1", "%r1", "_"]),
            address(random),
            operand(random)
        ),
    }
}

/// Where a text can be changed between tokens: the ends of these.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let (mut at, mut list) = (0, Vec::new());
    let named =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.');
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'"' => at += 2 + text[at + 1..].find('"').unwrap_or(0),
            byte if named(byte) => {
                at += bytes[at..].iter().take_while(|&&byte| named(byte)).count()
            }
            _ => at += 1,
        }
        list.push(start..at);
    }
    list
}

/// A text, what is special about it, and what is told of it.
pub(super) fn case(random: &mut Random) -> Case {
    let mut items: Vec<String> = Vec::new();
    let before = random.below(2);
    items.extend((0..before).map(|_| item(random)));
    let body: Vec<String> = (0..random.below(3)).map(|_| statement(random)).collect();
    let mut own = items.join("\n") + "\n<BODY>\n" + &body.join("\n");
    let mut kind = "as it is";
    let places = tokens(&own);
    let inner = |place: &std::ops::Range<usize>, own: &str| {
        !own[place.clone()].contains(['<', '>']) && &own[place.clone()] != "BODY"
    };
    let places: Vec<_> = places.into_iter().filter(|place| inner(place, &own)).collect();
    if !places.is_empty() {
        let place = random.of(&places).clone();
        match random.below(12) {
            0 | 9 => {
                kind = "comment";
                own.insert_str(place.start, word(random, COMMENTS));
            }
            1 => {
                kind = "character";
                own.insert_str(
                    place.start,
                    word(random, &["/* é */", "é", "// ö\n", "\u{a0}", "/* \u{7f} */", "// ok\n"]),
                );
            }
            2 => {
                kind = "token removed";
                own.replace_range(place, "");
            }
            3 => {
                kind = "token added";
                own.insert_str(place.start, &format!("{} ", word(random, TOKENS)));
            }
            4 => {
                kind = "token replaced";
                own.replace_range(place, word(random, TOKENS));
            }
            5 => {
                kind = "token repeated";
                let token = own[place.clone()].to_owned();
                own.insert_str(place.start, &format!("{token} "));
            }
            _ => {}
        }
    }
    let (items, body) = own.split_once("<BODY>").unwrap_or((&own, ""));
    let text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.global .u32 g1; .global .u32 g4[4];\n\
         .const .u32 c4[4];\n\
         .func f1() {{ ret; }} .func (.reg .u32 r) f4(.reg .u32 a) {{ mov.u32 r, a; ret; }}\n\
         .func (.reg .v2 .u32 r) f5(.reg .v2 .u32 a) {{ mov.v2.u32 r, a; ret; }}\n{items}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<3>; .reg .b16 %rs<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
         .reg .f32 %f<3>; .reg .f64 %fd<3>; .reg .v2 .u32 %v1; .shared .u32 s4[4]; .local .u32 l4[4];\n{body}\nEND:\nret;\n}}\n"
    );
    let shown = format!("[{kind}] {}", own.replace('\n', "⏎"));
    Case { kind, text, shown }
}
