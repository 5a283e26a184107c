// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Configurations.

use core::fmt;
use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::json;

/// The setting of a point, as JSON text.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting(String);

macro_rules! settings {
    ($($of:ty),*) => {
        $(impl From<$of> for Setting {
            fn from(value: $of) -> Setting {
                Setting(value.to_string())
            }
        })*
    };
}
settings!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, bool);

impl From<f64> for Setting {
    fn from(value: f64) -> Setting {
        Setting(format!("{value:?}"))
    }
}
impl From<f32> for Setting {
    fn from(value: f32) -> Setting {
        Setting(format!("{value:?}"))
    }
}
/// Several values: the body is specialized for each.
impl<T: Clone + Into<Setting>> From<&[T]> for Setting {
    fn from(values: &[T]) -> Setting {
        let texts: Vec<String> = values.iter().map(|value| value.clone().into().0).collect();
        Setting(format!("[{}]", texts.join(",")))
    }
}
impl<T: Clone + Into<Setting>, const N: usize> From<[T; N]> for Setting {
    fn from(values: [T; N]) -> Setting {
        values.as_slice().into()
    }
}

/// Labels and their settings; points that are not named stay generic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    settings: BTreeMap<String, Setting>,
}

impl Configuration {
    /// The configuration in which all points are generic.
    pub fn new() -> Configuration {
        Configuration::default()
    }
    /// Sets a point.
    pub fn set(mut self, label: &str, setting: impl Into<Setting>) -> Configuration {
        self.settings.insert(label.to_string(), setting.into());
        self
    }
    /// Sets a point without a guard before the code that depends on its value.
    ///
    /// # Safety
    /// Behavior is undefined if another value occurs.
    pub unsafe fn set_unguarded(mut self, label: &str, setting: impl Into<Setting>) -> Configuration {
        let Setting(value) = setting.into();
        let values = if value.starts_with('[') { value } else { format!("[{value}]") };
        let text = format!("{{\"values\":{values},\"guard\":false}}");
        self.settings.insert(label.to_string(), Setting(text));
        self
    }
    pub(crate) fn of_text(text: &json::Value) -> Configuration {
        let settings = text.members().map(|(label, value)| (label.to_string(), Setting(value.to_string())));
        Configuration { settings: settings.collect() }
    }
}

/// Writes JSON.
impl fmt::Display for Configuration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("{")?;
        for (i, (label, Setting(value))) in self.settings.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(out, "{comma}{}:{value}", json::quoted(label))?;
        }
        out.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_json() {
        let configuration = Configuration::new().set("N", [64u32, 256]).set("\"B\"", 16).set("f", 0.5);
        assert_eq!(configuration.to_string(), r#"{"\"B\"":16,"N":[64,256],"f":0.5}"#);
        let read = json::Value::read(&configuration.to_string()).unwrap();
        assert_eq!(Configuration::of_text(&read).to_string(), configuration.to_string());
    }
}
