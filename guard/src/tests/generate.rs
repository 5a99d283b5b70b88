//! Kernels of random instructions, most of which compute addresses and use them.

use super::world::{Argument, Random, address_of};

/// A kernel and the arguments that it is launched with.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) arguments: Vec<Argument>,
}

struct Writer<'r> {
    random: &'r mut Random,
    lines: Vec<String>,
    /// Whether indices stay small, so that accesses may well be inside.
    tame: bool,
    /// Whether it has a local variable, which then is all of the frame, or calls a function.
    local: bool,
    /// How many times accesses at equal steps were written.
    strides: usize,
}

const TYPES: &[&str] = &["u8", "s8", "b16", "u32", "f32", "b64", "f64", "s32"];

fn size(ty: &str) -> u64 {
    ty[1..].parse::<u64>().unwrap() / 8
}

impl Writer<'_> {
    fn r(&mut self) -> String {
        format!("%r{}", self.random.below(8))
    }

    fn d(&mut self) -> String {
        format!("%d{}", 8 + self.random.below(12))
    }

    fn p(&mut self) -> String {
        format!("%p{}", self.random.below(4))
    }

    /// A pointer.
    fn base(&mut self) -> String {
        match self.random.below(8) {
            0..5 => format!("%d{}", self.random.below(4)),
            5 => format!("%g{}", self.random.below(4)),
            _ => self.d(),
        }
    }

    fn guard(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("@{} ", self.p()),
            1 => format!("@!{} ", self.p()),
            _ => String::new(),
        }
    }

    fn push(&mut self, line: impl Into<String>) {
        let guard = self.guard();
        self.lines.push(format!("{guard}{}", line.into()));
    }

    fn register(&mut self, ty: &str) -> String {
        let number = self.random.below(4);
        match ty {
            "f32" => format!("%f{number}"),
            "f64" => format!("%e{number}"),
            _ if size(ty) == 8 => self.d(),
            _ if size(ty) == 4 => self.r(),
            _ => format!("%h{number}"),
        }
    }

    fn offset(&mut self, bytes: u64) -> String {
        match self.random.below(8) {
            0..4 => String::new(),
            4..6 => format!("+{}", self.random.below(4) * bytes),
            6 => format!("+-{}", self.random.below(4) * bytes),
            _ => format!("+{}", self.random.below(9)),
        }
    }

    /// An integer instruction.
    fn number(&mut self) {
        let (a, b, c) = (self.r(), self.r(), self.r());
        let small = self.random.below(9);
        let line = match self.random.below(9) {
            0 => format!("add.s32 {a}, {b}, {small};"),
            1 => format!("mov.u32 {a}, %tid.x;"),
            2 => format!("mov.u32 {a}, {small};"),
            3 if !self.tame => format!("mov.u32 {a}, {};", self.random.next() as i32),
            4 if !self.tame => format!("sub.s32 {a}, {b}, {c};"),
            5 => format!("setp.lt.s32 {}, {b}, {};", self.p(), self.random.below(32)),
            6 => format!("min.u32 {a}, {b}, {small};"),
            7 => format!("xor.b32 {a}, {b}, {small};"),
            _ => format!("and.b32 {a}, {b}, {};", [3, 7, 1, 15][small as usize % 4]),
        };
        self.push(line);
    }

    /// An address of an index.
    fn address(&mut self) {
        let (to, base, index) = (self.d(), self.base(), self.r());
        let other = self.d();
        let scale = self.random.of(&["1", "2", "4", "4", "8", "16", "12"]);
        let sign = self.random.of(&["u", "s"]);
        let lines = match self.random.below(9) {
            0..3 => vec![
                format!("mul.wide.{sign}32 {other}, {index}, {scale};"),
                format!("add.s64 {to}, {base}, {other};"),
            ],
            3 => vec![format!("mad.wide.{sign}32 {to}, {index}, {scale}, {base};")],
            4 => vec![
                format!("cvt.{sign}64.{sign}32 {other}, {index};"),
                format!("shl.b64 {other}, {other}, {};", self.random.below(4)),
                format!("add.s64 {to}, {other}, {base};"),
            ],
            5 => vec![format!("add.s64 {to}, {base}, {};", self.random.below(5) * 4)],
            6 => {
                let p = self.p();
                vec![format!("selp.b64 {to}, {base}, {other}, {p};")]
            }
            7 => {
                let name = self.random.of(if self.local {
                    &["glob", "lo", "sh"]
                } else {
                    &["glob", "sh", "sh"]
                });
                let (space, generic) = match name {
                    "glob" => ("global", self.random.once_in(2)),
                    "lo" => ("local", true),
                    _ => ("shared", true),
                };
                let mut lines = vec![format!("mov.u64 {to}, {name};")];
                if generic {
                    lines.push(format!("cvta.{space}.u64 {to}, {to};"));
                }
                lines
            }
            _ => vec![format!("mov.u64 {to}, {base};")],
        };
        // A change between may make an index or address another.
        for line in lines {
            self.lines.push(line);
            if self.random.once_in(8) {
                self.number();
            }
        }
        for _ in 0..self.random.below(4) {
            self.memory(Some(to.clone()));
        }
    }

    /// An access.
    fn memory(&mut self, base: Option<String>) {
        let base = base.unwrap_or_else(|| self.base());
        let mut ty = self.random.of(TYPES);
        let count = *[1, 1, 1, 2, 4].get(self.random.below(5) as usize).unwrap();
        if size(ty) * count > 16 {
            ty = "u32";
        }
        let space = self.random.of(&[".global", ".global", ".global", ""]);
        let registers: Vec<String> = (0..count).map(|_| self.register(ty)).collect();
        let (vector, list) = match count {
            1 => (String::new(), registers[0].clone()),
            _ => (format!(".v{count}"), format!("{{{}}}", registers.join(", "))),
        };
        let offset = self.offset(size(ty) * count);
        let place = format!("[{base}{offset}]");
        let line = match self.random.below(12) {
            0..5 => format!("ld{space}{vector}.{ty} {list}, {place};"),
            5..8 => format!("st{space}{vector}.{ty} {place}, {list};"),
            8 => {
                let (a, b) = (self.r(), self.r());
                format!("atom{space}.add.u32 {a}, {place}, {b};")
            }
            9 => {
                let b = self.r();
                format!("red{space}.max.u32 {place}, {b};")
            }
            10 => {
                let bytes = self.random.of(&["4", "8", "16"]);
                let size =
                    if self.random.once_in(2) { format!(", {}", self.r()) } else { String::new() };
                let size = if size.is_empty() { size } else { ", %r9".to_owned() };
                format!("cp.async.ca.shared.global [%r8], {place}, {bytes}{size};")
            }
            _ => self.elsewhere(),
        };
        self.push(line);
    }

    /// An access to local or constant memory, or a variable by its name.
    fn elsewhere(&mut self) -> String {
        let (r, index) = (self.r(), self.random.below(12) * 4);
        let first = if self.local { 0 } else { 2 };
        match first + self.random.below(6 - first) {
            0 => format!("ld.local.u32 {r}, [%l0+{index}];"),
            1 => format!("st.local.u32 [%l1+{index}], {r};"),
            2 => format!("ld.const.u32 {r}, [%l2+{index}];"),
            3 => format!("ld.global.u32 {r}, [glob+{index}];"),
            4 => format!("st.global.u32 [glob+{index}], {r};"),
            _ => format!("prefetch.global.L2 [{}];", self.base()),
        }
    }

    /// Accesses at equal steps, mostly. Nothing else writes their registers.
    fn steps(&mut self, base: String, index: &str, by: &str) -> Vec<String> {
        let own = 16 * self.strides;
        self.strides = (self.strides + 1) % 8;
        let register = |at: usize| format!("%s{}", own + at);
        let (scale, sign) =
            (self.random.of(&["4", "4", "4", "8"]), self.random.of(&["s", "s", "u"]));
        let other = self.random.of(&["4", "4", "4", "1"]);
        let signed = self.random.of(&["s", "s", "s", "u"]);
        let mut lines = vec![
            format!("mul.wide.{sign}32 {}, {index}, {scale};", register(0)),
            format!("add.s64 {}, {base}, {};", register(1), register(0)),
            format!("mul.wide.{signed}32 {}, {by}, {scale};", register(2)),
            format!("mul.wide.{signed}32 {}, {by}, {other};", register(3)),
        ];
        let space = self.random.of(&[".global", ".global", ""]);
        let (writes, offset) = (self.random.once_in(3), self.offset(4));
        for at in 4..5 + self.random.below(4) as usize {
            let number = self.random.below(8);
            let offset = if self.random.once_in(12) { self.offset(4) } else { offset.clone() };
            let address = if at == 4 { register(1) } else { register(at) };
            lines.push(match writes != self.random.once_in(8) {
                false => format!("ld{space}.u32 %r{number}, [{address}{offset}];"),
                true => format!("st{space}.u32 [{address}{offset}], %r{number};"),
            });
            let step = register(if self.random.once_in(12) { 3 } else { 2 });
            let parts = if self.random.once_in(4) { [step, address] } else { [address, step] };
            let next = format!("add.s64 {}, {};", register(at + 1), parts.join(", "));
            if self.random.once_in(12) {
                lines.push(self.random.of(&["bar.sync 0;", "mov.u32 %r0, 1;"]).to_owned());
            }
            lines.push(next);
        }
        lines
    }

    /// A loop of one block, whose indices and pointers move by equal steps, mostly.
    fn walk(&mut self, label: usize) {
        let wide = self.random.once_in(4);
        let (bits, x, y) = if wide { (64, "%j0", "%j1") } else { (32, "%i0", "%i1") };
        let by_register = !wide && self.random.once_in(8);
        let step = match self.random.below(12) {
            0..5 => 1,
            5 => -1,
            6 => 2,
            7 => -2,
            8 if self.random.once_in(4) => 3,
            9 if by_register => 0,
            10 => -4,
            _ => 4,
        };
        let passes = self.random.below(6) as i64;
        let start = if self.random.once_in(12) { -2 } else { self.random.below(16) as i64 };
        let off = if self.random.once_in(6) { self.random.below(3) as i64 } else { 0 };
        let (sign, word) = match (self.random.below(4), step > 0) {
            (1.., true) => (self.random.of(&["s", "u"]), self.random.of(&["lt", "lt", "le"])),
            (1, false) => ("s", self.random.of(&["gt", "ge"])),
            _ => ("s", "ne"),
        };
        let end = start + step * passes + off;
        let constant = self.random.once_in(3);
        let mut before = vec![
            format!("mov.u{bits} {x}, {start};"),
            format!("mov.u{bits} {y}, {end};"),
            format!("mov.u32 %i2, {step};"),
            format!("mov.u64 %j2, {};", 4 * (self.random.below(4) as i64 - 1)),
        ];
        if self.random.once_in(5) {
            before.push("mov.u32 %i5, %tid.x; add.u32 %i0, %i0, %i5;".to_owned());
        }
        // Four that move: two indices, a wide one, and a pointer.
        for index in ["%i3", "%i4"] {
            before.push(match self.random.below(4) {
                0 => format!("mov.u32 {index}, {};", self.random.below(20) as i64 - 1),
                1 => format!("add.s32 {index}, {}, {};", self.r(), self.random.below(4)),
                _ => format!("cvt.u32.u{bits} {index}, {x};").replace("cvt.u32.u32", "mov.u32"),
            });
        }
        let base = self.random.below(3);
        before.push(format!("mul.wide.s32 %j3, {}, 4; add.s64 %j4, %d{base}, %j3;", "%i3"));
        before.push(format!("mov.u64 %j5, {};", self.random.below(8) as i64 * 4 - 4));
        // Most loops only read.
        let most = if self.random.once_in(6) { 10 } else { 8 };
        let mut body: Vec<String> = Vec::new();
        let steps = |random: &mut Random| {
            random.of(&["1", "1", "2", "-1", "%i2", "%i2", "0", "3"]).to_owned()
        };
        for _ in 0..2 + self.random.below(4) {
            let index = self.random.of(&["%i3", "%i4", "%i0"]);
            let base = format!("%d{}", self.random.below(3));
            // Mostly ones that nothing else writes.
            let own = if self.random.once_in(8) { 0 } else { 2 * self.lines.len() + body.len() };
            let (a, b) = (format!("%a{}", own * 2 % 128), format!("%a{}", own * 2 % 128 + 1));
            let sign = self.random.of(&["s", "u"]);
            let add = self.random.below(4);
            let address = match self.random.below(8) {
                0..3 => format!("mul.wide.{sign}32 {a}, {index}, 4; add.s64 {b}, {base}, {a};"),
                3 => format!(
                    "add.s32 %i5, {index}, {add}; mul.wide.{sign}32 {a}, %i5, 4; add.s64 {b}, {base}, {a};"
                ),
                4 => format!("mad.wide.{sign}32 {b}, {index}, 4, {base}; add.s64 {b}, {b}, %j2;"),
                5 => format!("shl.b64 {a}, %j5, 2; add.s64 {b}, {base}, {a};"),
                6 => format!(
                    "mad.lo.s32 %i5, {index}, 2, {add}; mul.wide.u32 {a}, %i5, 4; add.s64 {b}, {a}, {base};"
                ),
                _ => format!("add.s64 {b}, %j4, %j2;"),
            };
            body.push(address);
            let place = match self.random.below(5) {
                0..3 => format!("[{b}]"),
                3 => format!("[{b}+{}]", 4 * add),
                _ => "[%j4]".to_owned(),
            };
            let guard = self.guard();
            let number = self.random.below(4);
            body.push(match self.random.below(most) {
                0..7 => format!("{guard}ld.global.u32 %r{number}, {place};"),
                7 => format!("{guard}ld.global.v2.f32 {{%f0, %f1}}, {place};"),
                8 => format!("{guard}st.global.u32 {place}, %r{number};"),
                _ => format!("{guard}red.global.add.u32 {place}, 1;"),
            });
            if self.random.once_in(2) {
                let (guard, by) = (
                    if self.random.once_in(5) { self.guard() } else { String::new() },
                    steps(self.random),
                );
                body.push(match self.random.below(4) {
                    0 => format!("{guard}add.s64 %j4, %j4, %j2;"),
                    1 => format!("{guard}add.s64 %j5, %j5, {};", self.random.below(3)),
                    _ => format!("{guard}add.s32 {}, {}, {by};", "%i3", "%i3"),
                });
            }
            if self.random.once_in(3) {
                body.push(format!("add.s32 %i4, %i4, {};", steps(self.random)));
            }
            if self.random.once_in(24) {
                body.push(
                    self.random
                        .of(&[
                            "bar.sync 0;",
                            "add.s32 %i2, %i2, 1;",
                            "add.s32 %i1, %i1, -1;",
                            "sub.s32 %i4, %i2, %i4;",
                        ])
                        .to_owned(),
                );
            }
        }
        if self.random.once_in(4) {
            let base = format!("%d{}", self.random.below(3));
            body.extend(self.steps(base, "%i3", "%i2"));
        }
        let by = if by_register { "%i2".to_owned() } else { step.to_string() };
        let at = if self.random.once_in(3) { 0 } else { body.len() };
        body.insert(at, format!("add.s{bits} {x}, {x}, {by};"));
        let y = if constant { end.to_string() } else { y.to_owned() };
        let (word, negated) = match (word, self.random.once_in(10)) {
            ("ne", true) => ("eq", "!"),
            ("lt", true) => ("ge", "!"),
            ("le", true) => ("gt", "!"),
            ("gt", true) => ("le", "!"),
            ("ge", true) => ("lt", "!"),
            (word, _) => (word, ""),
        };
        body.push(format!("setp.{word}.{sign}{bits} %p8, {x}, {y}; @{negated}%p8 bra W{label};"));
        self.lines.extend(before);
        self.lines.push(format!("W{label}:"));
        self.lines.extend(body);
    }

    fn call(&mut self) {
        let (pointer, index) = (self.base(), self.r());
        let result = self.r();
        self.lines.push(format!(
            "{{ .param .b64 one; .param .b32 two; .param .b32 back; st.param.b64 [one], {pointer}; \
             st.param.b32 [two], {index}; call (back), helper, (one, two); ld.param.b32 {result}, [back]; }}"
        ));
    }
}

/// A kernel and its arguments.
pub(crate) fn case(random: &mut Random) -> Case {
    // Looked at, so that kernels without are what they were.
    let walks = random.clone().once_in(3);
    // With one pointer alone, addresses from memory are compared with what it points to.
    let lone = !walks && random.clone().once_in(8);
    let tame = !random.once_in(4);
    // In short ones, often nothing is outside.
    let count = if random.once_in(2) { 1 + random.below(5) } else { 4 + random.below(24) };
    let local = random.once_in(2);
    let mut writer = Writer { random, lines: Vec::new(), tame, local, strides: 0 };
    for _ in 0..6 {
        writer.number();
    }
    let mut labels = 0;
    // A loop or two, and little else.
    let count = if walks { writer.random.below(4) } else { count };
    for walk in 0..if walks { 1 + writer.random.below(2) } else { 0 } {
        writer.walk(walk as usize);
    }
    let mut open = false;
    for _ in 0..count {
        match writer.random.below(24) {
            0..5 => writer.number(),
            5..10 => writer.address(),
            10..12 => {
                let (base, index, by) = (writer.base(), writer.r(), writer.r());
                if writer.random.once_in(2) {
                    let step = writer.random.of(&["1", "2", "-1", "3", "-2147483648"]);
                    writer.lines.push(format!("mov.u32 {by}, {step};"));
                }
                let lines = writer.steps(base, &index, &by);
                writer.lines.extend(lines);
            }
            12..19 => writer.memory(None),
            19 if !open => {
                // A loop of a few passes.
                writer.lines.push(format!("mov.u32 %r10, 0;\nL{labels}:"));
                open = true;
            }
            19 => {
                writer.lines.push(format!(
                    "add.u32 %r10, %r10, 1; setp.lt.u32 %p7, %r10, {}; @%p7 bra L{labels};",
                    1 + writer.random.below(4)
                ));
                labels += 1;
                open = false;
            }
            20 if !open => {
                let p = writer.p();
                writer.lines.push(format!("@{p} bra L{labels};"));
                writer.number();
                writer.address();
                writer.memory(None);
                writer.lines.push(format!("L{labels}:"));
                labels += 1;
            }
            21 if !writer.local => writer.call(),
            22 if writer.random.once_in(3) => {
                let end = writer.random.of(&["ret", "exit"]);
                let p = writer.p();
                writer.lines.push(format!("@{p} {end};"));
            }
            _ => {
                let at = writer.random.below(4) * 8;
                let (to, from) = (writer.d(), writer.base());
                writer.push(format!("ld.global.u64 {to}, [{from}+{at}];"));
            }
        }
    }
    if open {
        writer
            .lines
            .push(format!("add.u32 %r10, %r10, 1; setp.lt.u32 %p7, %r10, 2; @%p7 bra L{labels};"));
    }
    let body = writer.lines.join("\n");
    let (random, local) = (writer.random, writer.local);
    let declared = if local { ".local .align 16 .b8 lo[32];" } else { "" };
    let taken = if local { "mov.u64 %l0, lo; mov.u64 %l1, lo;" } else { "" };
    // Most registers hold something: a few are read before they are written.
    let set: String = (8..20)
        .filter(|_| !random.once_in(10))
        .map(|at| format!("mov.u64 %d{at}, %d{};\n", at % 4))
        .collect();
    let offset = random.below(3) * 8;
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .global .align 16 .b8 glob[40];\n.const .align 16 .b32 cons[6] = {{1, 2, 3, 4, 5, 6}};\n\
         .func (.param .b32 back) helper(.param .b64 p, .param .b32 n) {{\n\
         .reg .b64 %d<4>; .reg .b32 %r<4>;\nld.param.b64 %d0, [p]; ld.param.b32 %r0, [n];\n\
         mul.wide.s32 %d1, %r0, 4; add.s64 %d2, %d0, %d1;\n\
         ld.u32 %r1, [%d2]; st.global.u32 [%d2+4], %r1; st.param.b32 [back], %r1; ret; }}\n\
         .visible .entry test(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 number, \
         .param .align 8 .b8 both[24], .param .u32 n)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<12>; .reg .b64 %d<20>; .reg .f32 %f<4>; .reg .f64 %e<4>;\n\
         .reg .b64 %g<4>; .reg .b64 %l<4>; .reg .b32 %i<6>; .reg .b64 %j<6>; .reg .b64 %a<128>; .reg .b64 %s<128>;\n\
         {declared} .shared .align 16 .b8 sh[64];\n\
         ld.param.u64 %g0, [a]; ld.param.u64 %g1, [b]; ld.param.u64 %g2, [c]; ld.param.u64 %g3, [both+{offset}];\n\
         cvta.to.global.u64 %d0, %g0; cvta.to.global.u64 %d1, %g1; cvta.to.global.u64 %d2, %g2; ld.param.u64 %d3, [number];\n\
         mov.u32 %r0, %tid.x; ld.param.u32 %r1, [n]; mov.u32 %r8, sh; mov.u32 %r9, %ctaid.x; shl.b32 %r9, %r9, 2;\n\
         {taken} mov.u64 %l2, cons;\n\
         {set}{body}\nret;\n}}\n"
    );
    let text = match lone {
        true => text
            .replace(
                ".param .u64 b, .param .u64 c, .param .u64 number, .param .align 8 .b8 both[24], ",
                "",
            )
            .replace(
                "ld.param.u64 %g1, [b]; ld.param.u64 %g2, [c]; ",
                "mov.u64 %g1, %g0; mov.u64 %g2, %g0; ",
            )
            .replace(&format!("ld.param.u64 %g3, [both+{offset}];"), "mov.u64 %g3, %g0;")
            .replace("ld.param.u64 %d3, [number];", "mov.u64 %d3, %d0;"),
        false => text,
    };
    let memory = |random: &mut Random| {
        let words = random.below(40);
        let mut bytes: Vec<u8> = Vec::new();
        while (bytes.len() as u64) < words * 4 {
            if random.once_in(3) && bytes.len() % 8 == 0 {
                bytes.extend(address_of(random.below(3) as u8));
            } else {
                bytes.extend((random.below(8) as u32).to_le_bytes());
            }
        }
        let cut = if random.once_in(4) { random.below(4) as usize } else { 0 };
        bytes.truncate(bytes.len().saturating_sub(cut));
        let skew = match random.below(8) {
            0 => 4,
            1 => 8 + random.below(8),
            _ => 0,
        };
        Argument::Memory { bytes, writes: !random.once_in(3), skew }
    };
    let mut arguments: Vec<Argument> = (0..3).map(|_| memory(random)).collect();
    arguments.push(Argument::Number(random.below(16).to_le_bytes().to_vec()));
    arguments.push(Argument::Struct(vec![5; 24], vec![(0, 0), (8, 1)]));
    arguments.push(Argument::Number((random.below(8) as u32).to_le_bytes().to_vec()));
    if lone {
        arguments.drain(1..5);
    }
    Case { text, arguments }
}
