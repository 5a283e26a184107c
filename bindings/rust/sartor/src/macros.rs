// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The macros of points, of which `points` has what they call.

/// The linker does not see marks. This reports, when the program is compiled, that its handlers' file was
/// not compiled by the plugin. For documentation, a file with handlers is a module.
#[doc(hidden)]
#[macro_export]
macro_rules! compiled_by_sartor_build {
    () => {
        #[cfg(not(doc))]
        const _: &str = ::core::env!(
            "SARTOR_HANDLERS",
            "sartor: handlers and points are for files that `sartor_build::Handlers` compiles in a \
             build.rs: move this function to one"
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! place {
    ($label:expr) => {{
        $crate::compiled_by_sartor_build!();
        $crate::points::Place {
            label: ::core::concat!($label, "\0"),
            file: ::core::concat!(::core::file!(), "\0"),
            line: ::core::line!(),
        }
    }};
}

/// A value that is one of the listed choices, most of the time: `point_enum!("B", b, 2, 4, 8)`.
#[macro_export]
macro_rules! point_enum {
    ($label:literal, $value:expr, $($choice:expr),+ $(,)?) => {
        $crate::points::listed($value, &[$($choice),+], 1, $crate::place!($label))
    };
}

/// A value that lies between two, both included, most of the time: `point_range!("n", n, 1, 64)`.
#[macro_export]
macro_rules! point_range {
    ($label:literal, $value:expr, $low:expr, $high:expr $(,)?) => {
        $crate::points::ranged($value, &[$low, $high], $crate::place!($label))
    };
}

/// A value of which nothing is known beforehand.
#[macro_export]
macro_rules! point_generic {
    ($label:literal, $value:expr $(,)?) => {
        $crate::points::any($value, 3, $crate::place!($label))
    };
}

/// A condition that usually holds.
#[macro_export]
macro_rules! point_assume {
    ($label:literal, $condition:expr $(,)?) => {
        $crate::points::any::<bool>($condition, 4, $crate::place!($label))
    };
}

/// A call whose popular results may be remembered: `fast_path!("route", look_up, address)`. The
/// function is called by its name, has no side effects, and takes and gives numbers, `bool` or
/// pointers to what has a size. If it reads memory that may change, tie the label to an invariant
/// (`Runtime::tie`), or name a counter that is incremented with each change:
/// `fast_path!("route", [&table.version] look_up, address)`.
#[macro_export]
macro_rules! fast_path {
    ($label:literal, [$version:expr] $function:expr $(, $argument:expr)* $(,)?) => {{
        let version = $version;
        $crate::points::called_versioned(
            $crate::direct_call!($function $(, $argument)*), version, $crate::place!($label))
    }};
    ($label:literal, $function:expr $(, $argument:expr)* $(,)?) => {
        $crate::points::called($crate::direct_call!($function $(, $argument)*), $crate::place!($label))
    };
}

// By way of a pointer, which the code that the plugin gets does not have any more: rustc would put
// a short function in the place of its call.
#[doc(hidden)]
#[macro_export]
macro_rules! direct_call {
    ($function:expr $(, $argument:expr)*) => {
        {
            let function: fn($($crate::any_type!($argument)),*) -> _ = $function;
            function($($argument),*)
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! any_type {
    ($argument:expr) => {
        _
    };
}

/// In every variant, the value must have become a constant; otherwise the variant is refused with an
/// error that names it. Generic code ignores it.
#[macro_export]
macro_rules! assert_const {
    ($value:expr) => {
        $crate::points::asserted($value, $crate::place!(::core::stringify!($value)))
    };
}

/// The value is an integer or a pointer that steers a loop over promised memory. Where a variant knows
/// it, it is noted; where it does not (the value was loaded from memory that changes, say), it is
/// compared with all values that are noted in this handler and have its type, and control goes on in
/// code that is made for the one that it equals; in generic code, if it is none of them. So mark a value
/// where it is saved, and where it is loaded again.
#[macro_export]
macro_rules! one_of {
    ($value:expr) => {
        $crate::points::noted($value, $crate::place!(::core::stringify!($value)))
    };
}

/// Whether a variant knows the value where this stands: `false` in native code, and in a variant's generic
/// code. Behind [`one_of!`](crate::one_of), whoever does not want the whole loop in each variant leaves
/// where it is not.
#[macro_export]
macro_rules! is_constant {
    ($value:expr) => {
        $crate::points::is_constant($value, $crate::place!(::core::stringify!($value)))
    };
}

/// The slice itself, of a type whose bytes may all be read. From here to the next
/// [`publish!`](crate::publish), variants may keep what it has in registers, so for use within `unsafe`:
///
/// - Nobody looks at the slice meanwhile, or changes it, but the handler itself, by what this gives.
/// - The next `local!` that control comes to is of as many bytes, and may be of other memory; what an
///   earlier one gave is not used any more then.
/// - A `publish!` stands in front of calls of functions that look at it without being given a reference
///   into it. Where the handler returns or panics, no matter where, it has been written back.
///
/// Programs that are built with the variable `SARTOR_CHECK_LOCALS` in the environment end where somebody
/// has changed the slice, with a message, and who reads it reads 0xa5.
#[macro_export]
macro_rules! local {
    ($memory:expr) => {
        $crate::points::local(
            $memory,
            ::core::option_env!("SARTOR_CHECK_LOCALS").is_some(),
            $crate::place!(""),
        )
    };
}

/// Others may look at what [`local!`](crate::local) has named, and change it, until the next `local!`.
/// When the handler returns, they may anyway.
#[macro_export]
macro_rules! publish {
    () => {{
        $crate::compiled_by_sartor_build!();
        $crate::points::publish()
    }};
}
