import { EventEmitter } from 'node:events';
import { answer } from '../../src/simulation/answer-request.ts';
import { createModelCache } from '../../src/simulation/model-cache.ts';
import type { SimulationWorker, StartWorker } from '../../src/simulation/pool.ts';
import { answerTo } from '../support/model-answers.ts';
import type { Chance } from './chance.ts';
import type { Kernel } from './kernel.ts';

type Job = Parameters<SimulationWorker['postMessage']>[0];

/** An answer takes this long, ms. */
const LEAST_MS = 20;
const SPREAD_MS = 500;

/** How requests are answered: by the model itself, or by something that costs nothing. */
export type Model = 'real' | 'cheap';

/** A worker that computes on this thread, and answers later in virtual time. */
class SimulatedWorker extends EventEmitter implements SimulationWorker {
  readonly #kernel: Kernel;
  readonly #chance: Chance;
  readonly #model: Model;
  readonly #cache = createModelCache();
  #isEnded = false;

  constructor(kernel: Kernel, chance: Chance, model: Model) {
    super();
    this.#kernel = kernel;
    this.#chance = chance;
    this.#model = model;
  }

  postMessage({ request, askedSeq }: Job): void {
    const ms = LEAST_MS + this.#chance() * SPREAD_MS;
    this.#kernel.schedule(ms, () => {
      if (this.#isEnded) return;
      const fact =
        this.#model === 'real'
          ? answer(request, askedSeq, this.#cache)
          : answerTo({ stream: 'requests', key: '', seq: askedSeq, at: 0, cause: 'clock', record: request });
      this.emit('message', { fact, ms });
    });
  }

  async terminate(): Promise<void> {
    this.#isEnded = true;
  }
}

export function simulatedWorkers(kernel: Kernel, chance: Chance, model: Model): StartWorker {
  return () => new SimulatedWorker(kernel, chance, model);
}
