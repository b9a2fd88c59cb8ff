import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readPostFile } from '../../../src/research/import/post-file.ts';
import { temporaryFolder } from '../small-log.ts';

const NOW = Date.UTC(2026, 0, 5);
const rules = { account: 'a', accounts: ['a', 'b'], now: NOW };

describe('readPostFile', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  function read(name: string, text: string, changed: Partial<typeof rules> = {}) {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return readPostFile(path, { ...rules, ...changed });
  }

  it('reads times of every shape, oldest first, and marks the posts as imported', async () => {
    const { posts, repeated } = await read(
      'posts.csv',
      'id,created_ts,text\n3,1767000000000,"a ""b"", c"\n1,2025-12-01T10:00:00Z,\n2,1765000000,x\n',
    );
    assert.deepEqual(
      posts.map(({ id, createdAt, text, via, account }) => [id, createdAt, text, via, account]),
      [
        ['1', Date.UTC(2025, 11, 1, 10), '', 'import', 'a'],
        ['2', 1_765_000_000_000, 'x', 'import', 'a'],
        ['3', 1_767_000_000_000, 'a "b", c', 'import', 'a'],
      ],
    );
    assert.equal(repeated, 0);
  });

  it('takes the kind of a post where the file has it, also as exported posts say it', async () => {
    const { posts } = await read(
      'kinds.jsonl',
      [
        { id: '1', created_ts: 1 },
        { id: '2', created_ts: 2, is_reply: true, is_counted: true },
        { id: '3', created_ts: 3, is_reply: true, is_counted: false },
        { id: '4', created_ts: 4, is_reply: false, is_repost: true, is_counted: false },
      ]
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    assert.deepEqual(
      posts.map(({ isReply, isReplyToSelf, isRepost, isFromCommunity }) => [
        isReply,
        isReplyToSelf,
        isRepost,
        isFromCommunity,
      ]),
      [
        [null, null, false, false],
        [true, true, false, false],
        [true, false, false, false],
        [false, false, true, true],
      ],
    );
  });

  it('names every faulty line and why', async () => {
    const text = [
      'id,created_ts,account,is_reply',
      '1,2026-01-01T00:00:00Z,a,no',
      'x,2026-01-01T00:00:00Z,a,true',
      '2,soon,a,',
      '3,2027-01-01T00:00:00Z,a,',
      '4,2026-01-01T00:00:00Z,c,',
      ',2026-01-01T00:00:00Z,a,',
    ].join('\n');
    await assert.rejects(read('bad.csv', text), ({ code, message }: { code: string; message: string }) => {
      assert.equal(code, 'IMPORT_FILE');
      for (const part of [
        'line 2 has no as is_reply, expected true or false',
        'line 3 has the id x, expected the digits of a post id',
        'line 4 has soon, expected a time such as',
        'line 5 has 2027-01-01T00:00:00Z, which is still to come',
        'line 6 has the account c, expected one of a, b',
        'line 7 has no id',
      ])
        assert.ok(message.includes(part), part);
      return true;
    });
    await assert.rejects(
      read('bad.jsonl', '{"id":"1","created_ts":5}\n[1]\n{'),
      /line 2 is no JSON object; line 3/,
    );
    await assert.rejects(read('empty.csv', 'id,created_ts\n'), /has no post/);
    await assert.rejects(readPostFile(join(folder.path, 'none.csv'), rules), { code: 'IMPORT_FILE' });
  });

  it('gives the same posts of CSV and JSON, whatever the texts, and each id once', async () => {
    const row = fc.record(
      {
        id: fc.nat(9).map(String),
        created_ts: fc.integer({ min: 1e11, max: NOW }),
        text: fc.string(),
        is_reply: fc.boolean(),
        account: fc.constantFrom('a', 'b'),
      },
      { noNullPrototype: true },
    );
    const names = ['id', 'created_ts', 'text', 'is_reply', 'account'] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const quoted = (cell: string | number | boolean) => `"${String(cell).replaceAll('"', '""')}"`;
        const lines = rows.map((each) => names.map((name) => quoted(each[name])).join(','));
        const csv = await read('any.csv', [names.join(','), ...lines].join('\n'));
        const jsonl = await read('any.jsonl', rows.map((each) => JSON.stringify(each)).join('\n'));
        const plain = ({ posts }: typeof csv) => posts.map((post) => ({ ...post, text: post.text.trim() }));
        assert.deepEqual(plain(csv), plain(jsonl));
        const ids = new Set(rows.map(({ account, id }) => `${account} ${id}`));
        assert.deepEqual([csv.posts.length, csv.repeated], [ids.size, rows.length - ids.size]);
      }),
      { numRuns: 40 },
    );
  });
});
