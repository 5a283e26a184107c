// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The macros of points, of which `points` has what they call.

/// Marks are nothing that a linker knows: who has not told the plugin of them is told here.
#[doc(hidden)]
#[macro_export]
macro_rules! compiled_by_sartor_build {
    () => {
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
