//! Mistakes that tests plant in the rewriter, to see that they are found. Without tests there are none.

macro_rules! mistakes {
    ($($(#[doc = $what:literal])* $name:ident),* $(,)?) => {
        /// A mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(test), allow(dead_code, reason = "tests plant them"))]
        pub(crate) enum Mistake {
            $($(#[doc = $what])* $name),*
        }

        /// All of them.
        #[cfg(test)]
        pub(crate) const ALL: &[Mistake] = &[$(Mistake::$name),*];
    };
}

mistakes! {
    /// Loads are not checked.
    LoadUnchecked,
    /// Stores are not checked.
    StoreUnchecked,
    /// Atomic operations are not checked.
    AtomicUnchecked,
    /// Copies are not checked.
    CopyUnchecked,
    /// Accesses to local memory are not checked.
    LocalUnchecked,
    /// Constant memory is not checked.
    ConstUnchecked,
    /// Vectors that are written need their first element only.
    WidenedStore,
    /// Scalars that are read need their first byte only.
    WidenedScalar,
    /// Limits are one too large.
    LimitTooLarge,
    /// A limit of distances that are multiples is none itself.
    LimitNotWhole,
    /// Whatever is beyond 32 bits of a limit is cut off.
    LimitCut,
    /// An extent that is too small for an access makes the limit wrap around.
    LimitWraps,
    /// The begin of a region is not looked at.
    BaseNotAligned,
    /// Addresses count as aligned.
    AddressNotAligned,
    /// Negative indices count as large ones.
    IndexNegative,
    /// Steps are added to indices without a sign.
    IndexWraps,
    /// A register may be written on another path.
    NotDominated,
    /// A register that is written with a predicate counts as written.
    PredicatedDefinition,
    /// The index is read when it is checked, not when the address is computed of it.
    IndexNotCopied,
    /// Writes are compared with what may be read.
    WriteAsRead,
    /// The offset of an access is left out of the check.
    OffsetForgotten,
    /// The predicate of an access is replaced by the check.
    PredicateForgotten,
    /// The value of a load that is not made stays what it was.
    ValueNotZero,
    /// Failures are not stored.
    FailureNotStored,
    /// A thread that failed ends before that is stored, and one that did not goes on.
    FailureEnds,
    /// Failures are not stored before an `exit`.
    ExitForgotten,
    /// Failures are not stored before a call that may end the thread.
    ExitOfCallForgotten,
    /// Failures are not stored at ends that stand before the first access.
    EarlyEndForgotten,
    /// What follows a failure in another block is taken for what nothing fails before.
    FailureEndsInBlock,
    /// The launch looks at an alignment that only some accesses have.
    AlignedAsFirst,
    /// The launch keeps extents as small as some indices need them.
    CapOfFirst,
    /// Nothing else bounds indices where the launch keeps extents small.
    CapAlone,
    /// Registers that are read before they are written are left as they are.
    UnwrittenNotZero,
    /// Parameters may be read beyond their end.
    ParameterTooLong,
    /// Functions may access all that is behind a pointer.
    CallWithoutExtents,
    /// In a function, global accesses may go where a pointer to other memory leads.
    CallOfLocal,
    /// Handles are used as the register holds them.
    HandleNotRead,
    /// `.trap` of surfaces stays.
    SurfaceTraps,
    /// Policies of caches stay.
    PolicyStays,
    /// All pragmas stay.
    PragmaStays,
    /// The names of the text stay for what is ours.
    NamesOfText,
    /// Variables are larger than they are.
    VariableTooLarge,
    /// A shift of an index counts for less.
    ScaleTooSmall,
    /// An address of an unknown origin is compared with the first region only.
    FirstRegionOnly,
    /// Generic addresses in shared memory are refused.
    SharedForgotten,
    /// Two registers make one index.
    SecondIndexForgotten,
    /// The check of several accesses ends where the last one in the text does.
    TogetherTooShort,
    /// The address of several accesses may change between them.
    TogetherRewritten,
    /// Accesses of several blocks have one check.
    TogetherOfBlocks,
    /// Accesses before and behind an end with a predicate have one check.
    TogetherOverEnds,
    /// A call between accesses may end the thread.
    TogetherOverCalls,
    /// Reads and writes have one check.
    TogetherMixed,
    /// An access with a predicate has its check with others.
    TogetherPredicated,
    /// An access that may be misaligned has its check with others.
    TogetherMisaligned,
    /// Of addresses that are steps apart, the last is not looked at.
    StepsOfFirst,
    /// Whatever is added to an address is the step of those before.
    StepsOfOthers,
    /// Accesses some steps apart need not be alike.
    StepsDiffer,
    /// A step is added in 32 bits, however large it is.
    StepFar,
    /// What reads the value of a load is moved before it.
    OrderOfReads,
    /// What writes a register that an access reads is moved before it.
    OrderOfWrites,
    /// What is computed where a branch went past it may be used elsewhere.
    SkippedUsed,
    /// A branch goes past accesses if its predicate does not hold.
    SkippedNegated,
    /// A write goes before a read that waits for another.
    OrderOfWaiting,
    /// Of reads of an argument that follow each other, only the first one's check counts.
    RunOfFirst,
    /// A read that follows another has its check before that one, which gives its address.
    RunRewritten,
    /// A loop has one pass less than it has.
    LoopPassLess,
    /// Before a loop, what is added for steps is left out.
    LoopSteps,
    /// The first pass of a loop is not looked at.
    LoopFirst,
    /// The last pass of a loop is not looked at.
    LoopLast,
    /// Of addresses that differ by constants, only the least is looked at.
    LoopLargest,
    /// A step of 64 bits may be as large as it likes.
    LoopStepLarge,
    /// A loop that ends where a number is met counts as if it were met.
    LoopRest,
    /// What a loop compares at its end may wrap around.
    LoopExitWraps,
    /// Passes are counted in 32 bits, however many there are.
    LoopCountLong,
    /// Registers are read where a pass ends, whenever that is.
    LoopOrder,
    /// A register that a loop writes twice moves as the first says.
    LoopFirstWrite,
    /// The step of a register may change.
    LoopVaryingStep,
    /// What the end of a loop is compared with may change.
    LoopVaryingEnd,
    /// What is written with a predicate counts as written.
    LoopPredicated,
    /// A branch goes on where it does not.
    LoopNegated,
    /// What waits for other threads stands twice.
    LoopOfBarriers,
    /// The number of a target in a list is taken as it is.
    TargetUnbounded,
    /// An instruction that is in no list is let through.
    UnknownLetThrough,
    /// An address in brackets is let through where none is expected.
    BracketsLetThrough,
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Mistake>> = const { std::cell::Cell::new(None) };
    static ONCE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether a mistake is planted.
#[cfg(test)]
pub(crate) fn planted(mistake: Mistake) -> bool {
    PLANTED.get() == Some(mistake)
}

/// Whether a mistake is planted: never.
#[cfg(not(test))]
pub(crate) const fn planted(_: Mistake) -> bool {
    false
}

/// Plants a mistake while something runs.
#[cfg(test)]
pub(crate) fn with<T>(mistake: Option<Mistake>, run: impl FnOnce() -> T) -> T {
    let before = PLANTED.replace(mistake);
    let answer = run();
    PLANTED.set(before);
    answer
}

/// Whether loops stand once, whatever mistake is planted: what the texts do with and without second copies is compared.
#[cfg(test)]
pub(crate) fn loops_once() -> bool {
    ONCE.get()
}

/// Whether loops stand once: never.
#[cfg(not(test))]
pub(crate) const fn loops_once() -> bool {
    false
}

/// Leaves loops as they are while something runs.
#[cfg(test)]
pub(crate) fn with_loops_once<T>(run: impl FnOnce() -> T) -> T {
    let before = ONCE.replace(true);
    let answer = run();
    ONCE.set(before);
    answer
}
