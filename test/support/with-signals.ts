import { createLatest } from '../../src/views/latest.ts';
import { type Output, type ScoreRecord, signalsAt, type VoidRecord } from '../../streams/internal.ts';
import { NOON, signalsOutput } from './outputs.ts';

/** The outputs, and the signals that the streams would make of them at noon. */
export function withSignals(
  outputs: readonly Output[],
  scores: readonly (ScoreRecord | VoidRecord)[] = [],
): readonly Output[] {
  const latest = createLatest();
  latest.load(outputs);
  const active = Array.from(latest.all('events')).filter(({ record }) => record.phase === 'active');
  const accounts = new Set(
    active.flatMap(({ record: { subject } }) => (subject.type === 'posts' ? [subject.account] : [])),
  );
  const signals = [...accounts].flatMap((account) => {
    const events = active.flatMap(({ key, record: event }) =>
      event.subject.type === 'posts' && event.subject.account === account
        ? [
            {
              event,
              counters: latest.get('counters', key)?.record,
              prediction: latest.get('predictions', key)?.record,
              priceOf: (token: string) => latest.get('prices', token)?.record,
            },
          ]
        : [],
    );
    return signalsAt(account, events, scores, NOON).map((record) => signalsOutput(record));
  });
  return [...outputs, ...signals];
}
