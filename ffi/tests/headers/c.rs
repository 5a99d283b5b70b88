//! The declarations as C that compiles only if a header says the same.

use crate::declarations::{Constant, Declarations, Function, Layout};
use crate::header::{Header, compile, includes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use syn::{
    BinOp, Expr, GenericArgument, Lit, PathArguments, PointerMutability, ReturnType, Type, UnOp,
};

/// Figures that were once different in headers: a check, and the first of the headers at hand that has what is
/// declared. Drivers take both; a newer structure uses what was reserved in the older one.
const CHANGED: &[(&str, u32)] = &[
    ("value of CU_CTX_FLAGS_MASK", 12020),
    ("value of CU_COREDUMP_LIGHTWEIGHT_FLAGS", 13050),
    // the numbers of 11.8 are those of the first versions of the functions
    ("value of CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS", 12000),
    ("value of CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR", 12000),
    // got a constant below zero
    ("enum CUCoredumpGenerationFlags", 13050),
    // a constant below zero went
    ("enum CUgraphChildGraphNodeOwnership", 13050),
    // aligned to 64 bytes
    ("size of CUtensorMap", 13000),
    // without `nextResource`, which makes the alignment that of a pointer
    ("size of CUdevResource_v1", 13050),
    ("type of CUdevResource_v1._oversize", 13050),
    ("size of CUdevSmResource", 13050),
    ("size of CUDA_HOST_NODE_PARAMS_v2", 13050),
    ("offset of CUmemPoolProps_v1.reserved", 13050),
    ("type of CUmemPoolProps_v1.reserved", 13050),
];

/// A member that has no name in C is called so in Rust.
pub(crate) const ANONYMOUS: &str = "anonymous";

/// Differences from a header, by name, and how much was checked.
pub(crate) struct Outcome {
    pub(crate) wrong: BTreeSet<String>,
    pub(crate) checks: Counts,
}

#[derive(Default, Debug)]
pub(crate) struct Counts {
    pub(crate) functions: usize,
    pub(crate) layouts: usize,
    pub(crate) fields: usize,
    pub(crate) enums: usize,
    pub(crate) constants: usize,
    pub(crate) aliases: usize,
    pub(crate) handles: usize,
}

/// Compiles every declaration that `header` has a name for.
pub(crate) fn check(declarations: &Declarations, header: &Header, file: &str) -> Outcome {
    let mut c = Assertions::new(declarations, header);
    c.all();
    let Assertions { out, wrong, counts, .. } = c;
    let mut wrong = wrong;
    let arguments = ["-fsyntax-only", "-D__CUDA_API_VERSION_INTERNAL"];
    let output = compile(&header.folder, file, &out, &arguments);
    let messages = String::from_utf8(output.stderr).unwrap();
    let mut explained = 0;
    for line in messages.lines().filter(|line| line.contains("error:")) {
        if let Some((_, what)) = line.split_once("static assertion failed: \"") {
            wrong.insert(what.trim_end_matches('"').to_owned());
        } else {
            wrong.insert(line.split_once("error: ").unwrap().1.to_owned());
        }
        explained += 1;
    }
    assert!(output.status.success() || explained > 0, "{messages}");
    for (what, since) in CHANGED {
        if header.version < *since {
            wrong.remove(*what);
        }
    }
    Outcome { wrong, checks: counts }
}

pub(crate) struct Assertions<'a> {
    declarations: &'a Declarations,
    header: &'a Header,
    layouts: BTreeMap<&'a str, &'a Layout>,
    out: String,
    wrong: BTreeSet<String>,
    counts: Counts,
}

impl<'a> Assertions<'a> {
    pub(crate) fn new(declarations: &'a Declarations, header: &'a Header) -> Self {
        let layouts = declarations.layouts.iter().map(|it| (it.name.as_str(), it)).collect();
        let (out, wrong, counts) = Default::default();
        Self { declarations, header, layouts, out, wrong, counts }
    }

    fn all(&mut self) {
        self.out = format!("#include <stddef.h>\n{}{}", includes(""), includes("Typedefs"));
        self.out.push_str(
            "#define SAME(what, a, ...) \
            _Static_assert(__builtin_types_compatible_p(__typeof__(a), __typeof__(__VA_ARGS__)), what)\n\
            #define INTEGER(what, t, size, negative) \
            _Static_assert(sizeof(t) == size && ((t)-1 < 0) == negative, what)\n",
        );
        for function in &self.declarations.functions {
            if self.header.functions.contains(&function.name) {
                self.function(function);
            }
        }
        for layout in self.by_need() {
            self.mirror(layout);
        }
        for layout in &self.declarations.layouts {
            if !self.nested(&layout.name) && self.known(&layout.name) && self.complete(layout) {
                self.layout(layout);
            }
        }
        for item in &self.declarations.enums {
            if self.known(&item.name) {
                self.counts.enums += 1;
                let (size, negative) = integer(&item.repr).expect("an integer");
                self.put(format_args!(
                    "INTEGER(\"enum {0}\", {0}, {size}, {negative});",
                    item.name
                ));
            }
        }
        for constant in &self.declarations.constants {
            if self.known(&constant.name) {
                self.constant(constant);
            }
        }
        for alias in &self.declarations.aliases {
            let to = path(&alias.is);
            if self.known(&alias.name) && to.is_none_or(|to| is_rust(&to) || self.header.has(&to)) {
                self.counts.aliases += 1;
                let name = &alias.name;
                match integer(&alias.is) {
                    Some((size, negative)) => self.put(format_args!(
                        "INTEGER(\"alias {name}\", {name}, {size}, {negative});"
                    )),
                    None => {
                        self.put(format_args!("SAME(\"alias {name}\", {name}, {});", c(&alias.is)))
                    }
                }
            }
        }
        for handle in &self.declarations.handles {
            if self.known(&handle.name) {
                self.counts.handles += 1;
                let (name, tag) = (&handle.name, &handle.tag);
                self.put(format_args!("SAME(\"handle {name}\", {name}, struct {tag} *);"));
            }
        }
    }

    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{line}").unwrap();
    }

    fn known(&self, name: &str) -> bool {
        self.header.has(name)
    }

    /// Whether the header has every type that a struct needs. A union does without those of the
    /// members that it got later.
    fn complete(&self, layout: &Layout) -> bool {
        layout.union
            || self.header.newest
            || layout.fields.iter().all(|(_, ty)| {
                named(ty).is_none_or(|name| match self.layouts.get(name.as_str()) {
                    Some(inner) if self.nested(&name) => self.complete(inner),
                    _ => is_rust(&name) || self.known(&name),
                })
            })
    }

    /// The type, and that `cudaTypedefs.h` has it for the version that is said to have brought it.
    fn function(&mut self, function: &Function) {
        self.counts.functions += 1;
        let Function { name, since, arguments, returns, .. } = function;
        let arguments: Vec<String> = arguments.iter().map(c).collect();
        let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
        let returns = c(returns);
        self.put(format_args!("SAME(\"fn {name}\", &{name}, {returns} (*)({arguments}));"));

        let base = without_version(name);
        if self.header.since.get(base).is_some_and(|versions| versions.contains(since)) {
            self.put(format_args!("SAME(\"since of {name}\", &{name}, PFN_{base}_v{since});"));
        }
    }

    /// A struct or union that is not known by its name, but as a member of another.
    pub(crate) fn nested(&self, name: &str) -> bool {
        self.outer(name).is_some()
    }

    /// The struct or union without a name of its own that is the type of a member.
    pub(crate) fn inner(&self, layout: &Layout, field: &str, ty: &Type) -> Option<&'a Layout> {
        let name = path(ty)
            .filter(|name| *name == format!("{}_{field}", layout.name) && self.nested(name))?;
        Some(self.layouts[name.as_str()])
    }

    /// The struct or union that has `name` as the type of a member.
    fn outer(&self, name: &str) -> Option<&'a Layout> {
        let mut outer = name;
        while let Some((shorter, _)) = outer.rsplit_once('_') {
            outer = shorter;
            let Some(layout) = self.layouts.get(outer) else { continue };
            let member = &name[outer.len() + 1..];
            if layout.fields.iter().any(|(field, ty)| field == member && self.is(ty, name)) {
                return Some(layout);
            }
        }
        None
    }

    fn is(&self, ty: &Type, name: &str) -> bool {
        path(ty).is_some_and(|path| path == name)
    }

    /// Where a struct or union is in the outermost one around it, in C: empty or `a.b.`.
    fn place(&self, layout: &Layout) -> String {
        match self.outer(&layout.name) {
            None => String::new(),
            Some(outer) => {
                let member = &layout.name[outer.name.len() + 1..];
                let member = if member == ANONYMOUS { String::new() } else { format!("{member}.") };
                self.place(outer) + &member
            }
        }
    }

    /// Whether the header has this member of a struct or union.
    fn has_member(&self, layout: &Layout, field: &str) -> bool {
        let members = self.header.members(&self.outermost(layout).name);
        let at = self.place(layout) + field;
        field == ANONYMOUS || members.is_none_or(|members| members.contains(&at))
    }

    /// The layouts, each after those that it holds by value.
    fn by_need(&self) -> Vec<&'a Layout> {
        fn visit<'a>(
            layout: &'a Layout,
            all: &BTreeMap<&'a str, &'a Layout>,
            seen: &mut BTreeSet<&'a str>,
            order: &mut Vec<&'a Layout>,
        ) {
            if seen.insert(&layout.name) {
                for (_, ty) in &layout.fields {
                    if let Some(inner) = held(ty).and_then(|name| all.get(name.as_str())) {
                        visit(inner, all, seen, order);
                    }
                }
                order.push(layout);
            }
        }
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        for layout in self.layouts.values() {
            visit(layout, &self.layouts, &mut seen, &mut order);
        }
        order
    }

    /// A copy of what is declared, which C lays out as Rust does: that is what `repr(C)` means.
    fn mirror(&mut self, layout: &Layout) {
        let place = self.place(layout);
        let members = self.header.members(&self.outermost(layout).name);
        let at = place.trim_end_matches('.');
        if !self.known(&self.outermost(layout).name)
            || !self.complete(layout)
            || !(at.is_empty() || members.is_none_or(|members| members.contains(at)))
        {
            return;
        }
        let Some(repr) = layout.repr else {
            self.wrong.insert(format!("repr of {}", layout.name));
            return;
        };
        let kind = if layout.union { "union" } else { "struct" };
        self.put(format_args!("{kind} rust_{} {{", layout.name));
        for (index, (field, ty)) in layout.fields.iter().enumerate() {
            // a union may have got it later; a struct, only in place of what was reserved
            if layout.union && !self.has_member(layout, field) && !self.header.newest {
                continue;
            }
            let align = repr.align.filter(|_| index == 0);
            let align = align.map_or(String::new(), |align| format!("_Alignas({align}) "));
            let ty = self.mirrored(ty);
            self.put(format_args!("    {align}__typeof__({ty}) {field};"));
        }
        self.put(format_args!("}};"));
    }

    /// The type of a field in a copy: other copies for what has no name in C.
    fn mirrored(&self, ty: &Type) -> String {
        match ty {
            Type::Array(array) => {
                format!("__typeof__({})[{}]", self.mirrored(&array.elem), value(&array.len))
            }
            _ => match path(ty) {
                Some(name) => match self.layouts.get(name.as_str()) {
                    Some(inner) if inner.union => format!("union rust_{name}"),
                    Some(inner) if self.complete(inner) => format!("struct rust_{name}"),
                    _ => c(ty),
                },
                None => c(ty),
            },
        }
    }

    fn outermost<'l>(&self, layout: &'l Layout) -> &'l Layout
    where
        'a: 'l,
    {
        let mut layout = layout;
        while let Some(outer) = self.outer(&layout.name) {
            layout = outer;
        }
        layout
    }

    fn layout(&mut self, layout: &Layout) {
        self.counts.layouts += 1;
        let name = &layout.name;
        let kind = if layout.union { "union" } else { "struct" };
        self.put(format_args!(
            "_Static_assert(sizeof({name}) == sizeof({kind} rust_{name}) \
            && _Alignof({name}) == _Alignof({kind} rust_{name}), \"size of {name}\");"
        ));
        let mut seen = BTreeSet::new();
        self.fields(layout, layout, "", "", &mut seen);
        if let Some(members) = self.header.members(name).filter(|_| self.header.newest) {
            for missing in members.difference(&seen) {
                self.wrong.insert(format!("{name} has no {missing}"));
            }
        }
    }

    /// Every field of `layout`, which is at `path` in the C type `root` and at `copy` in its copy.
    fn fields(
        &mut self,
        root: &Layout,
        layout: &Layout,
        path_in_c: &str,
        path_in_copy: &str,
        seen: &mut BTreeSet<String>,
    ) {
        let kind = if root.union { "union" } else { "struct" };
        let name = &root.name;
        for (field, ty) in &layout.fields {
            let copy = format!("{path_in_copy}{field}");
            let inner = self.inner(layout, field, ty);
            if field == ANONYMOUS {
                if let Some(inner) = inner {
                    self.fields(root, inner, path_in_c, &format!("{copy}."), seen);
                }
                continue;
            }
            let at = format!("{path_in_c}{field}");
            let in_header = self.header.members(name);
            seen.insert(at.clone());
            if !in_header.is_none_or(|members| members.contains(&at)) {
                // a later header brought it, in place of reserved bytes or in a union
                if self.header.newest {
                    self.wrong.insert(format!("{name}.{at} is not in the header"));
                }
                continue;
            }
            self.counts.fields += 1;
            self.put(format_args!(
                "_Static_assert(offsetof({name}, {at}) == offsetof({kind} rust_{name}, {copy}), \
                \"offset of {name}.{at}\");"
            ));
            match inner {
                Some(inner) => {
                    let copied = if inner.union { "union" } else { "struct" };
                    self.put(format_args!(
                        "_Static_assert(sizeof((({name} *)0)->{at}) == sizeof({copied} rust_{}), \
                        \"size of {name}.{at}\");",
                        inner.name
                    ));
                    let (at, copy) = (format!("{at}."), format!("{copy}."));
                    self.fields(root, inner, &at, &copy, seen);
                }
                None => self.put(format_args!(
                    "SAME(\"type of {name}.{at}\", (({name} *)0)->{at}, {});",
                    c(ty)
                )),
            }
        }
    }

    fn constant(&mut self, constant: &Constant) {
        self.counts.constants += 1;
        let (name, value) = (&constant.name, value(&constant.value));
        self.put(format_args!(
            "_Static_assert((long long)({name}) == (long long)({value}), \"value of {name}\");"
        ));
    }
}

/// `cuCtxCreate_v2` without its `_v2`.
pub(crate) fn without_version(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((base, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

/// Whether a type is one of Rust's, which no header has.
fn is_rust(name: &str) -> bool {
    name.starts_with("c_") || !name.starts_with(['C', 'c'])
}

/// A type that is a name and nothing else.
fn path(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => Some(path.path.get_ident()?.to_string()),
        _ => None,
    }
}

/// The named type of a field, or of the elements of an array.
fn held(ty: &Type) -> Option<String> {
    match ty {
        Type::Array(array) => held(&array.elem),
        ty => path(ty),
    }
}

/// The named type behind pointers and in arrays; none for a function.
fn named(ty: &Type) -> Option<String> {
    match ty {
        Type::Ptr(pointer) => named(&pointer.elem),
        Type::Array(array) => named(&array.elem),
        ty => path(ty),
    }
}

/// The size of an integer that is not one by the name of something else, and whether it is signed.
fn integer(ty: &Type) -> Option<(u32, u32)> {
    Some(match path(ty)?.as_str() {
        "u8" | "c_uchar" => (1, 0),
        "u32" | "c_uint" => (4, 0),
        "i32" | "c_int" => (4, 1),
        "u64" | "c_ulonglong" | "usize" => (8, 0),
        "c_longlong" | "i64" => (8, 1),
        _ => return None,
    })
}

/// A Rust type in C.
fn c(ty: &Type) -> String {
    match ty {
        Type::Ptr(pointer) => {
            let constant = if matches!(pointer.mutability, PointerMutability::Const(_)) {
                " const"
            } else {
                ""
            };
            format!("__typeof__({}){constant} *", c(&pointer.elem))
        }
        Type::Array(array) => format!("__typeof__({})[{}]", c(&array.elem), value(&array.len)),
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            match &last.arguments {
                PathArguments::AngleBracketed(arguments) if last.ident == "Option" => {
                    match arguments.args.first() {
                        Some(GenericArgument::Type(inner)) => c(inner),
                        _ => panic!("an Option of what?"),
                    }
                }
                _ => primitive(&last.ident.to_string()).to_owned(),
            }
        }
        other => function(other),
    }
}

/// A pointer to a function in C.
fn function(ty: &Type) -> String {
    let Type::FnPtr(ty) = ty else { panic!("a type that C does not have") };
    let arguments: Vec<String> = ty.inputs.iter().map(|argument| c(&argument.ty)).collect();
    let returns = match &ty.output {
        ReturnType::Default => "void".to_owned(),
        ReturnType::Type(_, ty) => c(ty),
    };
    format!("__typeof__({returns}) (*)({})", arguments.join(", "))
}

fn primitive(name: &str) -> &str {
    match name {
        "c_char" => "char",
        "c_uchar" | "u8" => "unsigned char",
        "c_short" | "i16" => "short",
        "c_ushort" | "u16" => "unsigned short",
        "c_int" | "i32" => "int",
        "c_uint" | "u32" => "unsigned int",
        "c_longlong" | "i64" => "long long",
        "c_ulonglong" | "u64" => "unsigned long long",
        "c_float" | "f32" => "float",
        "c_double" | "f64" => "double",
        "c_void" => "void",
        "usize" => "size_t",
        other => other,
    }
}

/// A constant expression in C.
fn value(expr: &Expr) -> String {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_digits().to_owned(),
            _ => panic!("a literal that is not an integer"),
        },
        Expr::Unary(minus) if matches!(minus.op, UnOp::Neg(_)) => {
            format!("-{}", value(&minus.expr))
        }
        Expr::Binary(shift) if matches!(shift.op, BinOp::Shl(_)) => {
            format!("({} << {})", value(&shift.left), value(&shift.right))
        }
        Expr::Path(path) => path.path.segments.last().unwrap().ident.to_string(),
        // `ptr::without_provenance_mut(1)`
        Expr::Call(call) if call.args.len() == 1 => value(&call.args[0]),
        _ => panic!("an expression that is not known in C"),
    }
}
