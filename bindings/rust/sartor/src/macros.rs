// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The macros of points; `points` has the functions that they call.

/// Reports at compile time that a file with handlers was not compiled by the plugin, because the linker does
/// not see marks. In documentation builds, a file with handlers is a module.
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

/// A value that is usually one of the listed choices: `point_enum!("B", b, 2, 4, 8)`.
#[macro_export]
macro_rules! point_enum {
    ($label:literal, $value:expr, $($choice:expr),+ $(,)?) => {
        $crate::points::listed($value, &[$($choice),+], 1, $crate::place!($label))
    };
}

/// A value that usually lies between two, both included: `point_range!("n", n, 1, 64)`.
#[macro_export]
macro_rules! point_range {
    ($label:literal, $value:expr, $low:expr, $high:expr $(,)?) => {
        $crate::points::ranged($value, &[$low, $high], $crate::place!($label))
    };
}

/// A value of which nothing is known ahead of time.
#[macro_export]
macro_rules! point_generic {
    ($label:literal, $value:expr $(,)?) => {
        $crate::points::any($value, 3, $crate::place!($label))
    };
}

/// A condition that is usually true.
#[macro_export]
macro_rules! point_assume {
    ($label:literal, $condition:expr $(,)?) => {
        $crate::points::any::<bool>($condition, 4, $crate::place!($label))
    };
}

/// A call whose frequent results may be cached: `fast_path!("route", look_up, address)`. The function is
/// called by its name, has no side effects, and takes and returns numbers, `bool` or pointers to sized types.
/// If it reads memory that may change, tie the label to an invariant (`Runtime::tie`), or name a counter that
/// is incremented with each change: `fast_path!("route", [&table.version] look_up, address)`.
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

// Calls through a pointer, because rustc would inline a short function; the pointer is gone in the code that
// the plugin gets.
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

/// In every variant, the value must have become a constant; otherwise the variant is refused with an error
/// that names it. Generic code ignores it.
#[macro_export]
macro_rules! assert_const {
    ($value:expr) => {
        $crate::points::asserted($value, $crate::place!(::core::stringify!($value)))
    };
}

/// Marks a value, an integer or a pointer, that controls a loop over invariant memory. If a variant knows the
/// value, the value is recorded. If it does not (for example after a load from memory that changes), the
/// value is compared with all recorded values of its type in this handler. Control continues in code that is
/// compiled for the equal one, or in generic code if there is none. So mark a value both where it is saved
/// and where it is loaded again.
#[macro_export]
macro_rules! one_of {
    ($value:expr) => {
        $crate::points::noted($value, $crate::place!(::core::stringify!($value)))
    };
}

/// True if a variant knows the value here: `false` in native code, and in a variant's generic code. After
/// [`one_of!`](crate::one_of), it allows leaving the loop if the value is not known, so that a variant need
/// not contain the whole loop.
#[macro_export]
macro_rules! is_constant {
    ($value:expr) => {
        $crate::points::is_constant($value, $crate::place!(::core::stringify!($value)))
    };
}

/// Returns the slice itself, of a type whose bytes may all be read. From here to the next
/// [`publish!`](crate::publish), variants may keep its contents in registers, so it requires `unsafe` and the
/// following:
///
/// - Only the handler itself reads or changes the slice meanwhile, through the result of this macro.
/// - The next `local!` that is executed has the same number of bytes, and may have other memory; the result
///   of an earlier one is not used after that.
/// - A `publish!` precedes calls of functions that read the slice without being given a reference into it.
///   When the handler returns or panics, the contents have been written back.
///
/// A program that is built with the variable `SARTOR_CHECK_LOCALS` in the environment ends with a message if
/// other code has changed the slice. Other code that reads the slice sees 0xa5.
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

/// After this, other code may read and change the memory named by [`local!`](crate::local), until the next
/// `local!`. When the handler returns, that is allowed in any case.
#[macro_export]
macro_rules! publish {
    () => {{
        $crate::compiled_by_sartor_build!();
        $crate::points::publish()
    }};
}
