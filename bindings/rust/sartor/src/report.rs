// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Descriptions of variants, and statistics of a runtime.

use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::time::Duration;
use std::vec::Vec;

use crate::configuration::Configuration;
use crate::json::Value;

/// An active variant. `Runtime::specialize()` and `Binding::wait()` return it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct VariantInfo {
    /// The name of its handler: `handlers::lookup`.
    pub handler: String,
    /// Its name in perf and gdb: `handlers::lookup{B=16}`.
    pub name: String,
    /// The settings that concern this handler.
    pub configuration: Configuration,
    /// Size of its code in bytes.
    pub code_bytes: usize,
    /// Memory that it uses, in bytes: whole pages of code, and an estimate of the data about it elsewhere.
    pub resident_bytes: usize,
    /// Time spent on getting the code; zero if it was in memory.
    pub compile_time: Duration,
    /// True if it is of the quick tier.
    pub quick: bool,
    /// Where its code came from.
    pub origin: VariantOrigin,
    /// Requests that had no effect on the code, with the reasons.
    pub remarks: Vec<Remark>,
    /// Use of invariant memory in the code. Empty for native code.
    pub fold_report: FoldReport,
}

macro_rules! named {
    ($(#[$about:meta])* $type:ident { $($(#[$what:meta])* $name:ident $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$what])* $name,)*
        }

        impl $type {
            fn read(of: Option<&Value>) -> $type {
                match of.and_then(Value::text) {
                    $(Some($text) => $type::$name,)*
                    _ => $type::default(),
                }
            }
        }
    };
}

named! {
    /// Where the code of a variant came from.
    VariantOrigin {
        /// Nothing is specialized: the program's own code.
        #[default]
        Native "native",
        /// It was compiled for this request.
        Compiled "compiled",
        /// It was in memory already, or was compiled for other memory with the same contents.
        Memory "memory",
        /// It was found in the option `cache_directory`.
        Disk "disk",
        /// It was found in the option `shared_cache`.
        Shared "shared",
        /// It was in the program's own file, where it was stored at build time.
        AheadOfTimeImages "ahead_of_time",
    }
}

named! {
    /// The kinds of remarks. Programs make decisions by these codes; messages are for people.
    RemarkCode {
        /// A bound argument is not used by the handler.
        ArgumentUnused "argument_unused",
        /// A point that is set stays generic.
        PointGeneric "point_generic",
        /// A point is set, but its value is not used.
        PointUnused "point_unused",
        /// An argument points to invariant memory, but nothing of it was folded.
        NothingFolded "nothing_folded",
        /// Nothing of an invariant's memory became part of the code.
        InvariantUnused "invariant_unused",
        /// A loop over invariant memory is followed in part.
        LoopInPart "loop_in_part",
        /// A loop over invariant memory is not followed.
        LoopNotFollowed "loop_not_followed",
        /// Tail calls between operations are not followed from some position on.
        TailCallsLeft "tail_calls_left",
        /// A function was not inlined, because the caller would have grown too much.
        CallsNotInlined "calls_not_inlined",
        /// A SARTOR_FOLD function gave no result when it was called.
        FoldCallFailed "fold_call_failed",
        /// A SARTOR_FOLD function was not called at compile time; the variant calls it.
        FoldCallUncertain "fold_call_uncertain",
        /// An out-of-process compiler may not call a SARTOR_FOLD function.
        FoldCallRefused "fold_call_refused",
        /// No value of a sartor_one_of() is known.
        OneOfUnknown "one_of_unknown",
        /// A sartor_local() has no effect.
        LocalNoEffect "local_no_effect",
        /// Pointers into sartor_local() memory are saved: calls synchronize it.
        LocalSaved "local_saved",
        /// Invalidation waits for threads that block in the handler.
        BlockingWaitedFor "blocking_waited_for",
        /// Tracers do not see the probes of the variant.
        ProbesUnseen "probes_unseen",
        /// The variant lacks code that a compiler option adds.
        HooksLeftOut "hooks_left_out",
        /// The handler does not read an invariant map.
        MapNotRead "map_not_read",
        /// An invariant map, or a lookup in it, does not fold.
        MapNotFolded "map_not_folded",
        /// A map could not be kept invariant.
        MapInvariantEnded "map_invariant_ended",
        /// A request could not be recorded.
        NotRecorded "not_recorded",
        /// Calls of the variant cannot be compared with the native code.
        NotComparable "not_comparable",
        /// Loads from invariant memory are left in the code.
        LoadsLeft "loads_left",
        /// Calls through pointers are left in a device's code.
        PointerCallsLeft "pointer_calls_left",
        /// Code of a library that is newer than this crate.
        #[default]
        Other "other",
    }
}

/// A remark about a variant: a request that had no effect, or less than the full effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// Its kind.
    pub code: RemarkCode,
    /// Its subject and reason.
    pub message: String,
}

impl Remark {
    fn read(of: &Value) -> Remark {
        let message = of.get("message").and_then(Value::text).unwrap_or("").to_string();
        Remark { code: RemarkCode::read(of.get("code")), message }
    }
}

named! {
    /// How much of the control flow that depends on invariant memory was followed.
    Followed {
        /// All of it, or there is no such control flow.
        #[default]
        Whole "whole",
        /// Up to a limit of size: the rest continues in the generic loop, or in native code.
        InPart "in_part",
        /// A loop was not followed, because its copies would take too much room.
        No "no",
    }
}

/// Effect of invariant memory on the code of a variant, and the remaining accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoldReport {
    /// Invariants that bound arguments or the handler's statics refer to, and all others that the code
    /// depends on. Sorted by number.
    pub invariants: Vec<InvariantReport>,
    /// Loops over invariant memory.
    pub loops: Vec<LoopReport>,
    /// The minimum over all functions in the code.
    pub followed: Followed,
    /// Computed jumps that are left in code that is not marked unlikely.
    pub indirect_jumps: u64,
    /// Calls by a pointer that are left in such code.
    pub indirect_calls: u64,
}

/// Effect of an invariant on the code of a variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvariantReport {
    /// Its number in this process; a quasi-invariant gets a new one each time it becomes valid again.
    pub invariant: u64,
    /// Its name, if it is a quasi-invariant; otherwise empty.
    pub quasi_invariant: String,
    /// Loads from its memory that became constants, in all copies of the code.
    pub loads: u64,
    /// True if the code depends on it; otherwise it had no effect.
    pub depended_on: bool,
}

/// A loop over invariant memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopReport {
    /// The function that contains it after inlining, for people.
    pub function: String,
    /// Source line; 0 without debug information.
    pub line: u32,
    /// Number of copies of its head, each with known values; 0 if it was not followed.
    pub copies: u64,
    /// Reason why its values are unknown, so that it remains a loop; empty if it was followed.
    pub why_not: String,
}

/// Counters of a runtime since it was opened, and its current memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Variants compiled, in both tiers.
    pub compiles: u64,
    /// Those of `compiles` made from the code of an earlier stage.
    pub staged: u64,
    /// First variants that were templates with their values filled in.
    pub filled: u64,
    /// Requests answered from the code cache.
    pub cache_hits: u64,
    /// Variants whose code was in the program's file.
    pub ahead_of_time: u64,
    /// Variants whose code was compiled for other memory with the same contents.
    pub alike: u64,
    /// Variants whose code was found in the option `cache_directory`.
    pub disk_hits: u64,
    /// Variants whose code was not found there.
    pub disk_misses: u64,
    /// Variants whose code was found in the option `shared_cache`.
    pub shared_hits: u64,
    /// Variants whose code was not found there, and was compiled.
    pub shared_misses: u64,
    /// Requests that ended in an error.
    pub failures: u64,
    /// Number of times that an entry was switched to another variant.
    pub switches: u64,
    /// Number of times that an invalidation deactivated a variant.
    pub replugs: u64,
    /// Calls that were compared with the native code.
    pub verified: u64,
    /// Variants that were quarantined because they differed.
    pub differences: u64,
    /// Variants whose memory was reclaimed.
    pub reclaimed: u64,
    /// References to variants, of all runtimes of the process, that wait for calls to end. It grows while a
    /// call of a handler does not return.
    pub waiting: usize,
    /// Variants in memory now, including retired ones.
    pub variants: usize,
    /// Bytes of machine code and its data in memory now.
    pub code_bytes: usize,
    /// Total memory of these variants in bytes; partly estimated.
    pub resident_bytes: usize,
    /// Guards that failed since the start, by label: a lower bound when several threads fail at one.
    pub guard_failures: BTreeMap<String, u64>,
}

fn text(of: &Value, name: &str) -> String {
    of.get(name).and_then(Value::text).unwrap_or("").to_owned()
}
fn count(of: &Value, name: &str) -> u64 {
    of.get(name).and_then(Value::integer).unwrap_or(0)
}
fn size(of: &Value, name: &str) -> usize {
    count(of, name).try_into().unwrap_or(usize::MAX)
}
fn is(of: &Value, name: &str) -> bool {
    of.get(name) == Some(&Value::Bool(true))
}
fn list<T>(of: &Value, name: &str, read: impl Fn(&Value) -> T) -> Vec<T> {
    of.get(name).map_or(&[][..], Value::elements).iter().map(read).collect()
}

impl VariantInfo {
    pub(crate) fn read(of: &Value) -> VariantInfo {
        let seconds = of.get("compile_time").and_then(Value::number).unwrap_or(0.0);
        VariantInfo {
            handler: text(of, "handler"),
            name: text(of, "name"),
            configuration: Configuration::of_text(of.get("configuration").unwrap_or(&Value::Null)),
            code_bytes: size(of, "code_bytes"),
            resident_bytes: size(of, "resident_bytes"),
            compile_time: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            quick: is(of, "quick"),
            origin: VariantOrigin::read(of.get("origin")),
            remarks: list(of, "remarks", Remark::read),
            fold_report: of.get("fold_report").map_or_else(FoldReport::default, FoldReport::read),
        }
    }
}

impl FoldReport {
    fn read(of: &Value) -> FoldReport {
        FoldReport {
            invariants: list(of, "invariants", |of| InvariantReport {
                invariant: count(of, "invariant"),
                quasi_invariant: text(of, "quasi_invariant"),
                loads: count(of, "loads"),
                depended_on: is(of, "depended_on"),
            }),
            loops: list(of, "loops", |of| LoopReport {
                function: text(of, "function"),
                line: count(of, "line").try_into().unwrap_or(0),
                copies: count(of, "copies"),
                why_not: text(of, "why_not"),
            }),
            followed: Followed::read(of.get("followed")),
            indirect_jumps: count(of, "indirect_jumps"),
            indirect_calls: count(of, "indirect_calls"),
        }
    }
}

impl Statistics {
    pub(crate) fn read(of: &Value) -> Statistics {
        let failed = of.get("guard_failures").unwrap_or(&Value::Null);
        let failed = failed.members().map(|(label, count)| (label.to_owned(), count.integer().unwrap_or(0)));
        Statistics {
            compiles: count(of, "compiles"),
            staged: count(of, "staged"),
            filled: count(of, "filled"),
            cache_hits: count(of, "cache_hits"),
            ahead_of_time: count(of, "ahead_of_time"),
            alike: count(of, "alike"),
            disk_hits: count(of, "disk_hits"),
            disk_misses: count(of, "disk_misses"),
            shared_hits: count(of, "shared_hits"),
            shared_misses: count(of, "shared_misses"),
            failures: count(of, "failures"),
            switches: count(of, "switches"),
            replugs: count(of, "replugs"),
            verified: count(of, "verified"),
            differences: count(of, "differences"),
            reclaimed: count(of, "reclaimed"),
            waiting: size(of, "waiting"),
            variants: size(of, "variants"),
            code_bytes: size(of, "code_bytes"),
            resident_bytes: size(of, "resident_bytes"),
            guard_failures: failed.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_a_variant_is_read() {
        let report = r#"{"handler":"h","name":"h{B=16}","configuration":{"B":16},"code_bytes":120,
            "resident_bytes":4096,"compile_time":0.25,"quick":true,"origin":"disk","remarks":[{"code":"argument_unused","message":"no C"},{"code":"of later","message":""}],
            "fold_report":{"invariants":[{"invariant":18446744073709551615,"quasi_invariant":"f","loads":3,"depended_on":true}],
            "loops":[{"function":"h","line":7,"why_not":"long"}],"followed":"in_part","indirect_calls":2}}"#;
        let info = VariantInfo::read(&Value::read(report).unwrap());
        assert_eq!((info.handler.as_str(), info.name.as_str()), ("h", "h{B=16}"));
        assert_eq!(info.configuration, Configuration::new().set("B", 16));
        assert_eq!((info.code_bytes, info.resident_bytes), (120, 4096));
        assert_eq!(info.compile_time, Duration::from_millis(250));
        assert!(info.quick);
        assert_eq!(info.origin, VariantOrigin::Disk);
        let unused = Remark { code: RemarkCode::ArgumentUnused, message: "no C".into() };
        assert_eq!(info.remarks, [unused, Remark::default()]);
        let invariant =
            InvariantReport { invariant: u64::MAX, quasi_invariant: "f".into(), loads: 3, depended_on: true };
        assert_eq!(info.fold_report.invariants, [invariant]);
        let left = LoopReport { function: "h".into(), line: 7, copies: 0, why_not: "long".into() };
        assert_eq!(info.fold_report.loops, [left]);
        assert_eq!(info.fold_report.followed, Followed::InPart);
        assert_eq!((info.fold_report.indirect_jumps, info.fold_report.indirect_calls), (0, 2));
    }

    #[test]
    fn what_is_not_reported_is_nothing() {
        assert_eq!(VariantInfo::read(&Value::Null), VariantInfo::default());
        assert_eq!(Statistics::read(&Value::Null), Statistics::default());
    }
}
