//! Nothing: a package that depends on this one shares its dependencies with all others that do, as their features are the same then.
