import assert from 'node:assert/strict';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { postOutput } from '../support/outputs.ts';
import { createKernel } from './kernel.ts';
import { createShownFrames } from './shown-frames.ts';
import { SimulatedSocket } from './simulated-socket.ts';
import { createViolations } from './violations.ts';

const OPENING = Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n');
const DAY_MS = 86_400_000;

/** The post `k` as an observation shows it. */
const post = (seq: number) => ({ ...postOutput({ id: 'k' }, { seq }), key: 'k' });

/** A disk with frames and a server that sends some, and the invariants that turn out not to hold. */
function stage() {
  const kept = createMemoryStore();
  const violations = createViolations(() => 0);
  const shown = createShownFrames({ kept, violations });
  const keep = async (topic: string, seq: number, key: string, record = `{"n":${seq}}`) => {
    const row = {
      topic,
      seq,
      at: seq * 10,
      text: `${JSON.stringify([key, ['new_post'], false])}\n${record}`,
    };
    const batch = { epoch: 'e', upTo: seq, rows: [row], topics: [{ topic, seq, keys: [] }] };
    await kept.feed.append(batch);
    shown.onKept('feed', 'append', [batch]);
  };
  const connect = () => {
    const wire = { kernel: createKernel(), latencyMs: () => 1 };
    const remote = { address: '127.0.0.1', port: 1 };
    const socket = new SimulatedSocket({ wire, owner: { name: 'engine' }, remote });
    shown.watch(socket, () => undefined);
    socket.onSend?.(OPENING);
    return (change: Readonly<Record<string, unknown>>) => {
      const frame = {
        type: 'update',
        channel: 'tweets',
        account: 'x',
        epoch: 'e',
        seq: 1,
        prev_seq: 0,
        ts: 10,
        key: 'k',
        data: 1,
        ...change,
      };
      const text = Buffer.from(JSON.stringify(frame));
      socket.onSend?.(Buffer.concat([Buffer.from([0x81, 126, text.length >> 8, text.length & 255]), text]));
    };
  };
  const broken = () => violations.found.map(({ invariant }) => invariant);
  return { kept, shown, keep, connect, broken, violations };
}

describe('createShownFrames', () => {
  it('finds nothing wrong with frames that are stored first, sent in order, and sent again', async () => {
    const { kept, shown, keep, connect, broken, violations } = stage();
    await kept.outputs.append([post(1)], 1);
    await keep('tweets/x', 1, 'k');
    await keep('tweets/x', 2, 'k');
    for (const send of [connect(), connect()]) {
      send({});
      send({ seq: 2, prev_seq: 1, ts: 20 });
    }
    shown.checkKept();
    shown.checkResumable(DAY_MS);
    assert.deepEqual(broken(), []);
    assert.deepEqual(
      [3, 5, 6, 7, 8].filter(
        (each) => ![...violations.checked.keys()].some((invariant) => invariant === each),
      ),
      [],
    );
  });

  it('finds a frame that is sent before it is on disk, and one that differs from that on disk', async () => {
    const early = stage();
    await early.kept.outputs.append([post(1)], 1);
    early.connect()({});
    assert.deepEqual(early.broken(), [6]);
    for (const change of [{ ts: 11 }, { key: 'other' }, { epoch: 'f' }]) {
      const other = stage();
      await other.kept.outputs.append([post(1), { ...post(1), key: 'other' }], 1);
      await other.keep('tweets/x', 1, 'k');
      other.connect()(change);
      assert.deepEqual(other.broken(), [6]);
    }
  });

  it('finds a frame of a post that is not on disk itself', async () => {
    const { keep, connect, broken } = stage();
    await keep('tweets/x', 1, 'k');
    connect()({});
    assert.deepEqual(broken(), [6]);
  });

  it('finds a number that is given twice', async () => {
    const { kept, keep, connect, broken } = stage();
    await kept.outputs.append([post(1)], 1);
    await keep('tweets/x', 1, 'k');
    connect()({});
    connect()({ data: 2 });
    assert.deepEqual(broken(), [7]);
  });

  it('finds gaps in what one reader is sent, in what is stored, and in what can be read again', async () => {
    const { kept, shown, keep, connect, broken } = stage();
    await keep('lag', 1, 'k');
    await keep('lag', 2, 'k');
    const send = connect();
    send({ channel: 'lag', account: null });
    send({ channel: 'lag', account: null, seq: 2, prev_seq: 0, ts: 20 });
    assert.deepEqual(broken(), [8]);
    await keep('lag', 4, 'k');
    assert.deepEqual(broken(), [8, 8]);
    await kept.feed.prune(15, 1);
    shown.checkResumable(100);
    assert.deepEqual(broken().length, 4);
  });

  it('finds what was shown and is gone', async () => {
    const { kept, shown, keep, connect, broken } = stage();
    await kept.outputs.append([post(1)], 1);
    await keep('tweets/x', 1, 'k');
    connect()({});
    await kept.outputs.clear();
    shown.checkKept();
    assert.deepEqual(broken(), [5]);
  });

  it('finds a post that is told again unchanged, or new again, but not one that is edited or computed anew', async () => {
    const { shown, keep, broken } = stage();
    await keep('tweets/x', 1, 'k', '{"text":"a","as_of":1}');
    await keep('tweets/x', 2, 'k', '{"text":"b","as_of":2}');
    assert.deepEqual(broken(), []);
    await keep('tweets/x', 3, 'k', '{"text":"b","as_of":3}');
    assert.deepEqual(broken(), [3]);
    shown.onKept('outputs', 'append', [[post(1)], 1]);
    shown.onKept('outputs', 'clear', []);
    shown.onKept('outputs', 'append', [[post(1)], 1]);
    assert.deepEqual(broken(), [3]);
    shown.onKept('outputs', 'append', [[post(2)], 2]);
    assert.deepEqual(broken(), [3, 3]);
  });
});
