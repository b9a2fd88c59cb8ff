import assert from 'node:assert/strict';
import type { AccountEndpoint } from '../../../src/sources/endpoints.ts';
import { identify } from '../../../src/sources/posts/user-id.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import type { Script } from '../../support/scripted-server.ts';
import { collect, fakeLookups, sourceStage } from '../../support/source-run.ts';

const UNKNOWN: AccountEndpoint = { ...ACCOUNT, userId: null };

describe('identify', () => {
  const stage = sourceStage();

  const oracleUser = { success: true, data: { handle: 'handle_a', platform: 'X', platformId: '4711' } };
  const platformUser = { data: { id: '4712', name: 'A', username: 'Handle_A' } };
  const paths = () => stage.server.requests.map(({ path }) => path);

  function identified(account = UNKNOWN) {
    const { context, refusals } = collect(fakeLookups(), Date.now);
    const { signal } = new AbortController();
    const reading = { endpoints: localEndpoints(stage.server), settings: FAST, context, signal };
    const find = identify(account);
    return { find: async () => (await find(reading)).userId, refusals };
  }

  function serve(oracle: unknown, platform: unknown = platformUser) {
    const script: Script = ({ path }, response) => {
      const answer = path.startsWith('/oracle') ? oracle : platform;
      if (answer === null) response.statusCode = 404;
      return answer;
    };
    stage.server.answer(script);
  }

  it('asks nobody for an id that is known', async () => {
    assert.equal(await identified(ACCOUNT).find(), '4000');
    assert.deepEqual(paths(), []);
  });

  it('asks the oracle, once', async () => {
    serve(oracleUser);
    const { find } = identified();
    assert.deepEqual([await find(), await find()], ['4711', '4711']);
    assert.deepEqual(paths(), ['/oracle/users/handle_a']);
    assert.equal(stage.server.requests[0]?.query.get('platform'), 'X');
  });

  it('asks the oracle under the name that it has for the account', async () => {
    serve(oracleUser);
    await identified({ ...UNKNOWN, oracleId: 'other name' }).find();
    assert.deepEqual(paths(), ['/oracle/users/other%20name']);
  });

  for (const [what, answer] of [
    ['does not know the account', null],
    ['does not say the id', { success: true, data: { platform: 'X' } }],
    ['has it on another platform', { success: true, data: { ...oracleUser.data, platform: 'ELSEWHERE' } }],
  ] as const) {
    it(`asks the platform when the oracle ${what}`, async () => {
      serve(answer);
      assert.equal(await identified().find(), '4712');
      assert.deepEqual(paths(), ['/oracle/users/handle_a', '/2/users/by/username/handle_a']);
      assert.equal(stage.server.requests[1]?.headers.authorization, 'Bearer secret');
    });
  }

  it('fails when the platform answers for another user, and asks again next time', async () => {
    serve(null, { data: { id: '9', username: 'somebody' } });
    const { find, refusals } = identified();
    await assert.rejects(find(), /another user than handle_a/);
    assert.equal(refusals.length, 1);
    serve(oracleUser);
    assert.equal(await find(), '4711');
  });
});
