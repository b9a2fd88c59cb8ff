/** What the words of the page mean, each in a sentence or two. */
export const GLOSSARY = {
  Real: 'Our own count of the posts in the window, from the posts themselves. Those deleted since still count.',
  Oracle: 'The count of the oracle. The market settles on it.',
  UI: 'The count that the page of the market shows to traders. It lags behind the posts.',
  'UI −n':
    'The page of the market shows n posts less than our own count; with a plus more, and level means as many.',
  'Posts an hour': 'The pace: posts of the last hour that count, and all posts of that hour.',
  Asleep: 'How likely the account sleeps now, by the silence so far and its usual hours.',
  'Flip risk':
    'How likely the bucket that leads at the close loses it when late posts or deletions are settled.',
  'Settled minus our count':
    'How far the count that settles usually is from ours, from the 5th to the 95th percentile.',
  p5: 'The final count is below it in 5 of 100 cases.',
  p95: 'The final count is above it in 5 of 100 cases.',
  p50: 'The median: the final count is below it as often as above. 90 % of final counts lie from p5 to p95.',
  Lag: 'How long posts took to be counted here: half of them took at most p50, nine of ten p90, 99 of 100 p99.',
  'Posts that count':
    'The rules of the market say which posts count: as a rule originals, quotes and reposts, but no replies to others.',
  Bucket:
    'A range of final counts. The one that holds the count that settles pays a dollar for each Yes share.',
  Model: 'The probability that the bucket wins, by our model.',
  Market: 'The price of a Yes share, which is the probability by those who trade.',
  Edge: 'Model minus market, in points of probability.',
  Dead: 'Cannot win any more, as a count has passed it. It is marked as passed while somebody still pays for it.',
  'Forecast moved by': 'What changed the median since the forecast before, in posts.',
  'Bid and ask': 'What somebody pays at once for a share, and what somebody sells one for, with how many.',
  Lead: 'How many posts our own count is ahead of the one that traders see.',
  'To beat': 'The price of the coin that the event compares with.',
  Signals:
    'BUY and SELL are worth it after price and fee; HOLD is not; SKIP cannot be told now. BUY NO is a bet against a bucket.',
  Bankroll:
    'The money that all bets together may draw on. Amounts are shares of it: a quarter of what Kelly says, at most.',
  Limit: 'The worst price at which the trade is still worth it.',
  Amount: 'What to put on the bucket, as far as the book has it at the limit.',
  Unproven: 'The model was not shown to beat the market here, by events that have settled.',
  'Back-filled': 'Made later from what was known at the time. Live ones were published before the outcome.',
  Wins: 'The probability that the position pays, by our model.',
  'P&L': 'Profit and loss: what the position is worth now, minus what was paid for it.',
  Merge: 'A Yes and a No of one bucket together are always worth a dollar, and can be turned into it.',
  'Error over time': 'How far the median of a forecast was from the count that settled, in percent of that.',
  Sources: 'Where the numbers come from. One that does not answer for longer than its limit is stale.',
  Pace: 'A forecast that takes the pace so far for constant; the least that a model must beat.',
  'Net edge': 'Points of probability left after the price at which one can trade, and its fee.',
  CRPS: 'Continuous ranked probability score: how far the whole forecast was from the outcome, in posts. Lower is better.',
  'Log score': 'Minus the logarithm of the probability that the winning bucket was given. Lower is better.',
  Brier: 'The squared error of the probabilities of all buckets. Lower is better.',
  Calibration:
    'Of buckets that were given 30 %, 30 % should win. Dots on the diagonal mean that this was so.',
} as const;

export type Word = keyof typeof GLOSSARY;
