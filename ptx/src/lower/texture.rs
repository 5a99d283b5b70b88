//! Fetches from textures, accesses to surfaces, and what is asked of both.

use super::super::code::{
    Beyond, Detail, FetchOp, Fetched, Geometry, Op, Query, Src, SurfaceOp, Touch, ZERO,
};
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::Type;
use super::modifiers::Modifiers;
use super::scope::Entity;
use super::{Body, Lowered, Refusal, refuse};

/// The geometry that is next.
fn geometry(m: &mut Modifiers<'_>) -> Lowered<Geometry> {
    let names = &["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"];
    Ok(match m.take_any(names).ok_or(Refusal::Unsupported)? {
        "1d" => Geometry::D1,
        "2d" => Geometry::D2,
        "3d" => Geometry::D3,
        "a1d" => Geometry::A1,
        "a2d" => Geometry::A2,
        "cube" => Geometry::Cube,
        _ => Geometry::ACube,
    })
}

/// The elements of a vector, or the one.
fn list<'o, 's>(operand: &'o Operand<'s>) -> &'o [Operand<'s>] {
    match operand {
        Operand::Vector(list) => list,
        one => std::slice::from_ref(one),
    }
}

/// Returns the kind and the type of a result.
fn fetched(ty: &str, vector: &str) -> Lowered<(Fetched, Type)> {
    Ok(match (ty, vector) {
        ("f32", "v4") => (Fetched::F32, Type::F32),
        ("u32", "v4") => (Fetched::Integer, Type::U32),
        ("s32", "v4") => (Fetched::Integer, Type::S32),
        ("f16", "v4") => (Fetched::F16, Type::F16),
        ("f16x2", "v2") => (Fetched::F16x2, Type::F16X2),
        _ => return Err(Refusal::Unsupported),
    })
}

impl<'s> Body<'_, 's> {
    pub(super) fn texture(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.head {
            "tex" => self.fetch(m, operands),
            "tld4" => self.gather(m, operands),
            "txq" | "suq" => self.query(m, operands),
            "suld" => self.surface_load(m, operands),
            "sust" => self.surface_store(m, operands),
            _ => self.surface_reduce(m, operands),
        }
    }

    /// The object of `[object, place]`, which is a register, and the place.
    fn object<'o>(&mut self, operand: &'o Operand<'s>) -> Lowered<(Src, &'o [Operand<'s>])> {
        match operand {
            Operand::Object(name, place) => Ok((self.src(&Operand::Name(name), Type::U64)?, place)),
            _ => refuse("Arguments mismatch: an object and a place in it are expected"),
        }
    }

    /// The coordinates for a geometry: the layer, which is an integer, and those of `ty`.
    fn place_in(
        &mut self,
        geometry: Geometry,
        place: &[Operand<'s>],
        ty: Type,
    ) -> Lowered<Box<[Src]>> {
        if place.len() != geometry.operands() {
            return refuse("Arguments mismatch: the number of coordinates");
        }
        let wanted = geometry.dimensions() + usize::from(geometry.layered());
        let coordinates = place.iter().take(wanted).enumerate();
        let each = coordinates.map(|(i, one)| {
            self.src(one, if i == 0 && geometry.layered() { Type::U32 } else { ty })
        });
        each.collect()
    }

    /// As many results as the operand has.
    fn results(
        &mut self,
        operand: &Operand<'s>,
        ty: Type,
        count: usize,
    ) -> Lowered<Box<[super::code::Slot]>> {
        let results = list(operand);
        if results.len() != count {
            return refuse("Arguments mismatch: the vector's length");
        }
        results.iter().map(|one| self.d(one, ty)).collect()
    }

    /// Whether an operand is a floating-point number.
    fn is_real(&mut self, operand: &Operand<'s>) -> bool {
        match *operand {
            Operand::F32(_) | Operand::F64(_) => true,
            Operand::Name(name) => {
                matches!(self.find(name), Some(Entity::Register(ty, _)) if ty.is_float())
            }
            _ => false,
        }
    }

    /// Reads the offset that is added to the coordinates of texels: a vector of integers.
    fn offset(&mut self, operands: &[Operand<'s>]) -> Lowered<[Src; 3]> {
        let mut offset = [ZERO; 3];
        if let [.., last] = operands
            && (operands.len() == 2 || self.is_real(last))
        {
            return refuse("A comparison of depth is not supported: no array here has depth");
        }
        match operands {
            [] => {}
            [one] => {
                for (to, from) in offset.iter_mut().zip(list(one)) {
                    *to = self.src(from, Type::S32)?;
                }
            }
            _ => return refuse("Incorrect number of operands"),
        }
        Ok(offset)
    }

    fn fetch(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let mode = m.take_any(&["base", "level", "grad"]).unwrap_or("base");
        let geometry = geometry(m)?;
        let vector = m.take_any(&["v2", "v4"]).unwrap_or_default();
        let ty = m.next();
        let (gives, ty) = fetched(ty, vector)?;
        let coordinates = m.end_type()?;
        let whole = match coordinates {
            Type::F32 => false,
            Type::S32 if !matches!(geometry, Geometry::Cube | Geometry::ACube) => true,
            _ => return Err(Refusal::Unsupported),
        };
        let [d, object, rest @ ..] = operands else {
            return refuse("Incorrect number of operands");
        };
        let d = self.results(d, ty, if gives == Fetched::F16x2 { 2 } else { 4 })?;
        let (object, place) = self.object(object)?;
        let at = self.place_in(geometry, place, coordinates)?;
        let (detail, rest) = match (mode, rest) {
            ("base", rest) => (Detail::Base, rest),
            ("level", [level, rest @ ..]) => (Detail::Level(self.src(level, coordinates)?), rest),
            ("grad", [x, y, rest @ ..]) if !whole => {
                let mut both = [[ZERO; 3]; 2];
                for (to, from) in both.iter_mut().zip([x, y]) {
                    let from = list(from);
                    if from.len() < geometry.dimensions() {
                        return refuse("Arguments mismatch: the number of derivatives");
                    }
                    for (to, from) in to.iter_mut().zip(&from[..geometry.dimensions()]) {
                        *to = self.src(from, Type::F32)?;
                    }
                }
                (Detail::Gradient(both), rest)
            }
            _ => return Err(Refusal::Unsupported),
        };
        let offset = self.offset(rest)?;
        let op = FetchOp { geometry, gives, whole, detail, offset, d, object, at };
        self.push(Op::Fetch(Box::new(op)));
        Ok(())
    }

    fn gather(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let channel = match m.take_any(&["r", "g", "b", "a"]) {
            Some("r") => 0,
            Some("g") => 1,
            Some("b") => 2,
            Some(_) => 3,
            None => return Err(Refusal::Unsupported),
        };
        let geometry = geometry(m)?;
        let vector = m.take_any(&["v2", "v4"]).unwrap_or_default();
        let ty = m.next();
        let (gives, ty) = fetched(ty, vector)?;
        let flat = matches!(geometry, Geometry::D2 | Geometry::A2);
        if m.end_type()? != Type::F32 || !flat || matches!(gives, Fetched::F16 | Fetched::F16x2) {
            return Err(Refusal::Unsupported);
        }
        let [d, object, rest @ ..] = operands else {
            return refuse("Incorrect number of operands");
        };
        let d = self.results(d, ty, 4)?;
        let (object, place) = self.object(object)?;
        let at = self.place_in(geometry, place, Type::F32)?;
        let offset = self.offset(rest)?;
        let detail = Detail::Gather(channel);
        let op = FetchOp { geometry, gives, whole: false, detail, offset, d, object, at };
        self.push(Op::Fetch(Box::new(op)));
        Ok(())
    }

    fn query(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let surface = m.head == "suq";
        let leveled = !surface && m.take("level");
        let names = &["width", "height", "depth", "array_size", "num_mipmap_levels"];
        let what = match m.take_any(names).ok_or(Refusal::Unsupported)? {
            "width" => Query::Width,
            "height" => Query::Height,
            "depth" => Query::Depth,
            "array_size" => Query::Layers,
            "num_mipmap_levels" if !surface && !leveled => Query::Levels,
            _ => return Err(Refusal::Unsupported),
        };
        if m.end_type()? != Type::B32 {
            return Err(Refusal::Unsupported);
        }
        let (d, object, level) = match operands {
            [d, object] if !leveled => (d, object, ZERO),
            [d, object, level] if leveled => (d, object, self.src(level, Type::U32)?),
            _ => return refuse("Incorrect number of operands"),
        };
        let Operand::Address(Some(name), 0) = object else {
            return refuse("Arguments mismatch: an object is expected");
        };
        let object = self.src(&Operand::Name(name), Type::U64)?;
        let d = self.d(d, Type::B32)?;
        self.push(Op::Query { what, level, surface, d, object });
        Ok(())
    }

    /// The geometry of a surface's instruction.
    fn surface(&self, m: &mut Modifiers<'_>) -> Lowered<Geometry> {
        let geometry = geometry(m)?;
        match geometry {
            Geometry::Cube | Geometry::ACube => Err(Refusal::Unsupported),
            _ => Ok(geometry),
        }
    }

    /// The number of values, their type, and what there is beyond the edges.
    fn values(&self, m: &mut Modifiers<'_>) -> Lowered<(usize, Type, Beyond)> {
        m.take_any(&["ca", "cg", "cs", "cv", "wb", "wt"]);
        let count = match m.take_any(&["v2", "v4"]) {
            None => 1,
            Some("v2") => 2,
            Some(_) => 4,
        };
        let ty = m.ty()?;
        let beyond = beyond(m)?;
        m.end()?;
        let bits = Type::new(super::super::types::Kind::Bits, ty.bytes);
        if ty != bits || ty.bytes > 8 || usize::from(ty.bytes) * count > 16 {
            return Err(Refusal::Unsupported);
        }
        Ok((count, ty, beyond))
    }

    fn surface_load(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if !m.take("b") {
            return Err(Refusal::Unsupported);
        }
        let geometry = self.surface(m)?;
        let (count, ty, beyond) = self.values(m)?;
        let [d, object] = operands else {
            return refuse("Incorrect number of operands");
        };
        let results = list(d);
        if results.len() != count {
            return refuse("Arguments mismatch: the vector's length");
        }
        let wider = super::operand::Width::OrWider;
        let d: Lowered<Box<[_]>> =
            results.iter().map(|one| Ok(self.result(one, ty, wider)?.1)).collect();
        let (object, place) = self.object(object)?;
        let at = self.place_in(geometry, place, Type::S32)?;
        let (touch, bytes) = (Touch::Load(d?), ty.bytes.into());
        let op = SurfaceOp { geometry, beyond, bytes, touch, object, at };
        self.push(Op::Surface(Box::new(op)));
        Ok(())
    }

    fn surface_store(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let formatted = m.take_any(&["b", "p"]).ok_or(Refusal::Unsupported)? == "p";
        let geometry = self.surface(m)?;
        let (count, ty, beyond) = self.values(m)?;
        if formatted && ty != Type::B32 {
            return Err(Refusal::Unsupported);
        }
        let [object, values] = operands else {
            return refuse("Incorrect number of operands");
        };
        let values = list(values);
        if values.len() != count {
            return refuse("Arguments mismatch: the vector's length");
        }
        let wider = super::operand::Width::OrWider;
        let values: Lowered<Box<[_]>> =
            values.iter().map(|one| self.src_of(one, ty, wider)).collect();
        let values = values?;
        let (object, place) = self.object(object)?;
        let at = self.place_in(geometry, place, Type::S32)?;
        let touch = if formatted { Touch::Format(values) } else { Touch::Store(values) };
        let op = SurfaceOp { geometry, beyond, bytes: ty.bytes.into(), touch, object, at };
        self.push(Op::Surface(Box::new(op)));
        Ok(())
    }

    fn surface_reduce(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let formatted = m.take_any(&["b", "p"]).ok_or(Refusal::Unsupported)? == "p";
        let opcode = m.take_any(&["add", "min", "max", "and", "or"]).ok_or(Refusal::Unsupported)?;
        let geometry = self.surface(m)?;
        let ty = m.ty()?;
        let beyond = beyond(m)?;
        m.end()?;
        // A surface's elements are unsigned numbers for `add` of bits.
        let of = match (opcode, ty) {
            ("add" | "min" | "max", Type::B32) if formatted => Type::U32,
            (_, Type::U32 | Type::S32 | Type::B32) => ty,
            _ => return Err(Refusal::Unsupported),
        };
        let update = ops::atomic(opcode, of).ok_or(Refusal::Unsupported)?;
        let [object, value] = operands else {
            return refuse("Incorrect number of operands");
        };
        let value = self.src(value, ty)?;
        let (object, place) = self.object(object)?;
        let at = self.place_in(geometry, place, Type::S32)?;
        let touch = Touch::Reduce(update, value, formatted);
        self.push(Op::Surface(Box::new(SurfaceOp {
            geometry,
            beyond,
            bytes: 4,
            touch,
            object,
            at,
        })));
        Ok(())
    }
}

/// Reads the behaviour beyond the edges.
fn beyond(m: &mut Modifiers<'_>) -> Lowered<Beyond> {
    Ok(match m.take_any(&["trap", "clamp", "zero"]) {
        Some("trap") => Beyond::Trap,
        Some("clamp") => Beyond::Clamp,
        Some(_) => Beyond::Zero,
        None => return Err(Refusal::Unsupported),
    })
}
