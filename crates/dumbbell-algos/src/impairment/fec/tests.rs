//! Forward error correction against closed forms: binomial for independent losses, the chain's
//! transfer matrix for bursts.
use super::*;

fn effects(config: &FecConfig, packets: usize) -> Vec<WireEffect> {
    let (mut link, mut rng) = (Fec::new(config, &()), Stream::named(5, "fec"));
    (0..packets)
        .map(|i| link.effect(Time::ZERO + Span::from_us(i as u64), &mut rng, &Meta::default()))
        .collect()
}

fn share(effects: &[WireEffect], of: impl Fn(WireEffect) -> bool) -> f64 {
    effects.iter().filter(|f| of(**f)).count() as f64 / effects.len() as f64
}

/// P(Binomial(n, p) >= least).
fn binomial_tail(n: u32, p: f64, least: u32) -> f64 {
    let term = |j: u32| {
        let ways = (0..j).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
        ways * libm::pow(p, f64::from(j)) * libm::pow(1.0 - p, f64::from(n - j))
    };
    (least..=n).map(term).sum()
}

/// Loss that is left, of a chain of good and bad, one block in `n` slots in a row: forward over
/// (state, losses so far), and the data packets lost so far as a mean carried along with the
/// probability.
fn burst_residual(c: &FecConfig) -> f64 {
    let bad = c.to_bad / (c.to_bad + c.to_good);
    let (k, n) = (c.data, c.data + c.repair);
    // [state][losses]: probability, and the sum of lost data packets weighted by it.
    let mut mass = [vec![(0.0, 0.0); n as usize + 1], vec![(0.0, 0.0); n as usize + 1]];
    (mass[0][0].0, mass[1][0].0) = (1.0 - bad, bad);
    for slot in 0..n {
        let mut next = [vec![(0.0, 0.0); n as usize + 1], vec![(0.0, 0.0); n as usize + 1]];
        for (state, mass) in mass.iter().enumerate() {
            let (loss, change) =
                if state == 1 { (c.loss_bad, c.to_good) } else { (c.loss, c.to_bad) };
            for (losses, (p, data)) in mass.iter().copied().take(slot as usize + 1).enumerate() {
                for (lost, q) in [(0, 1.0 - loss), (1, loss)] {
                    let counts = if slot < k { lost as f64 } else { 0.0 };
                    for (to, r) in [(state, 1.0 - change), (1 - state, change)] {
                        let cell = &mut next[to][losses + lost];
                        cell.0 += p * q * r;
                        cell.1 += (data + p * counts) * q * r;
                    }
                }
            }
        }
        mass = next;
    }
    mass.iter().flat_map(|m| &m[c.repair as usize + 1..]).map(|(_, data)| data).sum::<f64>()
        / f64::from(k)
}

/// Independent losses: what is left is p P(Binomial(n - 1, p) >= m), and the rest of p is repaired,
/// whatever the depth.
#[test]
fn independent_losses_leave_the_binomial_tail() {
    for (data, repair, loss, interleave) in
        [(10, 2, 0.05, 1), (4, 1, 0.1, 1), (20, 5, 0.15, 3), (1, 1, 0.2, 1)]
    {
        let config = FecConfig { data, repair, loss, interleave, ..FecConfig::default() };
        let n = 400_000;
        let all = effects(&config, n);
        let left = loss * binomial_tail(data + repair - 1, loss, repair);
        let lost = share(&all, |f| f == WireEffect::Lost);
        let late = share(&all, |f| matches!(f, WireEffect::Delayed(_)));
        // Losses of a block come together, so the error of the mean is that of blocks.
        let error = |p: f64| 4.4 * (p * f64::from(data) / n as f64).sqrt();
        assert!((lost - left).abs() < error(left), "{config:?}: {lost} {left}");
        assert!((lost + late - loss).abs() < 4.4 * (loss / n as f64).sqrt(), "{config:?}");
        assert!(
            all.iter().all(|f| !matches!(f, WireEffect::Delayed(d) if *d != Span::from_ms(10)))
        );
    }
}

/// The binomial by hand: two of two lost, of a packet and its copy, is p squared.
#[test]
fn the_closed_form_is_right_by_hand() {
    assert!((0.2 * binomial_tail(1, 0.2, 1) - 0.04).abs() < 1e-15);
    assert!((binomial_tail(3, 0.5, 2) - 0.5).abs() < 1e-15);
    // A chain without memory (to_bad + to_good = 1) that loses while bad is independent loss with p
    // = to_bad.
    let chain = FecConfig { loss: 0.0, to_bad: 0.1, to_good: 0.9, ..FecConfig::default() };
    assert!((burst_residual(&chain) - 0.1 * binomial_tail(11, 0.1, 2)).abs() < 1e-12);
}

/// Bursts defeat a short block; dealt out to many blocks they are as good as independent.
#[test]
fn bursts_defeat_it_unless_they_are_dealt_out() {
    let bursts = FecConfig {
        data: 8,
        repair: 2,
        loss: 0.0,
        to_bad: 0.01,
        to_good: 0.2,
        ..FecConfig::default()
    };
    let p = 0.01 / 0.21;
    let (chain, apart) = (burst_residual(&bursts), p * binomial_tail(9, p, 2));
    assert!(chain > 6.0 * apart, "{chain} {apart}");
    let lost = |interleave| {
        share(&effects(&FecConfig { interleave, ..bursts.clone() }, 800_000), |f| {
            f == WireEffect::Lost
        })
    };
    let (seen, dealt) = (lost(1), lost(40));
    assert!((seen - chain).abs() < 0.06 * chain, "{seen} {chain}");
    // 40 packets later (1 - 0.21)^40 = 8e-5 of the state is left.
    assert!((dealt - apart).abs() < 0.15 * apart, "{dealt} {apart}");
}

/// A burst of up to `repair * depth` slots costs no block more than `repair`, wherever it lies; one
/// more does.
#[test]
fn a_burst_of_repair_times_depth_is_repaired() {
    let (data, repair, depth) = (6, 2, 5);
    let slots = (data + repair) * depth;
    let all = |burst: usize| {
        (0..=slots - burst).all(|at| {
            let lost: Vec<bool> = (0..slots).map(|i| (at..at + burst).contains(&i)).collect();
            decodes(&lost, depth, repair).iter().all(|d| *d)
        })
    };
    assert!(all(repair * depth) && !all(repair * depth + 1));
}

/// Without repairs nothing is repaired: the wire alone, draw by draw.
#[test]
fn without_repairs_it_is_the_wire() {
    let config = FecConfig { repair: 0, to_bad: 0.02, ..FecConfig::default() };
    let wire =
        GilbertElliottConfig { to_bad: 0.02, loss_good: 0.01, ..GilbertElliottConfig::default() };
    let (mut wire, mut rng) = (GilbertElliott::new(&wire, &()), Stream::named(5, "fec"));
    let plain: Vec<WireEffect> =
        (0..5000).map(|_| wire.effect(Time::ZERO, &mut rng, &Meta::default())).collect();
    assert_eq!(effects(&config, 5000), plain);
    assert!(!Fec::new(&config, &()).reorders());
}

#[test]
fn order_is_kept_where_it_is_asked_for() {
    let config = FecConfig { loss: 0.1, keep_order: true, ..FecConfig::default() };
    let at = |(i, effect): (usize, &WireEffect)| match effect {
        WireEffect::Delayed(by) => Some(Time::ZERO + Span::from_us(i as u64) + *by),
        _ => None,
    };
    let all = effects(&config, 20_000);
    let arrivals: Vec<Time> = all.iter().enumerate().filter_map(at).collect();
    assert!(arrivals.is_sorted() && !Fec::new(&config, &()).reorders());
    let lost = |f: &[WireEffect]| f.iter().map(|f| *f == WireEffect::Lost).collect::<Vec<_>>();
    assert_eq!(lost(&all), lost(&effects(&FecConfig { keep_order: false, ..config }, 20_000)));
}

#[test]
fn a_block_has_its_limit() {
    let of =
        |data, repair| FecConfig { data, repair, ..FecConfig::default() }.check().map_err(|f| f.at);
    assert_eq!((of(200, 55), of(200, 56)), (Ok(()), Err("repair".into())));
}
