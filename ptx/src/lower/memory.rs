//! Loads, stores and atomic operations.

use super::super::code::{Access, Base, Op, Order, SINK, Space, Src, ZERO};
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::modifiers::Modifiers;
use super::operand::{AddressOf, Width, exactly};
use super::scope::Entity;
use super::{Body, Lowered, Refusal, refuse};

const ORDERS: &[&str] = &["weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];
const SCOPES: &[&str] = &["cta", "cluster", "gpu", "sys"];
/// The operations of `atom` and `red`.
const UPDATES: &[&str] = &["and", "or", "xor", "exch", "cas", "add", "inc", "dec", "min", "max"];
/// The spaces of accesses.
const SPACES: &[&str] = &[
    "global",
    "const",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "param",
    "param::entry",
    "param::func",
];
/// Hints for a line in the L1 cache.
const NEAR: &[&str] = &[
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
];
/// How much is fetched to the L2 cache.
const FAR: &[&str] = &["L2::64B", "L2::128B", "L2::256B"];
/// A policy of the L2 cache is the last operand.
const POLICY: &str = "L2::cache_hint";
/// Hints for a line in the L2 cache, which only accesses of 256 bits give.
const KEPT: &[&str] = &["L2::evict_normal", "L2::evict_first", "L2::evict_last"];

/// The state space that comes next; without one it is generic.
pub(super) fn space(m: &mut Modifiers<'_>) -> Space {
    match m.take_any(SPACES) {
        Some("global" | "const") => Space::Global,
        Some("shared" | "shared::cta") => Space::Shared,
        Some("shared::cluster") => Space::Cluster,
        Some("local") => Space::Local,
        Some(_) => Space::Param,
        None => Space::Generic,
    }
}

impl<'s> Body<'_, 's> {
    pub(super) fn memory(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.head {
            "ld" | "ldu" => self.load(m, operands),
            "st" => self.store(m, operands),
            "atom" | "red" => self.atomic(m, operands),
            "multimem" => self.multimem(m, operands),
            _ => {
                // A hint: checked, and then of no effect.
                let space = space(m);
                let uniform = m.head == "prefetchu";
                let tensor = !uniform && m.take("tensormap");
                let last = !uniform
                    && matches!(space, Space::Global | Space::Generic)
                    && m.take_any(&["L2::evict_last", "L2::evict_normal"]).is_some();
                if !tensor && !last {
                    let caches: &[&str] = if uniform { &["L1"] } else { &["L1", "L2"] };
                    m.take_any(caches).ok_or(Refusal::Unsupported)?;
                }
                if uniform && space != Space::Generic {
                    return Err(Refusal::Unsupported);
                }
                m.end()?;
                let [address] = exactly(operands)?;
                self.place(address, space)?;
                self.push(Op::Nop);
                Ok(())
            }
        }
    }

    /// An address, and the space that it is in.
    pub(super) fn place(
        &mut self,
        operand: &Operand<'s>,
        space: Space,
    ) -> Lowered<(super::code::Address, Space)> {
        if let (Space::Generic | Space::Global, Operand::Address(Some(name), _)) = (space, operand)
            && let Some(Entity::Register(ty, _)) = self.find(name)
            && ty.bytes < 8
            && self.scene.source.target >= 90
        {
            return refuse("Arguments mismatch: an address of 64 bits is expected");
        }
        self.short_place(operand, space)
    }

    /// A place that is loaded from or stored to, which may be an element; that of a constant if it says so.
    fn loaded(
        &mut self,
        operand: &Operand<'s>,
        space: Space,
        constant: bool,
    ) -> Lowered<(super::code::Address, Space)> {
        let named = match operand {
            Operand::Index(name, register, index) => {
                Some(self.element_address(name, *register, *index)?)
            }
            Operand::Address(Some(name), offset) if constant => {
                Some(self.address_of(name, *offset)?)
            }
            _ => None,
        };
        match named {
            Some((address, AddressOf::Const)) if constant => Ok((address, Space::Global)),
            Some((_, of)) if constant && of != AddressOf::Value => {
                refuse("State space mismatch between instruction and address")
            }
            Some(found) if !constant => self.fitted(found, space),
            _ if constant => self.short_place(operand, space),
            _ => self.place(operand, space),
        }
    }

    /// The same, of the few instructions that take generic addresses of 32 bits.
    pub(super) fn short_place(
        &mut self,
        operand: &Operand<'s>,
        space: Space,
    ) -> Lowered<(super::code::Address, Space)> {
        if matches!(operand, Operand::Address(None, _)) && space != Space::Local {
            return refuse("Immediate addresses are allowed for '.local' only");
        }
        let found = self.address(operand)?;
        self.fitted(found, space)
    }

    /// The space of an address, which an instruction for this one takes.
    fn fitted(
        &self,
        (address, of): (super::code::Address, AddressOf),
        space: Space,
    ) -> Lowered<(super::code::Address, Space)> {
        let space = match (space, of) {
            (Space::Param, AddressOf::Argument) => Space::Local,
            (Space::Param, AddressOf::Value)
                if !self.function.entry && address.base != Base::Zero =>
            {
                Space::Local
            }
            (space, AddressOf::Value) => space,
            // A variable's name tells its space where the opcode does not.
            (Space::Generic | Space::Global, AddressOf::Global) => Space::Global,
            (Space::Generic | Space::Shared | Space::Cluster, AddressOf::Shared) => Space::Shared,
            (Space::Generic | Space::Local, AddressOf::Local) => Space::Local,
            (Space::Param, AddressOf::Param) => Space::Param,
            _ => return refuse("State space mismatch between instruction and address"),
        };
        Ok((address, space))
    }

    /// Reads the modifiers between the opcode and the type: the access but for its
    /// address, and the type.
    fn access(&mut self, m: &mut Modifiers<'_>) -> Lowered<(Space, u8, Type, Order)> {
        let loads = m.head != "st";
        let constant = m.has("const");
        let (named, scope) = (m.take_any(ORDERS), m.take_any(SCOPES));
        let relaxed = if named == Some("mmio") { m.take("relaxed") } else { true };
        if m.head == "ldu" && SPACES.iter().any(|one| *one != "global" && m.has(one)) {
            return Err(Refusal::Unsupported);
        }
        let space = space(m);
        let only = m.take("nc");
        let caches: &[&str] =
            if loads { &["ca", "cg", "cs", "lu", "cv"] } else { &["wb", "cg", "cs", "wt"] };
        let cached = m.take_any(caches).is_some();
        let near = m.take_any(NEAR).is_some();
        let far = m.take_any(FAR).is_some();
        let policy = m.take(POLICY);
        let kept = m.take_any(KEPT).is_some();
        // The combinations that NVIDIA's assembler accepts.
        let ordered = !matches!(named, None | Some("weak" | "volatile"));
        let strong = named.is_some_and(|name| name != "weak");
        let fits = match named {
            Some("acquire") => loads,
            Some("release") => !loads,
            Some("acq_rel") => false,
            _ => true,
        };
        let order = match named {
            None | Some("weak") => Order::Weak,
            Some("volatile" | "relaxed") => Order::Relaxed,
            Some(_) => Order::Fence,
        };
        if !fits
            || !relaxed
            || ordered != scope.is_some()
            || cached && !matches!(named, None | Some("weak"))
            || only && (space != Space::Global || constant || !loads || named.is_some())
            || constant && (!loads || strong)
            || strong && matches!(space, Space::Local | Space::Param)
            || (near || far) && (!matches!(space, Space::Global | Space::Generic) || constant)
            || near && (cached || matches!(named, Some("volatile" | "mmio")))
            || far && !loads
            // `ldu` has no modifiers.
            || m.head == "ldu"
                && (named.is_some() || cached || only || near || far || policy)
        {
            return Err(Refusal::Unsupported);
        }
        let count = m.take_elements();
        let ty = m.end_type()?;
        let bytes = u32::from(count) * u32::from(ty.bytes);
        let newest = self.scene.source.target >= 100 && space == Space::Global;
        if kept && bytes != 32 {
            return Err(Refusal::Unsupported);
        }
        let plain = ty.is_integer() || ty == Type::F32 || ty == Type::F64;
        if !plain || bytes > if newest { 32 } else { 16 } {
            return Err(Refusal::Unsupported);
        }
        Ok((space, count, ty, order))
    }

    fn load(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let operands = self.without_policy(m, operands)?;
        let constant = m.has("const");
        let (space, count, ty, order) = self.access(m)?;
        let [d, address] = exactly(operands)?;
        // A signed value is extended to its register, whatever its size.
        let mut extend = 0;
        let mut slots = Vec::new();
        for operand in elements(d, count)? {
            let (register, place) = self.result(operand, ty, Width::OrWider)?;
            slots.push(place);
            if ty == Type::B128 {
                slots.push(if place == SINK { SINK } else { place + 1 });
            }
            if ty.kind == Kind::Signed && register.bytes > ty.bytes {
                extend = register.mask();
            }
        }
        let (address, space) = self.loaded(address, space, constant)?;
        let access = words(Access { space, address, bytes: ty.bytes, count, order });
        self.push(Op::Load { access, d: slots.into(), extend });
        Ok(())
    }

    fn store(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.take("async") {
            return self.send(m, operands);
        }
        let operands = self.without_policy(m, operands)?;
        let (space, count, ty, order) = self.access(m)?;
        let [address, a] = exactly(operands)?;
        let mut sources = Vec::new();
        for operand in elements(a, count)? {
            let src = self.src_of(operand, ty, Width::OrWider)?;
            sources.push(src);
            if ty == Type::B128 {
                sources.push(src.split().map_or(ZERO, |slot| Src::register(slot + 1)));
            }
        }
        let (address, space) = self.loaded(address, space, false)?;
        if space == Space::Param {
            return refuse("Parameters of an entry cannot be stored to");
        }
        let access = words(Access { space, address, bytes: ty.bytes, count, order });
        self.push(Op::Store { access, a: sources.into() });
        Ok(())
    }

    fn atomic(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.head == "red" && m.take("async") {
            return self.send(m, operands);
        }
        let operands = self.without_policy(m, operands)?;
        let releases = m.has("release");
        if m.has("weak") || m.has("volatile") || m.has("mmio") {
            return Err(Refusal::Unsupported);
        }
        let ordered = order(m, Order::Relaxed);
        let space = space(m);
        let opcode = m.take_any(UPDATES).ok_or(Refusal::Unsupported)?;
        let unflushed = m.take("noftz");
        m.take(POLICY);
        let count = m.take_elements();
        let ty = m.end_type()?;
        let returns = m.head == "atom";
        let small = matches!(ty.kind, Kind::Brain | Kind::Halves | Kind::Brains) || ty == Type::F16;
        let number = matches!(opcode, "add" | "min" | "max");
        if unflushed != (number && small) {
            return refuse("'.noftz' belongs to numbers of half precision");
        }
        if count == 1 && small && opcode != "add" {
            return refuse(format!("'.{opcode}' of half precision is for vectors"));
        }
        if (!returns && matches!(opcode, "exch" | "cas"))
            || matches!(space, Space::Local | Space::Param)
        {
            return Err(Refusal::Unsupported);
        }
        let vector = small && number || ty == Type::F32 && opcode == "add";
        let place = matches!(space, Space::Global | Space::Generic);
        if count > 1
            && (!vector || !place || count * ty.bytes > 16 || self.scene.source.target < 90)
        {
            return Err(Refusal::Unsupported);
        }
        if ty == Type::B128 {
            return self.atomic_wide(opcode, space, ordered, operands);
        }
        if !returns && ordered == Order::Fence && !releases {
            return refuse("Illegal order for 'red'");
        }
        let update = ops::atomic(opcode, ty).ok_or(Refusal::Unsupported)?;
        let mut slots = Vec::new();
        let rest = match operands.split_first() {
            Some((d, rest)) if returns => {
                for operand in elements(d, count)? {
                    slots.push(self.d(operand, ty)?);
                }
                rest
            }
            _ => operands,
        };
        let (address, b, c) = match (opcode, rest) {
            ("cas", [address, b, c]) => (address, b, Some(c)),
            (_, [address, b]) if opcode != "cas" => (address, b, None),
            _ => return refuse("Incorrect number of operands"),
        };
        if count == 1 && matches!(b, Operand::Vector(_)) {
            return refuse("Arguments mismatch: a vector is not expected");
        }
        let b: Box<[_]> =
            elements(b, count)?.iter().map(|b| self.src(b, ty)).collect::<Lowered<_>>()?;
        let c = c.map(|c| self.src(c, ty)).transpose()?.unwrap_or(ZERO);
        let (address, space) = self.place(address, space)?;
        if space == Space::Local && returns {
            // By a generic address alone: NVIDIA's assembler dies of the variable.
            return refuse("State space mismatch between instruction and address");
        }
        let access = Access { space, address, bytes: ty.bytes, count: 1, order: ordered };
        self.push(Op::Atomic { access, update, d: slots.into(), b, c });
        Ok(())
    }

    /// `multimem.ld_reduce`, `multimem.st` and `multimem.red`.
    fn multimem(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let which = m.take_any(&["ld_reduce", "st", "red"]).ok_or(Refusal::Unsupported)?;
        let unordered = if which == "red" { Order::Relaxed } else { Order::Weak };
        let (releases, acquires) = (m.has("release"), m.has("acquire"));
        let ordered = ORDERS.iter().any(|one| m.has(one));
        if ordered != SCOPES.iter().any(|one| m.has(one)) && !m.has("weak") {
            return refuse("An order and a scope belong together");
        }
        let order = order(m, unordered);
        let fits = if which == "ld_reduce" { acquires } else { releases };
        if order == Order::Fence && !fits {
            return refuse(format!("Illegal order for 'multimem.{which}'"));
        }
        let space = space(m);
        if !matches!(space, Space::Global | Space::Generic) || self.scene.source.target < 90 {
            return Err(Refusal::Unsupported);
        }
        let names = &["add", "min", "max", "and", "or", "xor"];
        let opcode = match which {
            "st" => None,
            _ => Some(m.take_any(names).ok_or(Refusal::Unsupported)?),
        };
        // Sums are at least as exact as that.
        m.take_any(&["acc::f32", "acc::f16"]);
        let count = m.take_elements();
        let ty = m.end_type()?;
        let numbers = ty.is_float();
        // As of `atom`, but for loads of pairs.
        let single = match ty.kind {
            Kind::Float if ty.bytes == 2 => which == "st",
            Kind::Brain => which == "st",
            Kind::Halves | Kind::Brains => which != "red" || opcode == Some("add"),
            _ => true,
        };
        if count == 1 && !single {
            return Err(Refusal::Unsupported);
        }
        if ty == Type::PRED || ty.bytes > 8 || count > 1 && !numbers || count * ty.bytes > 16 {
            return Err(Refusal::Unsupported);
        }
        let update =
            opcode.map(|op| ops::atomic(op, ty).ok_or(Refusal::Unsupported)).transpose()?;
        let access = |space, address| Access { space, address, bytes: ty.bytes, count, order };
        let [first, second] = exactly(operands)?;
        if let ("ld_reduce", Some(update)) = (which, update) {
            let slots = elements(first, count)?.iter().map(|d| self.d(d, ty));
            let d = slots.collect::<Lowered<_>>()?;
            let (address, space) = self.place(second, space)?;
            self.push(Op::MultimemLoad { access: access(space, address), update, d });
            return Ok(());
        }
        let a = elements(second, count)?.iter().map(|a| self.src(a, ty));
        let a = a.collect::<Lowered<_>>()?;
        let (address, space) = self.place(first, space)?;
        self.push(Op::MultimemStore { access: access(space, address), update, a });
        Ok(())
    }

    fn atomic_wide(
        &mut self,
        opcode: &str,
        space: Space,
        order: Order,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let (d, address, expected, new) = match (opcode, operands) {
            ("exch", [d, address, b]) => (d, address, None, b),
            ("cas", [d, address, b, c]) => (d, address, Some(b), c),
            _ => return Err(Refusal::Unsupported),
        };
        let d = self.d(d, Type::B128)?;
        let mut halves = |operand: &Operand<'s>| match operand {
            Operand::Name(name) => {
                let slot = self.register(name, Type::B128)?;
                Ok([Src::register(slot), Src::register(slot + 1)])
            }
            _ => refuse("Arguments mismatch: a register is expected"),
        };
        let expected = expected.map(&mut halves).transpose()?;
        let new = halves(new)?;
        let (address, space) = self.place(address, space)?;
        let access = Access { space, address, bytes: 16, count: 1, order };
        self.push(Op::AtomicWide { access, d, expected, new });
        Ok(())
    }

    /// `cp.async`: the copies are made at once, so that there is nothing to
    /// wait for.
    pub(super) fn copy_async(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if m.take("reduce") {
            return self.reduce_bulk(m, operands);
        }
        if !m.take("async") {
            return Err(Refusal::Unsupported);
        }
        if m.take("bulk") {
            return self.bulk(m, operands);
        }
        if m.take("mbarrier") {
            return self.copies_arrive(m, operands);
        }
        if m.take_any(&["commit_group", "wait_all"]).is_some() {
            m.end()?;
            let [] = exactly(operands)?;
            self.push(Op::Nop);
            return Ok(());
        }
        if m.take("wait_group") {
            m.end()?;
            let [Operand::Int(_)] = exactly(operands)? else {
                return refuse("Arguments mismatch: a constant is expected");
            };
            self.push(Op::Nop);
            return Ok(());
        }
        let operands = self.without_policy(m, operands)?;
        let through = m.take_any(&["ca", "cg"]).ok_or(Refusal::Unsupported)?;
        let spaces = (m.take_any(SPACES), m.take_any(SPACES));
        if !matches!(spaces, (Some("shared" | "shared::cta"), Some("global"))) {
            return Err(Refusal::Unsupported);
        }
        m.take_any(FAR);
        m.take(POLICY);
        m.end()?;
        let (to, from, bytes, given) = match operands {
            [to, from, bytes] => (to, from, bytes, None),
            [to, from, bytes, given] => (to, from, bytes, Some(given)),
            _ => return refuse("Incorrect number of operands"),
        };
        let bytes = match *bytes {
            Operand::Int(bytes @ (4 | 8 | 16)) if through == "ca" || bytes == 16 => bytes as u8,
            _ => return refuse("Invalid size of a copy"),
        };
        let given = given.map(|given| self.src(given, Type::U32)).transpose()?;
        let mut place = |operand, space| {
            let (address, space) = self.place(operand, space)?;
            Ok(Access { space, address, bytes, count: 1, order: Order::Weak })
        };
        let (to, from) = (place(to, Space::Shared)?, place(from, Space::Global)?);
        self.push(Op::CopyAsync { to, from, bytes: bytes.into(), given });
        Ok(())
    }

    /// `alloca`, `stacksave` and `stackrestore`.
    pub(super) fn stack(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let ty = m.end_type()?;
        if ty.bytes < 4 || !matches!(ty.kind, Kind::Unsigned) {
            return Err(Refusal::Unsupported);
        }
        match (m.head, operands) {
            ("alloca", [d, size, rest @ ..]) if rest.len() < 2 => {
                let align = match rest {
                    [] => 8,
                    [Operand::Int(align)] if align.is_power_of_two() && *align <= 256 => *align,
                    _ => return refuse("Invalid alignment"),
                };
                let (d, size) = (self.d(d, ty)?, self.src(size, ty)?);
                self.push(Op::Alloca { d, size, align: align as u32 });
            }
            ("stacksave", [d]) => {
                let d = self.d(d, ty)?;
                self.push(Op::StackSave { d });
            }
            ("stackrestore", [a @ Operand::Name(_)]) => {
                let a = self.src(a, ty)?;
                self.push(Op::StackRestore { a });
            }
            _ => return refuse("Incorrect number of operands"),
        }
        Ok(())
    }
}

/// The order and the scope that come next, or what was before.
fn order(m: &mut Modifiers<'_>, before: Order) -> Order {
    let order = match m.take_any(ORDERS) {
        None | Some("weak") => before,
        Some("volatile" | "relaxed") => Order::Relaxed,
        Some(_) => Order::Fence,
    };
    m.take_any(SCOPES);
    order
}

/// An access in words of 8 bytes at most.
fn words(mut access: Access) -> Access {
    if access.bytes == 16 {
        access.bytes = 8;
        access.count *= 2;
    }
    access
}

/// The operands of a vector, or the one.
pub(super) fn elements<'o, 's>(operand: &'o Operand<'s>, count: u8) -> Lowered<&'o [Operand<'s>]> {
    match operand {
        Operand::Vector(list) if list.len() == usize::from(count) => Ok(list),
        Operand::Vector(_) => refuse("Arguments mismatch: the vector's length"),
        one if count == 1 => Ok(std::slice::from_ref(one)),
        _ => refuse("Arguments mismatch: a vector is expected"),
    }
}
