/** What the words of the page mean, each in a sentence or two. */
export const GLOSSARY = {
  Real: 'Our own count of the posts in the window, from the posts themselves.',
  Oracle: 'The count of the oracle. The market settles on it.',
  UI: 'The count that the page of the market shows to traders. It lags behind the posts.',
  'Posts an hour': 'The pace: posts of the last hour that count, and all posts of that hour.',
  Asleep: 'How likely the account sleeps now, by the silence so far and its usual hours.',
  'Flip risk':
    'How likely the bucket that leads at the close loses it when late posts or deletions are settled.',
  'Settled minus our count':
    'How far the count that settles usually is from ours, from the 5th to the 95th percentile.',
  p50: 'The median: the final count is below it as often as above. 90 % of final counts lie from p5 to p95.',
  'Net edge': 'Points of probability left after the price at which one can trade, and its fee.',
  CRPS: 'Continuous ranked probability score: how far the whole forecast was from the outcome, in posts. Lower is better.',
  'Log score': 'Minus the logarithm of the probability that the winning bucket was given. Lower is better.',
  Brier: 'The squared error of the probabilities of all buckets. Lower is better.',
  Calibration:
    'Of buckets that were given 30 %, 30 % should win. Dots on the diagonal mean that this was so.',
} as const;

export type Word = keyof typeof GLOSSARY;
