import assert from 'node:assert/strict';
import { createStartNews } from '../../src/cli/start-news.ts';
import { postOutput } from '../support/outputs.ts';
import { memoryProcess } from './memory-process.ts';

describe('createStartNews', () => {
  const now = performance.now;
  let time = 0;
  before(() => {
    performance.now = () => time;
  });
  after(() => {
    performance.now = now;
  });

  const post = postOutput({ id: '7', account: 'a', text: 'one\n\u001b[2Jtwo' }).record;

  it('draws how far it is on one line of a terminal, and takes the line away', () => {
    const proc = memoryProcess(true);
    const news = createStartNews(proc, { json: false });
    news.recovering(0.256);
    news.recovering(0.257);
    news.endProgress();
    news.history(40);
    news.historyRead();
    assert.equal(
      proc.texts.stdout,
      '\r  reading its own log, 25 %\u001b[K\r\u001b[K\r  reading history, 40 %\u001b[K\r\u001b[K  history is read\n',
    );
  });

  it('writes a line every two seconds elsewhere, and none that says the same again', () => {
    const proc = memoryProcess();
    const news = createStartNews(proc, { json: false });
    for (const percent of [0, 10, 20, 30, 40, 40, 40, 40, 40, 50]) {
      news.history(percent);
      time += 1_000;
    }
    news.historyRead();
    assert.deepEqual(proc.texts.stdout.split('\n'), [
      'reading history, 0 %',
      'reading history, 20 %',
      'reading history, 40 %',
      'reading history, 50 %',
      'history is read',
      '',
    ]);
  });

  it('never falls back, though an event may be found that needs more of the past', () => {
    const proc = memoryProcess();
    const news = createStartNews(proc, { json: true });
    for (const percent of [40, 10, 50]) {
      news.history(percent);
      time += 2_000;
    }
    assert.deepEqual(
      proc.texts.stdout.split('\n').slice(0, -1),
      [40, 50].map((percent) => `{"type":"history","percent":${percent}}`),
    );
  });

  it('says nothing of a past that was read before', () => {
    const proc = memoryProcess();
    createStartNews(proc, { json: false }).historyRead();
    assert.equal(proc.texts.stdout, '');
  });

  it('shows a post on one line, without what would draw on the terminal', () => {
    const proc = memoryProcess();
    createStartNews(proc, { json: false }).post({ ...post, createdAt: 0, isCounted: false });
    assert.equal(proc.texts.stdout, '1970-01-01T00:00:00.000Z a 7 (not counted) one [2Jtwo\n');
  });

  it('tells that it has stopped', () => {
    const proc = memoryProcess();
    const news = createStartNews(proc, { json: false });
    news.stopping();
    news.stopped();
    assert.equal(proc.texts.stdout, 'tallywire is stopping\ntallywire has stopped\n');
  });

  it('is a JSON fact per line when asked', () => {
    const proc = memoryProcess(true);
    const news = createStartNews(proc, { json: true });
    news.recovering(0.5);
    news.endProgress();
    time += 2_000;
    news.history(99);
    news.historyRead();
    news.post(post);
    news.stopping();
    news.stopped();
    const facts = proc.texts.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      facts.map(({ type, percent }) => [type, percent]),
      [
        ['recovering', 50],
        ['history', 99],
        ['history', 100],
        ['post', undefined],
        ['stopped', undefined],
      ],
    );
    assert.equal(facts[3].text, post.text);
  });
});
