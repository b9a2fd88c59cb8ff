import assert from 'node:assert/strict';
import { verify } from '../../src/research/verify.ts';
import { answer } from '../../src/simulation/answer-request.ts';
import type { Store } from '../../src/store/store.ts';
import {
  createRunner,
  emptyState,
  type Fact,
  type ForecastFact,
  type Observation,
} from '../../streams/internal.ts';
import { turnsOf, withStore } from './small-log.ts';

const SECONDS = 40;

interface Answering {
  /** Changes what enters the log in the place of an answer. */
  readonly alter?: (fact: ForecastFact, index: number) => ForecastFact;
}

/** Keeps a log in which whatever the streams ask for is answered a second later; returns the seqs of the answers. */
async function recordAnswered(store: Store, { alter = (fact) => fact }: Answering = {}): Promise<number[]> {
  const { run } = createRunner(emptyState());
  const answers: number[] = [];
  let waiting: Fact[] = [];
  let seq = 0;
  for (const turn of turnsOf(SECONDS)) {
    const receivedAt = turn[0]?.receivedAt ?? 0;
    const facts = [...waiting, ...turn.map(({ fact }) => fact)];
    waiting = [];
    const observations: Observation[] = facts.map((fact) => ({ seq: ++seq, receivedAt, fact }));
    const outputs = observations.flatMap((each) => {
      if (each.fact.kind === 'forecast') answers.push(each.seq);
      return run(each);
    });
    for (const output of outputs) {
      if (output.stream !== 'requests') continue;
      const fact = answer(output.record, output.seq);
      waiting.push(fact.kind === 'forecast' ? alter(fact, answers.length + waiting.length) : fact);
    }
    await store.journal.append(observations);
    await store.outputs.append(outputs, seq);
  }
  return answers;
}

/** One digit of what nothing else is derived from. */
function withOtherShare(fact: ForecastFact): ForecastFact {
  const [first = 0, ...rest] = fact.inputs.shares;
  return { ...fact, inputs: { ...fact.inputs, shares: [first + 0.000001, ...rest] } };
}

describe('openResimulation', () => {
  it('finds every logged forecast to be what the model gives', () =>
    withStore(async (store) => {
      const answers = await recordAnswered(store);
      assert.ok(answers.length >= 10, `${answers.length} answers`);
      const { difference, simulated } = await verify(store, { simulations: Number.POSITIVE_INFINITY });
      assert.deepEqual({ difference, simulated }, { difference: null, simulated: answers.length });
    }));

  for (const simulations of [Number.POSITIVE_INFINITY, undefined]) {
    it(`names a forecast with one digit altered, of ${simulations ?? 'a usual number'}`, () =>
      withStore(async (store) => {
        const altered = new Set<string>();
        const answers = await recordAnswered(store, {
          alter(fact, index) {
            if (index !== 4) return fact;
            const other = withOtherShare(fact);
            altered.add(JSON.stringify(other));
            return other;
          },
        });
        const { difference } = await verify(store, simulations === undefined ? {} : { simulations });
        assert.deepEqual([difference?.place, difference?.seq], ['forecast', answers[4]]);
        assert.deepEqual([difference?.kept], [...altered]);
        assert.notEqual(difference?.recomputed, null);
      }));
  }

  it('simulates no more than asked for, spread over the log', () =>
    withStore(async (store) => {
      const answers = await recordAnswered(store);
      for (const simulations of [0, 1, 5, answers.length]) {
        const { simulated } = await verify(store, { simulations });
        assert.equal(simulated, simulations);
      }
    }));

  it('does not compare answers of other model versions', () =>
    withStore(async (store) => {
      const answers = await recordAnswered(store, {
        alter: (fact, index) => {
          const other = { ...withOtherShare(fact).inputs, version: 'other-1+cold' };
          return index === 4 ? { ...fact, inputs: other } : fact;
        },
      });
      const { difference, simulated } = await verify(store, { simulations: Number.POSITIVE_INFINITY });
      assert.deepEqual({ difference, simulated }, { difference: null, simulated: answers.length - 1 });
    }));
});
