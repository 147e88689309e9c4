import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunRecord, run } from '../index.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { htmlReport } from '../lib/report/formats/html/page.tsx';
import { absent, axe, Pages } from './helpers/chromium.ts';
import { HOSTILE_TOKEN, startHostile } from './helpers/hostile-record.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const NAMES = ['conformant', 'failing', 'hostile', 'undetermined'] as const;
type Name = (typeof NAMES)[number];

const pages = new Pages();

const recordOf = (baseUrl: string, token = TOKEN, more = {}): Promise<RunRecord> =>
  run({ baseUrl, token, seed: 9, firstId: 1_000_000n, cases: 4, timeout: 2000, ...more }).record;

const withBaseline = (record: RunRecord): RunRecord => ({
  ...record,
  ciResult: ciResultOf(record, {
    file: 'known.yaml',
    entries: [
      { id: 'invalid/rejects-numeric-string-id', reason: 'the old clients send it', until: '2999-12-31' },
      { id: 'ordinary/answers-200', reason: 'was broken once', issue: 'https://tracker.example/7' },
    ],
  }),
});

/** A part of a command which a page shows only escaped. */
const ESCAPED = '##[add-mask]\u202e';

async function ofHostile(): Promise<RunRecord> {
  const store = await startHostile();
  try {
    const record = await recordOf(store.url, HOSTILE_TOKEN, {
      only: ['ordinary/*', 'invalid/rejects-n*', 'auth/*', 'invariants/*'],
    });
    return { ...record, target: { ...record.target, baseUrl: `${store.url}/${ESCAPED}` } };
  } finally {
    await store.stop();
  }
}

beforeAll(async () => {
  if (absent) return;
  await pages.open();
  const records: Record<Name, Promise<RunRecord>> = {
    conformant: withStore('reference', ({ url }) => recordOf(url)),
    failing: withStore('id-numeral-string', ({ url }) => recordOf(url)).then(withBaseline),
    hostile: ofHostile(),
    undetermined: recordOf('http://127.0.0.1:1'),
  };
  for (const name of NAMES) {
    const record = await records[name];
    pages.write(name, htmlReport(record));
    pages.write(`few-${name}`, htmlReport(few(record)));
  }
});

afterAll(() => pages.close());

/** A record with a few checks of each level and verdict, because axe is slow on a full page. */
function few(record: RunRecord): RunRecord {
  const seen = new Map<string, number>();
  return {
    ...record,
    results: record.results.filter(({ level, verdict }) => {
      const count = (seen.get(level + verdict) ?? 0) + 1;
      seen.set(level + verdict, count);
      return count <= 3;
    }),
  };
}

const withPage = <T>(
  name: Name | `few-${Name}`,
  use: (page: Page) => Promise<T>,
  options?: Parameters<Pages['use']>[2],
): Promise<T> => pages.use(name, use, options);

const shown = (page: Page) => page.locator('details.check:visible').count();
const check = (page: Page, id: string) => page.locator(`details.check[id="${id}"]`);
const isOpen = (page: Page, id: string) =>
  check(page, id).evaluate((row) => (row as unknown as { open: boolean }).open);

describe.skipIf(absent)('in a browser', () => {
  test.each(NAMES)('the page of %s fits a phone', async (name) => {
    const wide = await withPage(
      name,
      async (page) => {
        const width = () => page.evaluate('document.documentElement.scrollWidth');
        const folded = await width();
        await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
        return [folded, await width()];
      },
      { viewport: { width: 375, height: 700 } },
    );
    expect(wide).toEqual([375, 375]);
  });

  test('text from a store is not executed', async () => {
    await withPage('hostile', async (page) => {
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await page.evaluate('typeof EVIL')).toBe('undefined');
      expect(await page.locator('img, a[href^="javascript:" i], main script').count()).toBe(0);
      expect(await page.locator('pre', { hasText: '<script>EVIL()</script>' }).count()).toBeGreaterThan(0);
    });
  });

  test('the filters show matching checks and their number', async () => {
    await withPage('failing', async (page) => {
      const all = await shown(page);
      const status = () => page.locator('#filter .shown').textContent();
      expect(await status()).toBe(`${all} checks`);
      await page.getByRole('combobox', { name: 'Verdict' }).selectOption('failed');
      const failed = await shown(page);
      expect(failed).toBeGreaterThan(1);
      expect(failed).toBe(await page.locator('details.check.fail').count());
      expect(await status()).toBe(`${failed} of ${all} checks`);
      expect(await page.locator('.area:visible').count()).toBeLessThan(await page.locator('.area').count());
      await page.getByLabel('Level').selectOption('OBSERVE');
      expect(await shown(page)).toBe(0);
      expect(await page.locator('.no-match').isVisible()).toBe(true);
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.locator('.no-match').waitFor({ state: 'hidden' });
      expect(await shown(page)).toBe(all);
      await page.getByLabel('Area').selectOption('auth');
      expect(await shown(page)).toBe(await page.locator('details.check[id^="auth/"]').count());
    });
  });

  test('the search finds words of the id, the statement and the cause', async () => {
    await withPage('failing', async (page) => {
      const search = page.getByLabel('Search');
      await search.fill('AUTH/ scheme');
      expect(await shown(page)).toBeGreaterThan(0);
      expect(await shown(page)).toBe(await page.locator('details.check[id^="auth/"]:visible').count());
      await search.fill('case-insensitive');
      expect(await check(page, 'auth/accepts-scheme-in-any-case').isVisible()).toBe(true);
      await search.fill('accepted: id is a');
      expect(await shown(page)).toBe(await page.locator('details.check.fail').count());
      await search.press('Enter');
      await search.fill('no such words');
      expect(await page.locator('.no-match').isVisible()).toBe(true);
    });
  });

  test('a URL with the id of a check opens it and scrolls to it', async () => {
    await withPage(
      'conformant',
      async (page) => {
        expect(await isOpen(page, 'unconstrained/accepts-ids-above-2^53')).toBe(true);
        expect(await check(page, 'unconstrained/accepts-ids-above-2^53').isVisible()).toBe(true);
        const top = () =>
          check(page, 'state/answers-at-the-end').evaluate(
            (row) => row.getBoundingClientRect().top as number,
          );
        await page.evaluate('location.hash = "#state/answers-at-the-end"');
        await page.waitForFunction('document.getElementById("state/answers-at-the-end").open');
        expect(await top()).toBeLessThan(400);
        // The same link again, after the row was folded.
        await page.evaluate('document.getElementById("state/answers-at-the-end").open = false');
        await check(page, 'state/answers-at-the-end').evaluate((row) => {
          row.querySelector('.permalink a')?.dispatchEvent(new Event('click', { bubbles: true }));
        });
        expect(await isOpen(page, 'state/answers-at-the-end')).toBe(true);
      },
      { hash: '#unconstrained/accepts-ids-above-2^53' },
    );
  });

  test('a URL with an invalid or unknown fragment does no harm', async () => {
    for (const hash of ['#%', '#nothing/here', '#'])
      await withPage(
        'conformant',
        async (page) => expect(await page.locator('.check[open]').count()).toBe(0),
        {
          hash,
        },
      );
  });

  test('a URL shows a check that a filter hides', async () => {
    await withPage('failing', async (page) => {
      const all = await shown(page);
      await page.getByLabel('Search').fill('no such words');
      expect(await shown(page)).toBe(0);
      await page.evaluate('location.hash = "#ordinary/answers-200"');
      await check(page, 'ordinary/answers-200').locator('.inside').waitFor({ state: 'visible' });
      expect(await shown(page)).toBe(all);
      expect(await page.getByLabel('Search').inputValue()).toBe('');
    });
  });

  test('a cause links to its checks', async () => {
    await withPage('failing', async (page) => {
      await page.locator('.cause').first().getByText('that this explains').click();
      const link = page.locator('.cause .lead a').first();
      const id = (await link.textContent()) ?? '';
      await link.click();
      await check(page, id).locator('.inside').waitFor({ state: 'visible' });
      expect(await isOpen(page, id)).toBe(true);
    });
  });

  test.each([true, false])('a command and a link are copied, with a clipboard: %s', async (hasClipboard) => {
    await withPage(
      'failing',
      async (page) => {
        await page.evaluate(`
          globalThis.copied = [];
          const clipboard = { writeText: async (text) => { ${hasClipboard ? 'copied.push(text)' : 'throw new Error()'} } };
          Object.defineProperty(navigator, 'clipboard', { value: clipboard });
          document.execCommand = () => { copied.push(document.activeElement.value); return true; };
        `);
        const copied = () => page.evaluate('copied.at(-1)');
        const cause = page.locator('.cause').first();
        await cause.getByRole('button', { name: 'Copy the command' }).first().click();
        await page
          .getByRole('status')
          .filter({ hasText: /command (?:was|were) copied\.|commands were copied\./ })
          .waitFor();
        expect(String(await copied()).replaceAll('\n', '')).toBe(
          await cause.locator('pre.command code').first().textContent(),
        );
        expect(await copied()).toMatch(/(?:^curl .*"Authorization: Bearer \$PLANT_STORE_TOKEN"|^ID=)/);
        await page.evaluate('location.hash = "#ordinary/answers-200"');
        await check(page, 'ordinary/answers-200').getByRole('button', { name: 'Copy link' }).click();
        await page.getByRole('status').filter({ hasText: 'The link was copied.' }).waitFor();
        expect(await copied()).toBe(pages.addressOf('failing', '#ordinary/answers-200'));
      },
      {},
    );
  });

  test('a cause is copied as Markdown', async () => {
    await withPage('failing', async (page) => {
      await page.evaluate(`
        const clipboard = { writeText: async (text) => { globalThis.copied = text } };
        Object.defineProperty(navigator, 'clipboard', { value: clipboard });
      `);
      const cause = page.locator('.cause').first();
      await cause.getByRole('button', { name: 'Copy as Markdown' }).click();
      await page.getByRole('status').filter({ hasText: 'The cause was copied as Markdown.' }).waitFor();
      const copied = String(await page.evaluate('copied'));
      expect(copied).toContain(`## \`${await cause.locator('h4').textContent()}\`\n`);
      expect(copied).toContain('\n```sh\n');
    });
  });

  test('the URL contains the filters next to the id of the target, and changing it changes the filters', async () => {
    await withPage('failing', async (page) => {
      await page.getByLabel('Area').selectOption('auth');
      await page.getByLabel('Search').fill('scheme case');
      const hash = () => page.evaluate('location.hash');
      expect(await hash()).toBe('#?filter.text=scheme+case&filter.area=auth');
      const found = await shown(page);
      await page.evaluate('location.hash = "#profile"');
      await page.waitForFunction('location.hash === "#profile?filter.text=scheme+case&filter.area=auth"');
      expect(await shown(page)).toBe(found);
      await page.evaluate('location.hash = "#?filter.level=SHOULD"');
      await page.waitForFunction('document.querySelector("select[name=level]").value === "SHOULD"');
      expect(await page.getByLabel('Search').inputValue()).toBe('');
      await page.getByRole('button', { name: 'Show all' }).click();
      expect(await hash()).toBe('');
    });
    await withPage(
      'failing',
      async (page) => {
        expect(await page.getByLabel('Level').inputValue()).toBe('SHOULD');
        expect(await shown(page)).toBe(await page.locator('details.check[data-level="SHOULD"]').count());
        expect(await isOpen(page, 'ordinary/echoes-name')).toBe(true);
      },
      { hash: '#ordinary/echoes-name?filter.level=SHOULD' },
    );
  });

  test('a command is copied exactly, although the page shows it escaped', async () => {
    await withPage('hostile', async (page) => {
      const escaped = page.locator('code[data-exact]');
      expect(await escaped.count()).toBeGreaterThan(0);
      const pairs = await escaped.evaluateAll((codes) =>
        codes.map((code) => [JSON.parse(code.getAttribute('data-exact') ?? ''), code.textContent]),
      );
      expect(pairs.every(([exact, visible]) => exact !== visible)).toBe(true);
      const [exact, visible] = pairs.find(([exact]) => exact.includes(ESCAPED)) ?? [];
      expect(exact).toContain('plant-store-conformance run ');
      expect(visible).toContain('#\\u0023[add-mask]\\u202e');
    });
  });

  test('everything can be reached and opened with the keyboard', async () => {
    await withPage('failing', async (page) => {
      const focused = () => page.evaluate('document.activeElement.textContent.trim()');
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Skip to the verdict');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      await page.getByLabel('Area').focus();
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Show all');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.parentElement.id')).toBe('ordinary/answers-200');
      await page.keyboard.press('Enter');
      expect(await isOpen(page, 'ordinary/answers-200')).toBe(true);
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline).toBe('solid');
    });
  });

  test('without a script everything is readable, and there are no dead controls', async () => {
    await withPage(
      'failing',
      async (page) => {
        expect(await page.locator('button:visible, input:visible, select:visible').count()).toBe(0);
        expect(await page.locator('h1').isVisible()).toBe(true);
        expect(await page.locator('details.check summary').first().isVisible()).toBe(true);
        await page.locator('details.check summary').first().click();
        expect(await page.locator('details.check .inside').first().isVisible()).toBe(true);
      },
      { javaScriptEnabled: false },
    );
  });

  test('in print only what is open is unfolded, no block is broken, and there are no controls', async () => {
    await withPage(
      'failing',
      async (page) => {
        await page.emulateMedia({ media: 'print' });
        const folded = page.locator('details.check:not([open]) .facts');
        expect(await folded.count()).toBeGreaterThan(50);
        expect(await folded.last().isVisible()).toBe(false);
        expect(await page.locator('details.check:not([open]) summary').last().isVisible()).toBe(true);
        expect(await page.locator('details.cause[open] .hint').first().isVisible()).toBe(true);
        expect(await page.locator('button:visible, select:visible, nav:visible').count()).toBe(0);
        const blocks = page.locator('.check, .messages, .comparison, .copyable, pre, tr, .hint, summary');
        const broken = await blocks.evaluateAll((list) =>
          list.filter((one) => getComputedStyle(one).breakInside !== 'avoid').map((one) => one.outerHTML),
        );
        expect(broken).toEqual([]);
      },
      { javaScriptEnabled: false },
    );
  });

  test.each(
    (['conformant', 'failing', 'undetermined'] as const).flatMap((name) =>
      (['light', 'dark'] as const).map((scheme) => [name, scheme] as const),
    ),
  )('axe finds no violation on the page of %s in %s colours', async (name, colorScheme) => {
    const violations = await withPage(
      name,
      async (page) => {
        // axe ignores folded content.
        await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
        await page.addScriptTag({ path: axe });
        // Apart from its colours, the dark page equals the light one.
        const options = colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
        return page.evaluate(
          `axe.run(${JSON.stringify(options)}).then(({ violations, passes }) => [
            ...violations.map(({ id, nodes }) => id + ': ' + nodes[0].html),
            ...(passes.some(({ id }) => id === 'color-contrast') ? [] : ['no colour was checked']),
          ])`,
        );
      },
      { colorScheme, bypassCSP: true, viewport: { width: 1280, height: 900 } },
    );
    expect(violations).toEqual([]);
  });
});
