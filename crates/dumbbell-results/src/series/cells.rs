//! The cells of a series' rows, and the types of its columns.

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Real,
    /// A number or null.
    MaybeReal,
    /// A count.
    Count,
    /// A count or null.
    MaybeCount,
    /// A truth value.
    Truth,
    /// A name or null, stored once.
    Word,
    /// A text of its own in each row, or null.
    Text,
}

impl Type {
    /// True if cells of the column may be null.
    pub fn is_nullable(self) -> bool {
        !matches!(self, Type::Real | Type::Count | Type::Truth)
    }
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// For [`Type::Real`] and [`Type::MaybeReal`].
    Real(f64),
    /// For [`Type::Count`] and [`Type::MaybeCount`].
    Count(u64),
    /// For [`Type::Truth`].
    Truth(bool),
    /// For [`Type::Word`].
    Word(&'a str),
    /// For [`Type::Text`].
    Text(&'a str),
    /// Null.
    Nothing,
}

impl From<Option<f64>> for Cell<'_> {
    fn from(x: Option<f64>) -> Self {
        x.map_or(Cell::Nothing, Cell::Real)
    }
}

impl From<Option<u64>> for Cell<'_> {
    fn from(x: Option<u64>) -> Self {
        x.map_or(Cell::Nothing, Cell::Count)
    }
}
