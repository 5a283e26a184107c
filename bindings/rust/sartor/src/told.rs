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
    /// The handler that it is of: `handlers::lookup`.
    pub handler: String,
    /// As perf and gdb show it: `handlers::lookup{B=16}`.
    pub name: String,
    /// The settings that concern this handler.
    pub configuration: Configuration,
    /// How long its code is.
    pub code_bytes: usize,
    /// What it takes in memory, in bytes: whole pages of code, and what is kept about it elsewhere, which
    /// is estimated.
    pub resident_bytes: usize,
    /// Time spent on getting the code; zero if it was in memory.
    pub compile_time: Duration,
    /// It is of the quick tier.
    pub quick: bool,
    /// Where its code came from.
    pub origin: VariantOrigin,
    /// What was asked for and has changed nothing in the code, and why.
    pub remarks: Vec<Remark>,
    /// What promised memory came to in the code. Of native code, nothing.
    pub folded: Folded,
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
        /// It was made for this request.
        Compiled "compiled",
        /// It was there already, or was made for other memory with the same in it.
        Memory "memory",
        /// The option `cache_directory`.
        Disk "disk",
        /// The option `shared_cache`.
        Shared "shared",
        /// The program's own file, since it was built.
        Beforehand "beforehand",
    }
}

named! {
    /// The kinds of remarks. Programs decide by these; messages are for people.
    RemarkCode {
        /// A bound argument is not used by the handler.
        ArgumentUnused "argument_unused",
        /// A point that is set stays generic.
        PointGeneric "point_generic",
        /// A point is set, and nothing is computed from its value.
        PointUnused "point_unused",
        /// An argument leads to invariant memory, of which nothing was folded.
        NothingFolded "nothing_folded",
        /// Nothing of a promise's memory became part of the code.
        PromiseUnused "promise_unused",
        /// A loop over invariant memory is followed in part.
        LoopInPart "loop_in_part",
        /// A loop over invariant memory is not followed.
        LoopNotFollowed "loop_not_followed",
        /// Operations that tail-call each other are not followed from some place on.
        TailCallsLeft "tail_calls_left",
        /// A function would have grown too much.
        CallsNotInlined "calls_not_inlined",
        /// A SARTOR_FOLD function gave no result when it was called.
        FoldCallFailed "fold_call_failed",
        /// A SARTOR_FOLD function is called by the variant.
        FoldCallUncertain "fold_call_uncertain",
        /// A compiler outside of the program may not call a SARTOR_FOLD function.
        FoldCallRefused "fold_call_refused",
        /// No value of a sartor_one_of() is known.
        OneOfUnknown "one_of_unknown",
        /// A sartor_local() has no effect.
        LocalNoEffect "local_no_effect",
        /// Pointers into sartor_local() memory are saved: calls synchronize it.
        LocalSaved "local_saved",
        /// Threads that block in the handler are waited for.
        BlockingWaitedFor "blocking_waited_for",
        /// Tracers do not see the probes of the variant.
        ProbesUnseen "probes_unseen",
        /// The variant does not have code that a compiler's option adds.
        HooksLeftOut "hooks_left_out",
        /// A promised map that the handler does not look into.
        MapNotRead "map_not_read",
        /// A promised map, or a lookup in it, that does not fold.
        MapNotFolded "map_not_folded",
        /// A map's promise could not be kept up.
        MapPromiseEnded "map_promise_ended",
        /// A point is left generic, since its generator is the program's.
        GeneratorNotRun "generator_not_run",
        /// A request could not be recorded.
        NotRecorded "not_recorded",
        /// Of a library that is newer than this crate.
        #[default]
        Other "other",
    }
}

/// What was asked for and changed nothing in a variant, or less than was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// What kind of remark it is.
    pub code: RemarkCode,
    /// What it is about, and why.
    pub message: String,
}

impl Remark {
    fn read(of: &Value) -> Remark {
        let message = of.get("message").and_then(Value::text).unwrap_or("").to_string();
        Remark { code: RemarkCode::read(of.get("code")), message }
    }
}

named! {
    /// How much of what steers the code by promised memory was followed.
    Followed {
        /// All of it, or there is nothing of the kind.
        #[default]
        Whole "whole",
        /// As much as there was room for: the rest goes on in the generic loop, or native code.
        InPart "in_part",
        /// A loop was given up, as its copies would take too much room.
        No "no",
    }
}

/// What has become of promised memory in the code of a variant, and what is left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folded {
    /// Promises that bound arguments lead to, or statics that the handler uses, and all others that the
    /// code leans on. Sorted by number.
    pub promises: Vec<FoldedPromise>,
    /// Loops over promised memory.
    pub loops: Vec<FoldedLoop>,
    /// The least, of all functions in the code.
    pub followed: Followed,
    /// Computed jumps that are left in code that is not marked unlikely.
    pub indirect_jumps: u64,
    /// Calls by a pointer that are left in such code.
    pub indirect_calls: u64,
}

/// What a promise about memory has done for the code of a variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoldedPromise {
    /// Its number in this process; a fact gets others as time goes by.
    pub promise: u64,
    /// Its name, if it is a fact; or empty.
    pub fact: String,
    /// Loads from its memory that became constants, in all copies of the code.
    pub loads: u64,
    /// If not, it changed nothing in the code.
    pub leant_on: bool,
}

/// A loop over promised memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoldedLoop {
    /// In which function it stands when others are taken in, for people.
    pub function: String,
    /// 0 where there is no debug information.
    pub line: u32,
    /// It was followed: its head was copied so many times, each with known values. 0: it was not.
    pub copies: u64,
    /// Why its values stay unknown, so that it remains a loop; empty where it was followed.
    pub why_not: String,
}

/// What a runtime has done so far, and what it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Variants compiled, both tiers counted.
    pub compiles: u64,
    /// Of these, from the code of an earlier stage.
    pub staged: u64,
    /// First variants that were templates with their values filled in.
    pub filled: u64,
    /// Requests answered from the code cache.
    pub cache_hits: u64,
    /// Variants whose code the program had in its file.
    pub made_beforehand: u64,
    /// Variants whose code was made for other memory with the same in it.
    pub alike: u64,
    /// Variants whose code was found in the option `cache_directory`.
    pub disk_hits: u64,
    /// Variants whose code was looked for there in vain.
    pub disk_misses: u64,
    /// Variants whose code was found in the option `shared_cache`.
    pub shared_hits: u64,
    /// Variants whose code was looked for there, and compiled.
    pub shared_misses: u64,
    /// Requests that ended in an error.
    pub failures: u64,
    /// Times that an entry was led to another variant.
    pub switches: u64,
    /// Times that a broken promise took a variant out of force.
    pub replugs: u64,
    /// Variants whose memory was given back.
    pub reclaimed: u64,
    /// References to variants, of all runtimes of the process, that wait for calls to end. It grows while a
    /// call of a handler does not return.
    pub waiting: usize,
    /// Variants in memory now, retired ones included.
    pub variants: usize,
    /// Bytes of machine code and its data in memory now.
    pub code_bytes: usize,
    /// Bytes that all of that takes in memory; partly estimated.
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
            folded: of.get("folded").map_or_else(Folded::default, Folded::read),
        }
    }
}

impl Folded {
    fn read(of: &Value) -> Folded {
        Folded {
            promises: list(of, "promises", |of| FoldedPromise {
                promise: count(of, "promise"),
                fact: text(of, "fact"),
                loads: count(of, "loads"),
                leant_on: is(of, "leant_on"),
            }),
            loops: list(of, "loops", |of| FoldedLoop {
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
            made_beforehand: count(of, "made_beforehand"),
            alike: count(of, "alike"),
            disk_hits: count(of, "disk_hits"),
            disk_misses: count(of, "disk_misses"),
            shared_hits: count(of, "shared_hits"),
            shared_misses: count(of, "shared_misses"),
            failures: count(of, "failures"),
            switches: count(of, "switches"),
            replugs: count(of, "replugs"),
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
    fn what_is_told_of_a_variant_is_read() {
        let told = r#"{"handler":"h","name":"h{B=16}","configuration":{"B":16},"code_bytes":120,
            "resident_bytes":4096,"compile_time":0.25,"quick":true,"origin":"disk","remarks":[{"code":"argument_unused","message":"no C"},{"code":"of later","message":""}],
            "folded":{"promises":[{"promise":18446744073709551615,"fact":"f","loads":3,"leant_on":true}],
            "loops":[{"function":"h","line":7,"why_not":"long"}],"followed":"in_part","indirect_calls":2}}"#;
        let info = VariantInfo::read(&Value::read(told).unwrap());
        assert_eq!((info.handler.as_str(), info.name.as_str()), ("h", "h{B=16}"));
        assert_eq!(info.configuration, Configuration::new().set("B", 16));
        assert_eq!((info.code_bytes, info.resident_bytes), (120, 4096));
        assert_eq!(info.compile_time, Duration::from_millis(250));
        assert!(info.quick);
        assert_eq!(info.origin, VariantOrigin::Disk);
        let unused = Remark { code: RemarkCode::ArgumentUnused, message: "no C".into() };
        assert_eq!(info.remarks, [unused, Remark::default()]);
        let promise = FoldedPromise { promise: u64::MAX, fact: "f".into(), loads: 3, leant_on: true };
        assert_eq!(info.folded.promises, [promise]);
        let left = FoldedLoop { function: "h".into(), line: 7, copies: 0, why_not: "long".into() };
        assert_eq!(info.folded.loops, [left]);
        assert_eq!(info.folded.followed, Followed::InPart);
        assert_eq!((info.folded.indirect_jumps, info.folded.indirect_calls), (0, 2));
    }

    #[test]
    fn what_is_not_told_is_nothing() {
        assert_eq!(VariantInfo::read(&Value::Null), VariantInfo::default());
        assert_eq!(Statistics::read(&Value::Null), Statistics::default());
    }
}
