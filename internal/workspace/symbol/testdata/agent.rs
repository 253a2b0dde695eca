//! Inner doc.
use std::fmt;

/// A limit.
pub const MAX: usize = 3;

// plain remark

/// An agent.
#[derive(Debug, Clone)]
pub struct Agent<T: Clone> {
    name: String,
    inner: T,
}

#[derive(Debug)]
pub enum State { Idle, Busy(u32) }

impl<T: Clone> Agent<T> {
    /// Makes one.
    #[inline]
    pub fn new(name: &str, inner: T) -> Self {
        Agent { name: name.into(), inner }
    }

    const LIMIT: u32 = 4;

    async fn run(&self) -> Result<(), String> {
        fn helper() {}
        Ok(())
    }
}

impl<T: Clone> fmt::Display for Agent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

pub trait Runner {
    type Out;
    fn run(&self) -> Self::Out;
    fn twice(&self) {}
}

macro_rules! square {
    ($x:expr) => { $x * $x };
}

mod tests {
    #[test]
    fn works() {}
}

type Alias = Vec<u8>;
static GLOBAL: u8 = 1;
unsafe extern "C" { fn puts(s: *const u8); }
union U { a: u8, b: i8 }
