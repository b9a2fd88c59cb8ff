import { createSignalsRunner, type Output, type OutputOf, type StreamName } from '../../streams/internal.ts';
import { NOON, scoreOutput, signalsOutput } from './outputs.ts';

/** What the signals are made of. Counters follow the event that they count. */
const INPUTS: readonly StreamName[] = ['events', 'counters', 'prices', 'predictions'];

/** The outputs, and the signals that the streams would make of them at noon. */
export function withSignals(
  outputs: readonly Output[],
  scores: readonly OutputOf<'scores'>['record'][] = [],
): readonly Output[] {
  const runner = createSignalsRunner();
  for (const stream of INPUTS) {
    for (const output of outputs) if (output.stream === stream) runner.take(output);
  }
  for (const record of scores) runner.take({ ...scoreOutput(), record });
  const signals = runner.observe({ seq: 1, receivedAt: NOON, fact: { kind: 'tick', ages: {} } });
  return [...outputs, ...signals.map(({ record }) => signalsOutput(record))];
}
