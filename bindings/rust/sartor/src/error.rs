// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors.

use core::ffi::CStr;
use core::fmt;
use std::string::{String, ToString};

use crate::ffi;

macro_rules! codes {
    ($($number:literal $name:ident $text:literal: $what:literal,)*) => {
        /// Code of an error. The numbers are those of `sartor_status`, and never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum ErrorCode {
            /// An error of Sartor itself, or a code of a newer library.
            Internal = -1,
            $(#[doc = $what] $name = $number,)*
        }

        impl ErrorCode {
            /// The code with this number.
            pub fn of(number: i32) -> ErrorCode {
                match number {
                    $($number => ErrorCode::$name,)*
                    _ => ErrorCode::Internal,
                }
            }
            /// Name in messages: `unknown_label`.
            pub fn name(self) -> &'static str {
                match self {
                    ErrorCode::Internal => "internal_error",
                    $(ErrorCode::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    1 UnknownLabel "unknown_label": "A configuration names a label that the space does not have.",
    2 ValueOutsideChoices "value_outside_choices": "A value is not among an enum's choices, or outside a range.",
    3 BadValueType "bad_value_type": "A value does not fit the type of its point.",
    4 ConflictingLabel "conflicting_label": "Two points share a label but differ in kind, type or choices.",
    5 LabelNotConstant "label_not_constant": "A point's label or choices are not compile-time constants.",
    6 PointNotSpecializable "point_not_specializable": "The shape of the code around the point cannot be specialized.",
    7 NoHandlerModule "no_handler_module": "The program has no handler module embedded.",
    8 BadBitcode "bad_bitcode": "Bitcode is truncated or damaged.",
    9 WrongLlvmVersion "wrong_llvm_version": "Bitcode was written by a newer LLVM than the runtime's.",
    10 WrongTarget "wrong_target": "Bitcode is for another target or data layout.",
    11 UnknownHandler "unknown_handler": "No handler has that name or address.",
    12 MissingSymbol "missing_symbol": "A symbol that a handler uses has no address in the program.",
    13 UnboundGlobal "unbound_global": "Global state of a handler has no native definition to bind to.",
    14 NotConstant "not_constant": "A sartor_assert_const(x) did not become constant.",
    15 BadPipeline "bad_pipeline": "A pass pipeline cannot be parsed or a pass plugin not loaded.",
    16 BrokenByPass "broken_by_pass": "A user's pass left invalid IR.",
    17 CompileTimeout "compile_timeout": "A compile took longer than Options::compile_timeout.",
    18 CompileFailed "compile_failed": "LLVM gave up; the message says why.",
    19 TooManyBodies "too_many_bodies": "Settings with several values would need too many bodies.",
    20 BadJson "bad_json": "A configuration's text is not valid.",
    21 FileError "file_error": "A file cannot be read or written.",
    22 BadObjective "bad_objective": "An objective or an exploration's options make no sense.",
    23 ImpureFunction "impure_function": "A fast path's function has side effects.",
    24 UntiedFastPath "untied_fast_path": "A fast path's results may go stale, and nothing reports when.",
    25 BadInvariant "bad_invariant": "The declaration of an invariant is invalid, or the invariant was revoked.",
    26 CalledFromHandler "called_from_handler": "What waits for handlers to end was called from within one.",
    27 UnreadableMemory "unreadable_memory": "Memory that was declared invariant cannot be read.",
    28 NoProfile "no_profile": "A fast path was set, but nothing has been seen at it.",
    29 BadBinding "bad_binding": "Bound arguments do not fit the handler's parameters.",
    30 UnknownCustomKind "unknown_custom_kind": "No generator was added for a custom point's kind.",
    31 BadGenerator "bad_generator": "A generator threw, or its text is not the code of the point.",
    32 GeneratedInvalidIr "generated_invalid_ir": "A generator's LLVM IR is invalid; the message is from LLVM.",
    33 NoClang "no_clang": "A generator gives C source, and there is no clang to compile it.",
    34 WrongProfile "wrong_profile": "A profile was made with another program.",
    35 ForbiddenConfiguration "forbidden_configuration": "A configuration breaks a constraint of the space.",
    36 BadConstraint "bad_constraint": "A constraint cannot be read, or names what is not there.",
    37 BadStrategy "bad_strategy": "A strategy threw, or proposed what is outside of the space.",
    38 WrongJournal "wrong_journal": "A journal of trials belongs to another exploration.",
    39 StoreUnreachable "store_unreachable": "A study's store or a shared cache cannot be reached or used.",
    40 BadElf "bad_elf": "A program or library is damaged, or of a kind that is not known.",
    41 BadPass "bad_pass": "A pass of the loader cannot be loaded, ordered or run.",
    42 BadSettings "bad_settings": "A line of the loader's configuration is wrong.",
    43 BadPlan "bad_plan": "What the loader has prepared for a program cannot be used.",
    44 WrongSignature "wrong_signature": "A handler's parameters or result are not what was said of them.",
    45 NoThread "no_thread": "A thread that Sartor needs cannot be started.",
    46 Forked "forked": "The process was forked meanwhile, or at the wrong time.",
    47 BadArgument "bad_argument": "A null pointer where something is needed.",
    48 AlreadyExploring "already_exploring": "Another explorer works on the same runtime.",
    49 NoCompiler "no_compiler": "libsartor-compiler is not there, or is another build's.",
    50 CompilerLost "compiler_lost": "The out-of-process compiler, or the server, went away.",
    51 ServerRefused "server_refused": "The server does not answer such a request, or not this client's.",
    52 BadBpfObject "bad_bpf_object": "A BPF object is damaged, or does not fit what is there.",
    53 RefusedByVerifier "refused_by_verifier": "Linux does not take a program; its log's last lines say why.",
    54 NotPermitted "not_permitted": "This process may not do that in the kernel.",
    55 KernelLacks "kernel_lacks": "This kernel is too old, or built without what is needed.",
    56 BadAttachment "bad_attachment": "A place in the kernel is taken, is gone, or takes no such program.",
    57 BadChoices "bad_choices": "A point has no choices, or a range whose end is before its beginning.",
    58 Quarantined "quarantined": "A variant differed from the native code, or crashed, on this machine.",
    59 CompileMemory "compile_memory": "A compilation took more memory than Options::compile_memory_bytes.",
    60 Closing "closing": "The runtime is closing, or the program exiting, before the code is ready.",
}

/// An error, with the same fields as values inside of Sartor: code, subject, message and remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Code of the error.
    pub code: ErrorCode,
    /// The label, file or symbol concerned.
    pub subject: String,
    /// Description of the problem.
    pub message: String,
    /// Action that fixes the problem.
    pub remedy: String,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.code.name())?;
        if !self.subject.is_empty() {
            write!(out, ": \"{}\"", self.subject)?;
        }
        if !self.message.is_empty() {
            write!(out, ": {}", self.message)?;
        }
        if !self.remedy.is_empty() {
            write!(out, " ({})", self.remedy)?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}

impl Error {
    pub(crate) fn new(code: ErrorCode, subject: &str, message: &str, remedy: &str) -> Error {
        Error { code, subject: subject.to_string(), message: message.to_string(), remedy: remedy.to_string() }
    }

    /// The error of this thread's last call. The library returns it as one line: `code: "subject": message
    /// (remedy)`.
    pub(crate) fn last(status: ffi::Status) -> Error {
        let text = unsafe { CStr::from_ptr(ffi::sartor_last_error()) }.to_string_lossy();
        Error::read(ErrorCode::of(status), &text)
    }

    fn read(code: ErrorCode, text: &str) -> Error {
        let mut rest = text.strip_prefix(code.name()).unwrap_or(text);
        rest = rest.strip_prefix(": ").unwrap_or(rest);
        let mut subject = "";
        if let Some((named, behind)) = rest.strip_prefix('"').and_then(after_subject) {
            subject = named;
            rest = behind;
        }
        let (message, remedy) = match remedy_at(rest) {
            Some(at) => (&rest[..at], &rest[at + 2..rest.len() - 1]),
            None => (rest, ""),
        };
        Error::new(code, subject, message, remedy)
    }
}

/// Splits `subject": rest`. The subject may contain quotes; the rest may be a remedy alone.
fn after_subject(text: &str) -> Option<(&str, &str)> {
    text.split_once("\": ").or_else(|| text.split_once('"'))
}

/// Index of ` (remedy)`: at the parenthesis that matches the last one.
fn remedy_at(text: &str) -> Option<usize> {
    if !text.ends_with(')') {
        return None;
    }
    let mut depth = 0usize;
    for (at, letter) in text.char_indices().rev() {
        depth += usize::from(letter == ')');
        if letter == '(' {
            depth -= 1;
            if depth == 0 {
                return at.checked_sub(1).filter(|&space| text.as_bytes()[space] == b' ');
            }
        }
    }
    None
}

pub(crate) fn check(status: ffi::Status) -> Result<(), Error> {
    if status == ffi::OK {
        Ok(())
    } else {
        Err(Error::last(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_read_as_it_is_written() {
        for (subject, message, remedy) in [
            ("B", "is not (yet) a label", "ask f() for labels"),
            ("", "is odd", ""),
            ("B", "", "set it (or not)"),
            ("say \"x\"", "is \"odd\": f", "leave it out"),
        ] {
            let error = Error::new(ErrorCode::UnknownLabel, subject, message, remedy);
            assert_eq!(Error::read(ErrorCode::UnknownLabel, &error.to_string()), error);
        }
    }

    #[test]
    fn codes_of_a_newer_library_are_internal() {
        assert_eq!(ErrorCode::of(1), ErrorCode::UnknownLabel);
        assert_eq!(ErrorCode::of(100_000), ErrorCode::Internal);
    }
}
