import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Output } from '../../streams/internal.ts';
import { type FeedServer, startFeed } from '../feed/feed-server.ts';
import { start } from '../server/start.ts';
import { accountPath } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  velocityOutput,
} from '../support/outputs.ts';
import { BUSY_EVENTS, busyCounters, busyForecast, busyOutputs, busyPost } from './busy-outputs.ts';
import {
  type OpenPage,
  openTestBrowser,
  requireBrowser,
  shownCount,
  type TestBrowser,
  unlock,
} from './test-browser.ts';

const PATIENCE_MS = 60_000;
const DESKTOP: BrowserContextOptions = { viewport: { width: 1_600, height: 1_000 } };

/**
 * Records layout shifts without user input. Rows make room for a new post by design, and text that is aligned to the
 * right or centred starts further left when it grows.
 */
const WATCH_SHIFTS = `
  window.shifts = [];
  const isAmongPosts = ({ left, right, top, bottom }) => {
    const posts = document.querySelector('.posts').getBoundingClientRect();
    return left >= posts.left && right <= posts.right && top >= posts.top && bottom <= posts.bottom;
  };
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      for (const { node, previousRect, currentRect } of sources) {
        // A post that is no longer listed has no element, but it was seen where the posts are.
        if (node === null && isAmongPosts(currentRect)) continue;
        const isText = node?.nodeType === Node.TEXT_NODE;
        const element = isText ? node.parentElement : node;
        if (element?.closest('.posts') || (isText && element.matches('td.num, .tag'))) continue;
        // A tag is as wide as its word, and stays where it is.
        const hasOtherWord = previousRect.width !== currentRect.width && previousRect.top === currentRect.top;
        if (element?.matches('.tag') && hasOtherWord) continue;
        window.shifts.push(element?.outerHTML.slice(0, 200) ?? 'a removed element');
      }
    }
  }).observe({ type: 'layout-shift' });
`;

function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  return eventually(what, holds);
}

/** The accounts in messages that subscribe, in the order of their first. */
function accountsIn(messages: readonly string[]): readonly string[] {
  const subscribing = messages.filter((text) => text.includes('"subscribe"'));
  return [...new Set(subscribing.flatMap((text) => text.match(/account_\w+/g) ?? []))];
}

describe('the dashboard, fed by hand', function () {
  this.timeout(4 * PATIENCE_MS);
  let browser: TestBrowser;
  let server: FeedServer;
  let isTicking = true;
  let ticking: ReturnType<typeof setInterval>;

  before(async function () {
    requireBrowser(this);
    browser = await openTestBrowser();
    server = await startFeed({ loaded: busyOutputs() });
    ticking = setInterval(() => {
      if (isTicking) void server.tick(FRESH_AGES);
    }, 1_000);
  });
  after(async () => {
    clearInterval(ticking);
    await browser?.close();
    await server?.stop();
  });

  async function open(options: BrowserContextOptions = DESKTOP, key?: string): Promise<OpenPage> {
    const opened = await browser.openPage(options);
    await opened.page.goto(server.url);
    await opened.page.waitForSelector('[data-state=live]');
    if (key !== undefined) {
      await unlock(opened.page, key);
      await opened.page.waitForSelector('[data-level=p50]');
      await opened.page.waitForSelector('#trade table.grid tbody tr');
    }
    return opened;
  }

  // Behind some texts is the mark of their explanation, and a space before it.
  const shown = async (page: Page, selector: string) =>
    (await page.locator(selector).allInnerTexts()).map((text) => text.trim());

  it('compares the model with pace and market where there were prices', async () => {
    const { page, faults } = await open(DESKTOP, 'demo_pro');
    await page.waitForSelector('.scores tbody tr');
    assert.deepEqual(await shown(page, '.scores tbody td'), [
      ...['5.00', '8.00', '5.60'],
      ...['1.700', '2.400', '1.900'],
      ...['0.7400', '0.9000', '0.7800'],
    ]);
    assert.deepEqual(await shown(page, '.scores caption'), [
      "Scores over 32 live forecasts, the market's over 32 with prices",
    ]);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('says what a record rests on, and compares horizons over the same events', async () => {
    const { page, faults } = await open(DESKTOP, 'demo_pro');
    await page.waitForSelector('.errors tbody tr');
    assert.deepEqual(await shown(page, '#trust .proof'), [
      'better than the market 32 live and 8 back-filled forecasts at 24 h, 32 with market prices',
    ]);
    assert.deepEqual(await shown(page, '.errors caption'), [
      'Error by horizon over the same 80 events of all accounts',
    ]);
    assert.deepEqual(await shown(page, '.errors tbody td'), [
      ...['4.0', '7.0', '64', '16'],
      ...['5.0', '8.0', '64', '16'],
      ...['6.0', '9.0', '64', '16'],
    ]);
    assert.equal(await page.locator('text=32 live and 8 back-filled; the line').count(), 1);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('moves nothing when numbers change, nor when they are out of date', async () => {
    const { page } = await open(DESKTOP, 'demo_pro');
    await page.waitForSelector('.scores tbody tr');
    await page.waitForSelector('.errors tbody tr');
    await page.evaluate(WATCH_SHIFTS);
    const [event] = BUSY_EVENTS;
    assert.ok(event);
    for (let turn = 0; turn < 20; turn++) {
      await server.turn(busyCounters(event, turn * 61), ...busyForecast(event, turn / 40));
      const at = NOON + turn * 1_000;
      await server.turn(busyPost('a', 1_000_000 + turn, { createdAt: at, seenAt: at + 500 }));
      await until('the new count is there', async () =>
        (await page.innerText('[data-counter=ui] .words')).includes(
          turn === 0 ? 'agrees' : String(turn * 61),
        ),
      );
    }
    isTicking = false;
    try {
      await page.waitForSelector('.notice p');
      assert.match(await page.innerText('.notice'), /^Nothing new comes in/);
      await page.waitForSelector('.tile .tag >> text=stale');
    } finally {
      isTicking = true;
    }
    await page.waitForSelector('[data-state=live]');
    await page.waitForSelector('.notice p', { state: 'detached' });
    assert.deepEqual(await page.evaluate('shifts'), []);
    await page.context().close();
  });

  it('moves nothing and cuts no word or count when the first answer of a source comes, on screens of any width', async () => {
    const { page } = await open();
    await page.waitForSelector('[data-counter=oracle]');
    const look = `(() => {
      const tiles = [...document.querySelectorAll('.tile')];
      const isCut = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth;
      return ['no answer yet', 'stale', 'fresh'].map((word) => {
        const tags = tiles.map((tile) => tile.querySelector('.tag'));
        for (const tag of tags) tag.textContent = word;
        const texts = ['.value', '.words'].flatMap((part) => tiles.map((tile) => tile.querySelector(part)));
        for (const text of texts) text.textContent = text.matches('.value') ? '9,999' : 'Oracle is 9,999 behind';
        const overlaps = tiles.filter((tile, index) => {
          const [tag, title] = [tags[index], tile.querySelector('h3')].map((each) => each.getBoundingClientRect());
          return tag.left < title.right && tag.top < title.bottom && title.top < tag.bottom;
        });
        return {
          word,
          heights: tiles.map(({ offsetHeight }) => offsetHeight).join(),
          cut: [...tags, ...tiles, ...texts].filter(isCut).length + overlaps.length,
          hidden: tags.filter((tag) => tag.offsetWidth === 0).length,
        };
      });
    })()`;
    interface Look {
      readonly word: string;
      readonly heights: string;
      readonly cut: number;
      readonly hidden: number;
    }
    for (const width of [1_600, 1_501, 1_280, 1_100, 900, 390, 320]) {
      await page.setViewportSize({ width, height: 1_000 });
      const looks = await page.evaluate<readonly Look[]>(look);
      const [first] = looks;
      for (const { word, heights, cut, hidden } of looks) {
        assert.deepEqual([heights, cut, hidden], [first?.heights, 0, 0], `${word} at ${width} px`);
      }
    }
    await page.context().close();
  });

  it('highlights a new post, but without motion for people who want less of it', async () => {
    // Null while no post is highlighted.
    const animation = `(() => {
      const post = document.querySelector('.posts .fresh');
      return post && getComputedStyle(post, '::before').animationName;
    })()`;
    for (const [reducedMotion, expected] of [
      ['no-preference', 'arrive'],
      ['reduce', 'none'],
    ] as const) {
      const { page } = await open({ ...DESKTOP, reducedMotion });
      let shown: string | null = null;
      // On a slow machine a post may be old when it arrives, so more posts follow.
      await until('a post is highlighted', async () => {
        const at = server.clock.now;
        await server.turn(busyPost('a', at, { createdAt: at, seenAt: at }));
        shown = await page.evaluate<string | null>(animation);
        return shown !== null;
      });
      assert.equal(shown, expected);
      await page.context().close();
    }
  });

  it('says why a key was refused, and accepts another', async () => {
    const { page } = await open();
    await unlock(page, 'demo_free');
    await page.waitForSelector('text=need a key of tier PRO');
    assert.equal(await page.evaluate('sessionStorage.getItem("key")'), null);
    await page.waitForSelector('[data-state=live]');
    await unlock(page, 'demo_pro');
    await page.waitForSelector('[data-level=p50]');
    assert.equal(await page.locator('.fault').count(), 0);
    await page.context().close();
  });

  it('uses the clock of the server, not that of the browser', async () => {
    // The clock of the server is years behind that of the browser.
    const { page } = await open();
    const endAt = BUSY_EVENTS[0]?.endAt ?? 0;
    await until('time left is that of the server', async () => {
      const [hours = 0, minutes = 0, seconds = 0] = (await page.innerText('.time-and-pace .big'))
        .split(':')
        .map(Number);
      const leftMs = ((hours * 60 + minutes) * 60 + seconds) * 1_000;
      return Math.abs(endAt - server.clock.now - leftMs) < 2_500;
    });
    await until('ages are those of the server', async () => {
      const ages = await shown(page, '.tile .age');
      return ages.every((age) => /^\d s ago$/.test(age));
    });
    await page.context().close();
  });

  it('shows the present records when it returns from the background', async () => {
    const { page } = await open();
    const devtools = await page.context().newCDPSession(page);
    const [event] = BUSY_EVENTS;
    assert.ok(event);
    await server.turn(busyCounters(event, 5));
    await until('it is there', async () => (await page.innerText('[data-counter=ui]')).includes('5 behind'));
    const before = (await shownCount(page, 'ui')) ?? 0;
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    for (let behind = 6; behind < 40; behind++) await server.turn(busyCounters(event, behind));
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await until('the last is shown', async () => (await shownCount(page, 'ui')) === before - 34);
    await page.waitForSelector('[data-state=live]');
    await page.context().close();
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await open();
    const focused = () =>
      page.evaluate<string>('document.activeElement.name || document.activeElement.innerText');
    const tabTo = async (wanted: string) => {
      for (let presses = 0; presses < 70; presses++) {
        if ((await focused()) === wanted) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`${wanted} is not reached; last was ${await focused()}`);
    };
    await tabTo('key');
    await page.keyboard.type('demo_pro');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-level=p50]');
    await tabTo('event');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('#now-title:has-text("Nov 10–17")');
    await tabTo('wallet');
    await tabTo('horizon');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('text=48 h before the close, % of the final count');
    await page.context().close();
  });

  it('keeps the wallet when another account is chosen', async () => {
    const { page } = await open(DESKTOP, 'demo_pro');
    const wallet = `0x${'a1'.repeat(20)}`;
    await page.fill('input[name=wallet]', wallet);
    const asked = page.waitForRequest(/portfolio\/account_a/);
    await page.press('input[name=wallet]', 'Enter');
    assert.match((await asked).url(), /bankroll=/);
    const askedAgain = page.waitForRequest(/portfolio\/account_b/);
    await page.click('.switcher fieldset:last-child .event');
    assert.match((await askedAgain).url(), new RegExp(`wallet=${wallet}$`));
    await page.waitForSelector('text=Nothing held');
    assert.equal(await page.inputValue('input[name=wallet]'), wallet);
    await page.context().close();
  });

  it('follows one of many accounts at a time, which can be searched for', async () => {
    const accounts = [...'abcdefghijklmnopqrst'].map((id) => accountPath(id));
    const loaded = accounts.flatMap(({ id: account }, index) => {
      const eventId = 500 + index;
      const event = eventOutput({ eventId, endAt: NOON + 60_000_000, subject: { type: 'posts', account } });
      return [event, countersOutput({ eventId, account, real: 100 + index }), velocityOutput({ account })];
    });
    const crowded = await startFeed({ accounts, loaded });
    try {
      const { page, faults } = await browser.openPage(DESKTOP);
      const sent: string[] = [];
      page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
      await page.goto(crowded.url);
      await unlock(page, 'demo_pro');
      await page.waitForSelector('#now-title:has-text("Account A")');
      await crowded.tick(FRESH_AGES);
      assert.equal(await page.locator('.switcher fieldset').count(), 1);
      assert.deepEqual(accountsIn(sent), ['account_a']);
      await page.waitForSelector('.picker option:has-text("Account Q, 1 event")', { state: 'attached' });

      await page.fill('.picker input', 'account q');
      await page.press('.picker input', 'Enter');
      await page.waitForSelector('#now-title:has-text("Account Q")');
      await until(
        'the count of the other account is there',
        async () => (await shownCount(page, 'real')) === 116,
      );
      assert.equal(await page.inputValue('.picker select'), 'account_q');
      await until('the first account is let go', async () =>
        sent.some((text) => /unsubscribe.*account_a/.test(text)),
      );
      assert.deepEqual(accountsIn(sent), ['account_a', 'account_q']);

      await page.fill('.picker input', '');
      await page.selectOption('.picker select', 'account_b');
      await page.waitForSelector('#now-title:has-text("Account B")');
      assert.deepEqual(faults, []);
      await page.context().close();
    } finally {
      await crowded.stop();
    }
  });

  describe('of a service that has just started', () => {
    const [first] = BUSY_EVENTS;
    const ofFirst = busyOutputs().filter(
      ({ stream, key }) => (stream === 'events' && key === String(first?.id)) || stream === 'posts',
    );
    let starting: FeedServer;
    afterEach(() => starting.stop());

    async function openStarting(loaded: readonly Output[], key?: string): Promise<Page> {
      starting = await startFeed({ loaded });
      const { page } = await browser.openPage(DESKTOP);
      await page.goto(starting.url);
      await page.waitForSelector('.switcher');
      if (key !== undefined) await unlock(page, key);
      return page;
    }

    it('says how much of the past was read where a count is not known', async () => {
      const eventId = first?.id ?? 0;
      const reading = countersOutput({ eventId, real: null, deleted: null, historyPercent: 40 });
      const page = await openStarting([...ofFirst, reading], 'demo_pro');
      await page.waitForSelector('[data-counter=real] >> text=reading history, 40 %');
      await page.waitForSelector('#forecast >> text=Reading history, 40 %.');
      await page.waitForSelector('[data-counter=oracle] >> text=not compared yet');
      await starting.tick(FRESH_AGES);
      await page.waitForSelector('[data-state=live] >> text=reading history, 40 %');
      assert.equal(await page.innerText('[data-counter=real] .value'), '–');
      await starting.turn(countersOutput({ eventId, real: 205 }));
      await until('the count is there', async () => (await shownCount(page, 'real')) === 205);
      await starting.turn(countersOutput({ eventId, real: null, deleted: null, historyPercent: null }));
      await page.waitForSelector('[data-counter=real] >> text=a hole in the posts');
      await page.context().close();
    });

    it('does not take events that were not read yet for none', async () => {
      const unlisted = { listedAt: { posts: null, crypto: null } };
      const page = await openStarting([freshnessOutput({}, {}, unlisted)]);
      await starting.turn(freshnessOutput({}, {}, unlisted));
      await page.waitForSelector('text=Reading events …');
      assert.equal(await page.locator('text=No active event').count(), 0);
      await starting.tick(FRESH_AGES);
      await page.waitForSelector('.empty >> text=No active event');
      await page.context().close();
    });
  });

  it('shows no figure that depends on how many posts a caller may see', async () => {
    // More within the hour than a caller without a key gets.
    const [first] = BUSY_EVENTS;
    const posts = Array.from({ length: 40 }, (_, place) => {
      const createdAt = NOON - place * 60_000;
      return busyPost('a', 2_000_000 - place, { createdAt, seenAt: createdAt + 700 });
    });
    const events = busyOutputs().filter(
      ({ stream, key }) => stream === 'events' && key === String(first?.id),
    );
    const crowded = await startFeed({ loaded: [...events, ...posts] });
    const { page } = await browser.openPage(DESKTOP);
    await page.goto(crowded.url);
    await page.waitForSelector('[data-post]');
    // The page takes the time from the server.
    await crowded.tick(FRESH_AGES);
    await page.waitForSelector('#trust >> text=Not all posts of the hour are known here');
    const pace = page.locator('.time-and-pace > div', { hasText: 'Posts an hour' });
    assert.match((await pace.innerText()).replaceAll(/\s+/g, ' '), /^Posts an hour – needs a PRO key$/i);
    assert.equal(await pace.locator('rect').count(), 0);
    assert.equal(await page.locator('.histogram').count(), 0);
    await page.context().close();
    await crowded.stop();
  });

  it('is not stale because a source is quiet, and is when the server says so', async () => {
    const { page } = await open();
    isTicking = false;
    try {
      // A steady rhythm, then ages far beyond it.
      for (const prices of [...Array.from({ length: 8 }, () => 300), 9_000, 25_000, 55_000]) {
        await server.tick({ ...FRESH_AGES, prices });
        await until('the age is shown', async () =>
          (await page.innerText('[data-source=prices]')).includes(
            prices < 1_000 ? 'ago' : `${prices / 1_000}`,
          ),
        );
      }
      assert.equal(await page.getAttribute('.connection', 'data-state'), 'live');
      assert.equal(await page.locator('.notice p').count(), 0);
      await server.tick({ ...FRESH_AGES, prices: 61_000 }, ['prices']);
      await page.waitForSelector('[data-state=stale] >> text=no fresh answer from prices');
      await page.waitForSelector('.notice p >> text=No fresh answer from prices');
    } finally {
      isTicking = true;
    }
    await page.waitForSelector('[data-state=live]');
    await page.context().close();
  });

  it('says so when the feed of the server is off', async () => {
    const silent = await start({ deps: { hasFeed: false } });
    const { page, faults } = await browser.openPage();
    await page.goto(silent.url);
    await page.waitForSelector('text=The feed is switched off');
    assert.deepEqual(faults, []);
    await page.context().close();
    await silent.stop();
  });
});
