import type { Answer } from './askers.ts';
import { createCallQuota } from './call-quota.ts';
import { type Asked, createDeliveredValues, type Input } from './delivered-values.ts';
import { createDeltaIdentity } from './delta-identity.ts';
import { createFallingCounts } from './falling-counts.ts';
import { createForecastShape } from './forecast-shape.ts';
import { createFrameTimes, RECENT_MS } from './frame-times.ts';
import { createHeldRecords } from './held-records.ts';
import { createPublicContent } from './public-content.ts';
import { createRemainingTime } from './remaining-time.ts';
import { createShownCounters } from './shown-counters.ts';
import { recordsOfAnswer, recordsOfFrame, type ShownRecord } from './shown-records.ts';
import type { Part } from './simulated-disk.ts';
import type { SimulatedSocket } from './simulated-socket.ts';
import { createSourceRequests } from './source-requests.ts';
import { START_AT, type Stage } from './stage.ts';
import { createStaleActions } from './stale-actions.ts';
import { followingMs, type Pace } from './tier.ts';
import { createTrueAges } from './true-ages.ts';
import type { Violations } from './violations.ts';
import { checkWaitingBytes } from './waiting-bytes.ts';

interface ContentChecks {
  onKept(part: Part, method: string, args: readonly unknown[]): void;
  /** Told each answer that the engine has read. */
  onRead(url: URL, text: string, asked: Asked): void;
  /** Watches the engine's end of a connection with the world. */
  watchSource(client: SimulatedSocket): void;
  /** Told what somebody was answered. */
  onAnswer(answer: Answer): void;
  /** Told the text of each frame that is sent, and whether to somebody of FREE. */
  onFrame(text: string, isFree: boolean): void;
  /** Told each frame that the client of the one steady reader passes on. */
  onReaderFrame(frame: unknown): void;
  onKill(): void;
  /** Looks at what can be looked at whenever there is time for it. */
  look(): void;
  /** Compares what the steady reader holds with answers. */
  checkHeld(answers: readonly (Answer | undefined)[]): void;
}

/** Unless the pace has others. */
const USUAL_LIMITS_MS: Readonly<Record<Input, number>> = {
  posts: 10_000,
  oracle: 900_000,
  ui: 300_000,
  prices: 60_000,
};

function limitsOf({ flags }: Pace): Readonly<Record<Input, number>> {
  const limit = (input: Input, flag: string | undefined) =>
    flag === undefined ? USUAL_LIMITS_MS[input] : Number(flag) * 1_000;
  return {
    posts: limit('posts', flags.staleSecondsPosts),
    oracle: limit('oracle', flags.staleSecondsOracle),
    ui: limit('ui', flags.staleSecondsUi),
    prices: limit('prices', flags.staleSecondsPrices),
  };
}

interface ContentOptions {
  readonly stage: Stage;
  readonly accounts: readonly { readonly id: string; readonly userId: string }[];
  readonly violations: Violations;
}

/** Everything that has to hold of what is shown to anybody, and of what the sources ask for. */
export function createContentChecks({ stage, accounts, violations }: ContentOptions): ContentChecks {
  const { kernel, disk, network } = stage;
  const { now } = kernel;
  const { kept } = disk;
  const followedMs = () => followingMs(stage.pace);
  // A reader that comes back may be sent a frame of before the tick first.
  const shownAfterMs = () => 2 * followedMs();
  const values = createDeliveredValues({ now, kept, accounts, shownAfterMs });
  const { heardAt } = values;
  const requests = createSourceRequests({ now, violations });
  const falling = createFallingCounts({ kept, violations });
  const quota = createCallQuota({ now, violations });
  const content = createPublicContent(violations);
  const held = createHeldRecords({ now, followingMs: followedMs, violations });
  const stale = createStaleActions({ heardAt, limitsMs: () => limitsOf(stage.pace), violations });
  const checkAges = createTrueAges({ heardAt, violations });
  const times = createFrameTimes(stage.trueNow);
  const checkers = [
    createDeltaIdentity(violations),
    createForecastShape(violations),
    createRemainingTime(violations),
    createShownCounters({ kept, violations }),
    stale.onRecord,
  ];
  const checkRecord = (shown: ShownRecord) => {
    for (const check of checkers) check(shown);
  };

  return {
    onKept(part, method, args) {
      falling.onKept(part, method, args);
      values.onKept(part, method, args);
      times.onKept(part, method, args);
      quota.onKept();
    },
    onRead: values.onRead,
    watchSource(client) {
      const receive = values.receiver();
      const push = client.push.bind(client);
      let request: ReturnType<typeof requests.begin> | undefined;
      client.onSend = (bytes) => {
        if (request?.isOver === false) return;
        const asker = { life: client.simulatedOwner.name, source: client.simulatedSource };
        request = requests.begin(asker, bytes);
      };
      // What arrives is looked at when the engine gets it, which may be long after it was sent.
      client.push = (chunk, encoding) => {
        if (chunk instanceof Buffer) {
          request?.onAnswer(chunk);
          receive(chunk);
        }
        return push(chunk, encoding);
      };
      client.once('close', () => request?.onEnd());
    },
    onAnswer(answer) {
      content.onAnswer(answer);
      quota.onAnswer(answer);
      violations.check(17, answer.status !== 500, () => `${answer.path} is answered ${answer.body}`);
      if (answer.status !== 200) return;
      for (const shown of recordsOfAnswer(answer.path, answer.body)) {
        checkRecord(shown);
        stale.onAnswer(shown, answer);
        checkAges(shown, answer);
      }
    },
    onFrame(text, isFree) {
      content.onFrame(text, isFree);
      for (const shown of recordsOfFrame(text)) {
        checkRecord(shown);
        // One of long ago says nothing about now, and one of a calendar that was set nothing at all.
        if (!times.isRecent(shown)) continue;
        const made = { askedAt: shown.at - START_AT - RECENT_MS, path: `a frame of ${shown.channel}` };
        stale.onAnswer(shown, made);
        checkAges(shown, made);
      }
    },
    onReaderFrame: held.onFrame,
    onKill: quota.onKill,
    look() {
      const ends = stage.life === undefined ? [] : network.connectionsTo(stage.life);
      checkWaitingBytes(
        ends.map(({ server }) => server),
        violations,
      );
    },
    checkHeld(answers) {
      for (const answer of answers) {
        const isGood = answer?.status === 200;
        violations.check(18, isGood, () => `nothing good is answered: ${JSON.stringify(answer)}`);
        if (isGood) held.check(answer.path, answer.body);
      }
    },
  };
}
