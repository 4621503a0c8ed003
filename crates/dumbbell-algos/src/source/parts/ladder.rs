//! The rates in which a video is available.
use dumbbell_core::catalogue::Fault;
use dumbbell_core::units::Rate;

/// The lowest rate of a ladder.
///
/// # Errors
/// It has no rate, or they do not ascend.
pub fn check(ladder: &[Rate]) -> Result<Rate, Fault> {
    let Some(lowest) = ladder.first() else {
        return Err(
            Fault::at("ladder", "there is no rate").fix("write ladder = [\"1 Mbps\", \"4 Mbps\"]")
        );
    };
    match ladder.windows(2).position(|w| w[0] >= w[1]) {
        Some(i) => {
            let cause = format!("{} is not above the rate before it", ladder[i + 1]);
            Err(Fault::at(&format!("ladder[{}]", i + 1), cause)
                .fix("write the rates in ascending order"))
        }
        None => Ok(*lowest),
    }
}
