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

/** What a worker does with its next request instead of answering it in time. */
export type WorkerFault = 'silent' | 'late' | 'crash';

/** The workers of a machine. */
export interface SimulatedWorkers {
  readonly start: StartWorker;
  /** The next requests go wrong in this way, so many of them. */
  spoil(how: WorkerFault, times: number): void;
  endSpoiling(): void;
}

/** The pool waits this long for an answer, ms; a late one comes soon after. */
const DEADLINE_MS = 60_000;
const LATE_MS = 50;

/** How requests are answered: by the model itself, or by something that costs nothing. */
export type Model = 'real' | 'cheap';

/** Which fault the next request meets, if any. */
type NextFault = () => WorkerFault | undefined;

/** A worker that computes on this thread, and answers later in virtual time. */
class SimulatedWorker extends EventEmitter implements SimulationWorker {
  readonly #kernel: Kernel;
  readonly #chance: Chance;
  readonly #model: Model;
  readonly #nextFault: NextFault;
  readonly #cache = createModelCache();
  #isEnded = false;

  constructor(kernel: Kernel, chance: Chance, model: Model, nextFault: NextFault) {
    super();
    this.#kernel = kernel;
    this.#chance = chance;
    this.#model = model;
    this.#nextFault = nextFault;
  }

  postMessage({ request, askedSeq }: Job): void {
    const ms = LEAST_MS + this.#chance() * SPREAD_MS;
    const fault = this.#nextFault();
    if (fault === 'silent') return;
    if (fault === 'crash') {
      this.#kernel.schedule(ms, () => this.emit('exit', 1));
      return;
    }
    const isLate = fault === 'late';
    this.#kernel.schedule(isLate ? DEADLINE_MS + LATE_MS : ms, () => {
      // What a thread has sent before it was ended arrives all the same.
      if (this.#isEnded && !isLate) return;
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

export function createSimulatedWorkers(kernel: Kernel, chance: Chance, model: Model): SimulatedWorkers {
  let faults: WorkerFault[] = [];
  return {
    start: () => new SimulatedWorker(kernel, chance, model, () => faults.shift()),
    spoil: (how, times) => void faults.push(...Array.from({ length: times }, () => how)),
    endSpoiling() {
      faults = [];
    },
  };
}
