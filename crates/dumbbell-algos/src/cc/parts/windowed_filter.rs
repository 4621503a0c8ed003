//! The exact maximum of a sliding window, in constant time per value on average (the monotonic
//! queue). Models of a path use it for their best recent samples.
use std::collections::VecDeque;

/// The largest of the values whose times lie within a window that ends with the latest. Times do
/// not go back; values are not NaN.
#[derive(Clone, Debug)]
pub struct WindowedMax<T, V> {
    /// Times ascend, values descend: who is older and smaller than another will never be the
    /// largest again.
    queue: VecDeque<(T, V)>,
}

impl<T: Copy + PartialOrd, V: Copy + PartialOrd> Default for WindowedMax<T, V> {
    fn default() -> Self {
        WindowedMax { queue: VecDeque::with_capacity(4) }
    }
}

impl<T: Copy + PartialOrd, V: Copy + PartialOrd> WindowedMax<T, V> {
    /// Takes a value at `time`, and forgets what is older than `oldest`; the largest.
    #[inline]
    pub fn push(&mut self, time: T, oldest: T, value: V) -> V {
        while self.queue.back().is_some_and(|(_, smaller)| *smaller <= value) {
            self.queue.pop_back();
        }
        // One that is as young as the last and no larger will never be the largest: a virtual
        // clock, such as a count of round trips, leaves one value for each of its ticks.
        if self.queue.back().is_none_or(|last| last.0 != time) {
            self.queue.push_back((time, value));
        }
        self.expire(oldest);
        self.queue.front().map_or(value, |best| best.1)
    }

    /// Forgets what is older than `oldest`.
    #[inline]
    pub fn expire(&mut self, oldest: T) {
        while self.queue.front().is_some_and(|(time, _)| *time < oldest) {
            self.queue.pop_front();
        }
    }

    /// The largest, if there is any.
    #[cfg(test)]
    pub fn best(&self) -> Option<V> {
        self.queue.front().map(|best| best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As looking through everything would say.
        #[test]
        fn agrees_with_the_naive_maximum(
            steps in prop::collection::vec((0u32..4, 0u32..50), 1..200),
            window in 0u32..20,
        ) {
            let (mut max, mut all, mut now) = (WindowedMax::default(), Vec::new(), 0u32);
            for (pause, value) in steps {
                now += pause;
                let oldest = now.saturating_sub(window);
                all.push((now, value));
                let within = || all.iter().filter(|v| v.0 >= oldest).map(|v| v.1);
                prop_assert_eq!(
                    Some(max.push(now, oldest, f64::from(value)) as u32),
                    within().max()
                );
                prop_assert_eq!(max.best().map(|v| v as u32), within().max());
            }
        }
    }

    #[test]
    fn nothing_is_left_of_an_empty_window() {
        let mut max = WindowedMax::default();
        assert_eq!(max.push(1, 0, 5.0), 5.0);
        max.expire(2);
        assert_eq!(max.best(), None);
    }
}
