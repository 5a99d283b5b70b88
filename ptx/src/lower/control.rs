//! Branches, ends, barriers, and special registers.

use super::super::code::{BarOp, Op, Slot, Space, Special, Src, Vote};
use super::super::error::Diagnostic;
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::Type;
use super::contract::What;
use super::modifiers::Modifiers;
use super::operand::{element, exactly};
use super::scope::Entity;
use super::{Body, Lowered, Refusal, refuse};

impl<'s> Body<'_, 's> {
    pub(super) fn control(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
        line: u32,
    ) -> Lowered<()> {
        match m.head {
            "bra" => return self.branch(m, operands, line),
            "brx" => return self.branch_indexed(m, operands, line),
            "membar" => {
                let names: &[&str] =
                    if m.take("proxy") { &["alias", "async"] } else { &["cta", "gl", "sys"] };
                m.take_any(names).ok_or(Refusal::Unsupported)?;
            }
            "fence" => {
                if fence(m)? {
                    m.end()?;
                    let [address, Operand::Int(128)] = exactly(operands)? else {
                        return refuse("Arguments mismatch: a size of 128 is expected");
                    };
                    self.short_place(address, Space::Generic)?;
                    self.push(Op::Fence);
                    return Ok(());
                }
            }
            "ret" => {
                m.take("uni");
            }
            "nanosleep" => {
                if m.ty()? != Type::U32 {
                    return Err(Refusal::Unsupported);
                }
                m.end()?;
                let [time] = exactly(operands)?;
                self.src(time, Type::U32)?;
                self.push(Op::Wait);
                return Ok(());
            }
            "pmevent" => match operands {
                [Operand::Int(0..=15)] => {}
                _ => return refuse("Arguments mismatch: a number from 0 to 15 is expected"),
            },
            "exit" | "trap" | "brkpt" => {}
            _ => return Err(Refusal::Unsupported),
        }
        m.end()?;
        if m.head != "pmevent" {
            let [] = exactly(operands)?;
        }
        let op = match m.head {
            "ret" if self.function.entry => Op::Exit,
            "ret" => Op::Ret,
            "exit" => Op::Exit,
            "trap" | "brkpt" => Op::Trap,
            "membar" | "fence" => Op::Fence,
            _ => Op::Nop,
        };
        let breaks = matches!(m.head, "membar" | "fence" | "pmevent");
        self.push(op);
        if breaks {
            self.note(What::Break, Type::B32, ops::Modifiers::default());
        }
        Ok(())
    }

    fn branch(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
        line: u32,
    ) -> Lowered<()> {
        m.take("uni");
        m.end()?;
        let [Operand::Name(label)] = exactly(operands)? else {
            return refuse("Arguments mismatch: a label is expected");
        };
        self.branches.push((self.ops.len(), self.scopes.current(), vec![label], line));
        self.push(Op::Bra { target: 0 });
        Ok(())
    }

    fn branch_indexed(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
        line: u32,
    ) -> Lowered<()> {
        if !m.take("idx") {
            return Err(Refusal::Unsupported);
        }
        m.take("uni");
        m.end()?;
        let [index, Operand::Name(name)] = exactly(operands)? else {
            return refuse("Arguments mismatch: a list of targets is expected");
        };
        let Some(Entity::Targets(labels)) = self.find(name) else {
            return refuse(format!("Unknown symbol '{name}'"));
        };
        let index = self.src(index, Type::U32)?;
        self.branches.push((self.ops.len(), self.scopes.current(), labels, line));
        self.push(Op::BrxIdx { targets: Box::default(), index });
        Ok(())
    }

    /// Fills in where branches lead, now that all labels are known.
    pub(super) fn resolve_branches(&mut self) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for (at, block, labels, line) in std::mem::take(&mut self.branches) {
            let mut found = Vec::new();
            for label in labels {
                match self.scopes.label_from(block, label) {
                    Some(target) => found.push(target as u32),
                    None => {
                        errors.push(Diagnostic::new(line, format!("Unknown symbol '{label}'")));
                        found.push(0);
                    }
                }
            }
            match self.ops.get_mut(at).map_or(&mut Op::Nop, |instr| &mut instr.op) {
                Op::Bra { target } => *target = found.first().copied().unwrap_or_default(),
                Op::BrxIdx { targets, .. } => *targets = found.into_boxed_slice(),
                _ => {}
            }
        }
        errors
    }

    /// `bar` and `barrier`.
    pub(super) fn barrier(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if m.take("warp") {
            return self.warp_barrier(m, operands);
        }
        if m.head == "barrier" && m.take("cluster") {
            return self.cluster_barrier(m, operands);
        }
        m.take("cta");
        match m.take_any(&["red", "sync", "arrive"]) {
            Some("red") => self.barrier_reduce(m, operands),
            Some(kind) => {
                m.take("aligned");
                m.end()?;
                let wait = kind == "sync";
                let (id, count) = match operands {
                    [id] if wait => (id, None),
                    [id, count] => (id, Some(count)),
                    _ => return refuse("Incorrect number of operands"),
                };
                self.bar(id, count, wait, None)
            }
            None => Err(Refusal::Unsupported),
        }
    }

    /// `barrier.cluster`
    fn cluster_barrier(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let wait = match m.next() {
            "arrive" => {
                m.take_any(&["release", "relaxed"]);
                false
            }
            "wait" => {
                m.take("acquire");
                true
            }
            _ => return Err(Refusal::Unsupported),
        };
        m.take("aligned");
        m.end()?;
        self.requires("barrier.cluster", 90)?;
        let [] = exactly(operands)?;
        self.push(Op::ClusterBarrier { wait });
        Ok(())
    }

    fn barrier_reduce(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let vote = match m.take_any(&["popc", "and", "or"]) {
            Some("popc") => Vote::Popc,
            Some("and") => Vote::All,
            Some(_) => Vote::Any,
            None => return Err(Refusal::Unsupported),
        };
        m.take("aligned");
        let ty = m.end_type()?;
        if ty != (if vote == Vote::Popc { Type::U32 } else { Type::PRED }) {
            return Err(Refusal::Unsupported);
        }
        let (d, id, count, p) = match operands {
            [d, id, p] => (d, id, None, p),
            [d, id, count, p] => (d, id, Some(count), p),
            _ => return refuse("Incorrect number of operands"),
        };
        let (d, p) = (self.d(d, ty)?, self.src(p, Type::PRED)?);
        self.bar(id, count, true, Some((vote, d, p)))
    }

    fn bar(
        &mut self,
        id: &Operand<'s>,
        count: Option<&Operand<'s>>,
        wait: bool,
        reduce: Option<(Vote, u32, Src)>,
    ) -> Lowered<()> {
        let id = self.src(id, Type::U32)?;
        let count = count.map(|count| self.src(count, Type::U32)).transpose()?;
        if self.scene.constants.borrow().value(id).is_some_and(|id| id > 15) {
            return refuse("Barrier number is out of range");
        }
        let threads = count.and_then(|count| self.scene.constants.borrow().value(count));
        if threads.is_some_and(|threads| threads % 32 != 0) {
            return refuse("The number of threads must be a multiple of the warp's size");
        }
        self.push(Op::Bar(Box::new(BarOp { id, count, wait, reduce })));
        Ok(())
    }

    /// `mov` from a special register.
    pub(super) fn special(&mut self, d: Slot, name: &str, ty: Type) -> Lowered<()> {
        let Some((which, bytes)) = special(name) else {
            return refuse(format!("Unknown symbol '{name}'"));
        };
        let fits = if bytes == 1 { ty == Type::PRED } else { ty.is_integer() };
        if !fits || (ty.bytes != bytes && which != Special::GridId) {
            return refuse(format!("Arguments mismatch: type of '{name}'"));
        }
        self.push(Op::Special { which, d });
        Ok(())
    }
}

/// The modifiers of `fence`, and whether it names memory.
fn fence(m: &mut Modifiers<'_>) -> Lowered<bool> {
    let scope = |m: &mut Modifiers<'_>| {
        m.take_any(&["cta", "cluster", "gpu", "sys"]).ok_or(Refusal::Unsupported).map(drop)
    };
    // Memory that is acquired is the cluster's, memory that is released the block's.
    let restricted = |m: &mut Modifiers<'_>| {
        let which = m.take_any(&["sync_restrict::shared::cluster", "sync_restrict::shared::cta"]);
        let with = match which {
            None => return Ok(false),
            Some("sync_restrict::shared::cluster") => "acquire",
            Some(_) => "release",
        };
        if m.take(with) && m.take("cluster") { Ok(true) } else { Err(Refusal::Unsupported) }
    };
    if m.take("proxy") {
        if m.take("tensormap::generic") {
            let acquires = m.take("acquire");
            if !acquires && !m.take("release") {
                return Err(Refusal::Unsupported);
            }
            scope(m)?;
            return Ok(acquires);
        }
        if m.take("async::generic") {
            return if restricted(m)? { Ok(false) } else { Err(Refusal::Unsupported) };
        }
        if m.take("async") {
            m.take_any(&["global", "shared::cta", "shared::cluster"]);
        } else if !m.take("alias") {
            return Err(Refusal::Unsupported);
        }
        return Ok(false);
    }
    if m.take("mbarrier_init") {
        let whole = m.take("release") && m.take("cluster");
        return if whole { Ok(false) } else { Err(Refusal::Unsupported) };
    }
    if !restricted(m)? {
        m.take_any(&["sc", "acq_rel", "acquire", "release"]);
        scope(m)?;
    }
    Ok(false)
}

/// The special register of a name, and its size.
fn special(name: &str) -> Option<(Special, u8)> {
    let low = u64::from(u32::MAX);
    let (stem, dimension) = match name.split_once('.') {
        Some((stem, selector)) => (stem, Some(usize::from(element(selector)?))),
        None => (name, None),
    };
    if let Some(dimension) = dimension {
        let which = match stem {
            "%tid" => Special::Tid(dimension),
            "%ntid" => Special::Ntid(dimension),
            "%ctaid" => Special::Ctaid(dimension),
            "%nctaid" => Special::Nctaid(dimension),
            "%clusterid" => Special::ClusterId(dimension),
            "%nclusterid" => Special::Nclusterid(dimension),
            "%cluster_ctaid" => Special::ClusterCtaid(dimension),
            "%cluster_nctaid" => Special::ClusterNctaid(dimension),
            _ => return None,
        };
        // The fourth is always zero.
        return Some((if dimension < 3 { which } else { Special::Zero }, 4));
    }
    let found = match name {
        "%laneid" => (Special::LaneId, 4),
        "%warpid" => (Special::WarpId, 4),
        "%nwarpid" => (Special::Nwarpid, 4),
        "%smid" => (Special::SmId, 4),
        "%nsmid" => (Special::Nsmid, 4),
        "%gridid" => (Special::GridId, 8),
        "%lanemask_eq" => (Special::MaskEq, 4),
        "%lanemask_lt" => (Special::MaskLt, 4),
        "%lanemask_le" => (Special::MaskLe, 4),
        "%lanemask_gt" => (Special::MaskGt, 4),
        "%lanemask_ge" => (Special::MaskGe, 4),
        "%clock" => (Special::Clock(0, low), 4),
        "%clock_hi" => (Special::Clock(32, low), 4),
        "%clock64" => (Special::Clock(0, u64::MAX), 8),
        "%globaltimer" => (Special::GlobalTimer(0, u64::MAX), 8),
        "%globaltimer_lo" => (Special::GlobalTimer(0, low), 4),
        "%globaltimer_hi" => (Special::GlobalTimer(32, low), 4),
        "%dynamic_smem_size" => (Special::DynamicShared, 4),
        "%envreg1" => (Special::Workspace(32), 4),
        "%envreg2" => (Special::Workspace(0), 4),
        "%aggr_smem_size" => (Special::TotalShared, 4),
        "%cluster_ctarank" => (Special::ClusterCtarank, 4),
        "%cluster_nctarank" => (Special::ClusterNctarank, 4),
        "%is_explicit_cluster" => (Special::ExplicitCluster, 1),
        "%total_smem_size" => (Special::TotalShared, 4),
        // No shared memory is reserved.
        "%reserved_smem_offset_begin"
        | "%reserved_smem_offset_end"
        | "%reserved_smem_offset_cap"
        | "%reserved_smem_offset_0"
        | "%reserved_smem_offset_1" => (Special::Zero, 4),
        _ => {
            // Counters of performance, and what the driver leaves alone.
            if let Some(number) = name.strip_prefix("%pm") {
                let (number, bytes) = match number.strip_suffix("_64") {
                    Some(number) => (number, 8),
                    None => (number, 4),
                };
                let number = number.parse::<u32>().ok()?;
                return (number < 8).then_some((Special::Zero, bytes));
            }
            let number = name.strip_prefix("%envreg")?.parse::<u32>().ok()?;
            return (number < 32).then_some((Special::Zero, 4));
        }
    };
    Some(found)
}
