//! Measured distributions of flow sizes that are common in the literature.

/// A measured distribution: points of P(X <= x), linear between them.
#[derive(Debug)]
pub struct Table {
    /// Its name in files.
    pub name: &'static str,
    /// Its source.
    pub source: &'static str,
    /// The unit of the sizes below, bytes; in two, a full segment's payload.
    pub unit: u64,
    /// `(size, probability)`.
    pub cdf: &'static [(u64, f64)],
}

/// The tables, by name.
pub const TABLES: &[Table] = &[
    Table {
        name: "web_search",
        source: "servers of a web search: M. Alizadeh et al., Data Center TCP, SIGCOMM 2010, \
            figure 4, as the points that pFabric's evaluation takes from it (SIGCOMM 2013, figure \
            4), in segments of 1460 B",
        unit: 1460,
        cdf: &[
            (1, 0.0),
            (6, 0.15),
            (13, 0.2),
            (19, 0.3),
            (33, 0.4),
            (53, 0.53),
            (133, 0.6),
            (667, 0.7),
            (1333, 0.8),
            (3333, 0.9),
            (6667, 0.97),
            (20_000, 1.0),
        ],
    },
    Table {
        name: "data_mining",
        source: "a data-mining cluster: A. Greenberg et al., VL2, SIGCOMM 2009, figure 2, as the \
            points that pFabric's evaluation takes from it (SIGCOMM 2013, figure 4), in segments \
            of 1460 B",
        unit: 1460,
        cdf: &[
            (1, 0.5),
            (2, 0.6),
            (3, 0.7),
            (7, 0.8),
            (267, 0.9),
            (2107, 0.95),
            (66_667, 0.99),
            (666_667, 1.0),
        ],
    },
    Table {
        name: "hadoop",
        source: "a Hadoop cluster of Facebook: A. Roy et al., Inside the social network's \
            (datacenter) network, SIGCOMM 2015, figure 6, as the points that the evaluation of \
            HPCC takes from it (Li et al., SIGCOMM 2019; traffic_gen/FbHdp_distribution.txt of \
            its published artifact), in bytes",
        unit: 1,
        cdf: &[
            (1, 0.0),
            (100, 0.01),
            (200, 0.02),
            (300, 0.05),
            (350, 0.15),
            (400, 0.2),
            (500, 0.3),
            (600, 0.4),
            (700, 0.5),
            (1000, 0.6),
            (2000, 0.67),
            (7000, 0.7),
            (30_000, 0.72),
            (50_000, 0.82),
            (80_000, 0.87),
            (120_000, 0.9),
            (300_000, 0.95),
            (1_000_000, 0.975),
            (2_000_000, 0.99),
            (10_000_000, 1.0),
        ],
    },
];

/// The table of this name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|t| t.name == name)
}
