import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';

/**
 * A world and two engines on a bus, each a process as an operator runs it. An engine that ends is started again when the
 * other one leads: on one machine its start would take the processors from the other, which no machine of its own does.
 */
export interface EnginePair {
  readonly worldUrl: string;
  readonly folders: readonly string[];
  /** Resolves when one leads and the other one stands by, caught up. */
  settled(): Promise<{ readonly leader: PairedEngine; readonly standby: PairedEngine }>;
  /** Stops the standby, then the leader, in order; the folders stay. */
  stop(): Promise<void>;
  /** Ends everything and removes the folders. */
  remove(): Promise<void>;
}

export interface PairedEngine {
  readonly index: number;
  program: Program;
  state: 'starting' | 'standing by' | 'leading';
  /** Of each process that has ended. */
  readonly exits: (number | null)[];
  /** The last lines of its log. */
  readonly said: string[];
}

const STATES: ReadonlyMap<string, PairedEngine['state']> = new Map([
  ['standing by', 'standing by'],
  ['serving as the leader', 'leading'],
]);

const logLine = z.object({ msg: z.string() });
const LINES_KEPT = 20;
const MOST_WAITS = 4;
/** Where nobody leads by then, as at the first start, the engine itself has to. */
const LED_WITHIN_MS = 10_000;

function readLine(line: string): z.infer<typeof logLine> | undefined {
  try {
    return logLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export async function openEnginePair(bus: string, replicas: number): Promise<EnginePair> {
  const base = await mkdtemp(join(tmpdir(), 'tallywire-pair-'));
  const world = runProgram(['world', '--port', '0', '--seed', '3', '--json']);
  const worldUrl = await world.url;
  const folders = [join(base, '0'), join(base, '1')];
  let isStopping = false;

  const start = (data: string): Program =>
    runProgram([
      ...['start', '--json', '--port', '0', '--data', data, '--world', worldUrl, '--history-days', '2'],
      ...['--bus', bus, '--bus-replicas', String(replicas), '--checkpoint-seconds', '30'],
    ]);

  const watch = (engine: PairedEngine, data: string): void => {
    const { program } = engine;
    const { stderr } = program.process;
    if (stderr === null) throw new Error('an engine without a log');
    createInterface(stderr).on('line', (line) => {
      const said = readLine(line);
      const state = STATES.get(said?.msg ?? '');
      if (state !== undefined) engine.state = state;
      engine.said.push(line);
      if (engine.said.length > LINES_KEPT) engine.said.shift();
    });
    void program.ended.then(async ({ code }) => {
      engine.exits.push(code);
      engine.state = 'starting';
      const led = eventually('another engine leads', () => isStopping || find('leading') !== undefined);
      await Promise.race([led.catch(() => undefined), delay(LED_WITHIN_MS, undefined, { ref: false })]);
      if (isStopping) return;
      engine.program = start(data);
      watch(engine, data);
    });
  };
  const engines = folders.map((data, index): PairedEngine => {
    const engine: PairedEngine = { index, program: start(data), state: 'starting', exits: [], said: [] };
    watch(engine, data);
    return engine;
  });
  const find = (state: PairedEngine['state']) => engines.find((engine) => engine.state === state);

  /** On a busy machine an engine may be started several times until the world answers it in time. */
  const untilBoth = async (attempts = MOST_WAITS): Promise<void> => {
    try {
      await eventually('one engine leads and the other stands by', () => {
        return find('leading') !== undefined && find('standing by') !== undefined;
      });
    } catch (cause) {
      if (attempts > 1) return untilBoth(attempts - 1);
      const told = engines.map(({ state, exits, said }) => [state, exits.join(), ...said].join('\n'));
      throw new Error(`the engines do not settle:\n${told.join('\n\n')}`, { cause });
    }
  };

  return {
    worldUrl,
    folders,
    async settled() {
      await untilBoth();
      const [leader, standby] = [find('leading'), find('standing by')];
      if (leader === undefined || standby === undefined) throw new Error('the engines have changed');
      return { leader, standby };
    },
    async stop() {
      isStopping = true;
      for (const engine of engines.toSorted((a, b) =>
        a.state === b.state ? 0 : a.state === 'leading' ? 1 : -1,
      )) {
        await engine.program.kill('SIGTERM');
      }
    },
    async remove() {
      isStopping = true;
      for (const { program } of engines) await program.kill('SIGKILL');
      await world.kill('SIGKILL');
      await rm(base, { recursive: true, force: true });
    },
  };
}
