import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Comparison } from '../lib/compare/comparison.ts';
import { comparisonPage } from '../lib/compare/html/page.tsx';
import { differing } from '../lib/compare/table.ts';
import { absent, axe, Pages } from './helpers/chromium.ts';
import { among, compared, widened } from './helpers/comparisons.ts';

const NAMES = ['two', 'five', 'thirty', 'few-thirty', 'hostile'] as const;
type Name = (typeof NAMES)[number];

const pages = new Pages();

let comparison: Comparison;

const EVIL = '<script>EVIL()</script><img src=x onerror=EVIL()>';

/** A comparison with script in every text that a store may control. */
const hostile = (one: Comparison): Comparison =>
  JSON.parse(JSON.stringify(one), (key, value: unknown) =>
    typeof value === 'string' && ['name', 'cause', 'actual', 'text', 'reason', 'curl'].includes(key)
      ? `${value} ${EVIL}`
      : value,
  );

/** A comparison with a few checks of each level and verdict, because axe is slow on a full page. */
function few(one: Comparison): Comparison {
  const seen = new Map<string, number>();
  const checks = one.checks.filter(({ id, level }) => {
    const verdicts = one.columns.flatMap((column) =>
      column.state === 'run' ? (column.cells[id]?.verdict ?? []) : [],
    );
    const key = [level, ...new Set(verdicts)].join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return (seen.get(key) ?? 0) <= 2;
  });
  return { ...one, checks };
}

beforeAll(async () => {
  if (absent) return;
  await pages.open();
  comparison = await compared(['reference', 'id-numeral-string', 'name-number'], { cases: 5 });
  const shown: Record<Name, Comparison> = {
    two: among(comparison, ['reference', 'name-number']),
    five: comparison,
    thirty: widened(comparison, 30),
    'few-thirty': few(widened(comparison, 30)),
    hostile: hostile(comparison),
  };
  for (const name of NAMES) pages.write(name, comparisonPage(shown[name]));
});

afterAll(() => pages.close());

const withPage = <T>(
  name: Name,
  use: (page: Page) => Promise<T>,
  options?: Parameters<Pages['use']>[2],
): Promise<T> => pages.use(name, use, options);

const filter = (page: Page) => page.locator('#checks-filter');
const row = (page: Page, id: string) => page.locator(`#checks-table tbody tr[id="${id}"]`);
const shown = (page: Page) => page.locator('#checks-table tbody tr:visible').count();
const cell = (page: Page, id: string, number: number) =>
  page.locator(`#checks-table a[href="#${id}~${number}"]`);
const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');
const unfold = (page: Page) =>
  page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');

describe.skipIf(absent)('the page of a comparison in a browser', () => {
  test.each(['two', 'thirty'] as const)(
    'of %s stores fits a phone; its tables scroll in boxes',
    async (name) => {
      const wide = await withPage(
        name,
        async (page) => {
          const width = () => page.evaluate('document.documentElement.scrollWidth');
          const folded = await width();
          await filter(page).getByRole('button', { name: 'Show all' }).click();
          await unfold(page);
          const box = page.locator('#checks .marks-box');
          const head = page.locator('#checks-table thead th').first();
          await box.evaluate((one) => one.scrollBy(2000, 300));
          const inside = await box.evaluate((one) => one.scrollWidth > one.clientWidth);
          const [outer, corner] = [await box.boundingBox(), await head.boundingBox()];
          // The corner is sticky.
          expect(Math.abs((corner?.x ?? 0) - (outer?.x ?? 0))).toBeLessThan(3);
          expect(Math.abs((corner?.y ?? 0) - (outer?.y ?? 0))).toBeLessThan(3);
          return [folded, await width(), name === 'two' || inside];
        },
        { viewport: { width: 375, height: 700 } },
      );
      expect(wide).toEqual([375, 375, true]);
    },
  );

  test('text from a store is not executed', async () => {
    await withPage('hostile', async (page) => {
      await filter(page).getByRole('button', { name: 'Show all' }).click();
      await unfold(page);
      await cell(page, 'invalid/rejects-wrong-type', 3).click();
      expect(await page.locator('#checks .panel').textContent()).toContain(EVIL);
      expect(await page.evaluate('typeof EVIL')).toBe('undefined');
      expect(await page.locator('img, main script').count()).toBe(0);
    });
  });

  test('every head sorts stores ascending, descending and in the original order', async () => {
    await withPage('five', async (page) => {
      const names = () =>
        page
          .locator('#stores tbody th')
          .evaluateAll((list) => list.map((one) => one.childNodes[0]?.textContent ?? ''));
      const asGiven = ['reference', 'id-numeral-string', 'name-number', 'gone', 'absent'];
      expect(await names()).toEqual(asGiven);
      const heads = page.locator('#stores thead th');
      for (let index = 0; index < (await heads.count()); index += 1) {
        const head = heads.nth(index);
        expect(await head.getAttribute('aria-sort')).toBe('none');
        const orders: (string | null)[] = [];
        for (let click = 0; click < 3; click += 1) {
          await head.getByRole('button').click();
          orders.push(await head.getAttribute('aria-sort'));
        }
        expect(orders.toSorted()).toEqual(['ascending', 'descending', 'none']);
        expect(await names()).toEqual(asGiven);
      }
      const stores = page.getByRole('region', { name: 'Table of stores' });
      await stores.getByRole('button', { name: 'Store', exact: true }).click();
      expect(await names()).toEqual(asGiven.toSorted());
      await stores.getByRole('button', { name: 'MUST' }).click();
      expect((await names())[0]).toBe('reference');
      expect((await names()).slice(3)).toEqual(['gone', 'absent']);
      await stores.getByRole('button', { name: 'MUST' }).click();
      // Stores without counts are last in both directions.
      expect((await names()).slice(2)).toEqual(['reference', 'gone', 'absent']);
    });
  });

  test('checks can be sorted by the number of failing stores', async () => {
    await withPage('thirty', async (page) => {
      const counts = () =>
        page
          .locator('#checks-table tbody tr:visible td:nth-child(2)')
          .evaluateAll((list) => list.map((one) => Number(one.textContent)));
      const first = await counts();
      await page.locator('#checks-table').getByRole('button', { name: 'Fail at' }).click();
      expect(await counts()).toEqual(first.toSorted((a, b) => b - a));
      await page.locator('#checks-table').getByRole('button', { name: 'Check', exact: true }).click();
      expect(await counts()).toEqual(first);
    });
  });

  test('the filters show matching checks and their number', async () => {
    await withPage('five', async (page) => {
      const all = comparison.checks.length;
      const differ = differing(comparison).length;
      const status = () => page.locator('#checks-filter .shown').textContent();
      expect(await shown(page)).toBe(differ);
      expect(await status()).toBe(`${differ} of ${all} checks`);
      expect(await page.locator('#checks .by-row details:visible').count()).toBe(differ);
      await filter(page).getByLabel('Only rows that differ').uncheck();
      expect(await shown(page)).toBe(all);
      expect(await status()).toBe(`${all} checks`);
      await filter(page).getByLabel('Level').selectOption('SHOULD');
      expect(await shown(page)).toBe(comparison.checks.filter(({ level }) => level === 'SHOULD').length);
      await filter(page).getByLabel('Area').selectOption('ordinary');
      expect(await shown(page)).toBe(
        await page.locator('#checks-table tr[id^="ordinary/"][data-level="SHOULD"]').count(),
      );
      await filter(page).getByLabel('Search').fill('no such words');
      expect(await shown(page)).toBe(0);
      expect(await page.locator('#checks .no-match').isVisible()).toBe(true);
      await filter(page).getByRole('button', { name: 'Show all' }).click();
      await page.locator('#checks .no-match').waitFor({ state: 'hidden' });
      expect(await shown(page)).toBe(all);
      await filter(page).getByLabel('Search').fill('accepted: name is a NUMBER');
      expect(await shown(page)).toBeGreaterThan(0);
      expect(await row(page, 'invalid/rejects-wrong-type').isVisible()).toBe(true);
    });
  });

  test('stores can be filtered by verdict or language, which determines the rows that differ', async () => {
    await withPage('five', async (page) => {
      const heads = () => page.locator('#checks-table thead th.store:visible').allTextContents();
      await filter(page).getByLabel('Stores').selectOption('Rust');
      expect(await heads()).toEqual(['id-numeral-string']);
      expect(await shown(page)).toBe(0);
      await filter(page).getByLabel('Stores').selectOption('not conformant');
      expect(await heads()).toEqual(['id-numeral-string', 'name-number']);
      expect(await row(page, 'invalid/rejects-wrong-type').locator('td:nth-child(2)').textContent()).toBe(
        '1',
      );
      await filter(page).getByLabel('Stores').selectOption('conformant');
      await filter(page).getByLabel('Only rows that differ').uncheck();
      expect(await heads()).toEqual(['reference']);
      expect(await row(page, 'invalid/rejects-wrong-type').locator('td:nth-child(2)').textContent()).toBe(
        '0',
      );
    });
  });

  test('a URL shows a row that a filter hides, and the folded details of a mark', async () => {
    await withPage(
      'thirty',
      async (page) => {
        const id = 'ordinary/answers-200';
        expect(await row(page, id).isVisible()).toBe(true);
        const top = await row(page, id).evaluate((one) => one.getBoundingClientRect().top as number);
        expect(top).toBeGreaterThan(0);
        expect(top).toBeLessThan(500);
        await filter(page).getByLabel('Search').fill('no such words');
        await page.evaluate('location.hash = "#invalid/rejects-wrong-type~3"');
        const entry = page.locator('li[id="invalid/rejects-wrong-type~3"]');
        await entry.waitFor({ state: 'visible' });
        expect(await entry.locator('.name').textContent()).toBe('name-number');
        const kind = page.locator('#disagreement-1');
        await kind.locator('summary').first().click();
        await kind.locator('.permalink').waitFor({ state: 'hidden' });
        await page.evaluate('location.hash = "#disagreement-1"');
        await kind.locator('.permalink').waitFor({ state: 'visible' });
      },
      { hash: '#ordinary/answers-200' },
    );
  });

  test('the URL contains the filters and the order of the tables, and changing it changes them', async () => {
    const hash =
      '#?causes-table.sort=-Fail+at&checks-table.sort=-Check&checks-filter.text=wrong&checks-filter.differs=no&stores-table.sort=MUST';
    const ids = (page: Page) =>
      page.locator('#checks-table tbody tr:visible').evaluateAll((rows) => rows.map(({ id }) => id));
    const found = await withPage('five', async (page) => {
      await page.locator('#causes-table').getByRole('button', { name: 'Fail at' }).click();
      for (let click = 0; click < 2; click += 1)
        await page.locator('#checks-table').getByRole('button', { name: 'Check', exact: true }).click();
      await filter(page).getByLabel('Search').fill('wrong');
      await filter(page).getByLabel('Only rows that differ').uncheck();
      for (let click = 0; click < 2; click += 1)
        await page.locator('#stores-table').getByRole('button', { name: 'MUST' }).click();
      const [own, wanted] = [String(await page.evaluate('location.hash')), hash].map(
        (text) => new Set(text.slice(2).split('&')),
      );
      expect(own).toEqual(wanted);
      return ids(page);
    });
    expect(found.length).toBeGreaterThan(1);
    await withPage(
      'five',
      async (page) => {
        expect(await ids(page)).toEqual(found);
        expect(await page.locator('#stores-table th[aria-sort="ascending"]').textContent()).toBe('MUST');
        await page.evaluate('location.hash = "#?"');
        await page.locator('#stores-table th[aria-sort="ascending"]').waitFor({ state: 'detached' });
        expect(await shown(page)).toBe(differing(comparison).length);
      },
      { hash },
    );
  });

  test('a mark of a cause opens the commands that reproduce it at the store', async () => {
    await withPage('five', async (page) => {
      const mark = page.locator('#causes-table td a').first();
      expect(await mark.textContent()).toMatch(/^\d+ failed$/);
      await mark.click();
      const panel = page.locator('#causes .panel');
      expect(await focused(page)).toMatch(/^(?:id-numeral-string|name-number): \d+\. Accepts a/);
      expect(await panel.locator('pre.command').textContent()).toContain('curl ');
      const [above, below] = await Promise.all([mark.boundingBox(), panel.boundingBox()]);
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    });
  });

  test('a URL with an invalid or unknown fragment does no harm', async () => {
    for (const hash of ['#%', '#nothing/here', '#', '#invalid/rejects-wrong-type~99'])
      await withPage(
        'two',
        async (page) => {
          expect(await page.locator('#checks .by-row details[open]').count()).toBe(0);
        },
        { hash },
      );
  });

  test('a mark opens a panel below the table, whose command can be copied; Escape closes it', async () => {
    await withPage('five', async (page) => {
      await page.evaluate(`
        globalThis.copied = [];
        const clipboard = { writeText: async (text) => { copied.push(text) } };
        Object.defineProperty(navigator, 'clipboard', { value: clipboard });
      `);
      const panel = page.locator('#checks .panel');
      expect(await panel.isVisible()).toBe(false);
      await cell(page, 'invalid/rejects-wrong-type', 3).click();
      expect(await panel.isVisible()).toBe(true);
      expect(await focused(page)).toBe('name-number: invalid/rejects-wrong-type');
      expect(await panel.locator('.who li').count()).toBe(1);
      expect(await panel.textContent()).toMatch(
        /failed: accepted: name is a number.*Expected.*Actual.*curl/s,
      );
      await panel.getByRole('button', { name: /^Copy/ }).click();
      await page.getByRole('status').filter({ hasText: 'The command was copied.' }).waitFor();
      expect(await page.evaluate('copied.at(-1)')).toBe(await panel.locator('code').textContent());
      await page.keyboard.press('Escape');
      expect(await panel.isVisible()).toBe(false);
      expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(
        '#invalid/rejects-wrong-type~3',
      );
      await cell(page, 'invalid/rejects-wrong-type', 3).click();
      await panel.getByRole('button', { name: 'Close' }).click();
      expect(await panel.isVisible()).toBe(false);
      expect(page.url()).toBe(pages.addressOf('five'));
    });
  });

  test('everything can be reached with the keyboard; the marks are one tab stop with arrow keys', async () => {
    await withPage('thirty', async (page) => {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Skip to the result');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      const sort = page
        .getByRole('region', { name: 'Table of stores' })
        .getByRole('button', { name: 'Verdict' });
      await sort.focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('#stores th[aria-sort="ascending"]').textContent()).toBe('Verdict');
      expect(await focused(page)).toBe('Verdict');
      expect(await page.locator('#checks-table td a[tabindex="0"]').count()).toBe(1);
      await page.locator('#checks-table td a[tabindex="0"]').focus();
      const at = () => page.evaluate('document.activeElement.getAttribute("href")');
      const begin = await at();
      await page.keyboard.press('ArrowRight');
      const right = await at();
      expect(right).not.toBe(begin);
      await page.keyboard.press('ArrowLeft');
      expect(await at()).toBe(begin);
      await page.keyboard.press('ArrowDown');
      expect(await at()).not.toBe(begin);
      expect(await page.locator('#checks-table td a[tabindex="0"]').count()).toBe(1);
      await page.keyboard.press('Enter');
      expect(await page.locator('#checks .panel').isVisible()).toBe(true);
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Close');
    });
  });

  test('without a script everything is readable, and there are no dead controls', async () => {
    await withPage(
      'five',
      async (page) => {
        expect(await page.locator('button:visible, input:visible, select:visible').count()).toBe(0);
        expect(await shown(page)).toBe(comparison.checks.length);
        expect(await page.locator('#stores tbody tr:visible').count()).toBe(5);
        await page.locator('#checks .by-row summary').first().click();
        expect(await page.locator('#checks .by-row .inside').first().isVisible()).toBe(true);
        await cell(page, 'invalid/rejects-wrong-type', 3).click();
        await page.locator('li[id="invalid/rejects-wrong-type~3"]').waitFor({ state: 'visible' });
      },
      { javaScriptEnabled: false },
    );
  });

  test('on a narrow screen, a table fades out where more columns follow', async () => {
    await withPage(
      'five',
      async (page) => {
        const box = page.locator('#stores .scrolling');
        const isFading = () => box.evaluate((one) => one.classList.contains('continues'));
        await expect.poll(isFading).toBe(true);
        await box.evaluate((one) => one.scrollTo({ left: one.scrollWidth }));
        await expect.poll(isFading).toBe(false);
      },
      { viewport: { width: 375, height: 700 } },
    );
  });

  test('in print only what is open is unfolded, and there are no controls', async () => {
    await withPage(
      'five',
      async (page) => {
        await page.emulateMedia({ media: 'print' });
        const folded = page.locator('#checks .by-row details:not([open]) .hint');
        expect(await folded.last().isVisible()).toBe(false);
        expect(await page.locator('button:visible, select:visible, nav:visible').count()).toBe(0);
      },
      { javaScriptEnabled: false },
    );
  });

  test.each(
    (['five', 'few-thirty'] as const).flatMap((name) =>
      (['light', 'dark'] as const).map((scheme) => [name, scheme] as const),
    ),
  )('axe finds no violation on %s in %s colours', async (name, colorScheme) => {
    const violations = await withPage(
      name,
      async (page) => {
        // axe ignores folded content.
        await unfold(page);
        await page.locator('#checks-table td.fail:visible a').first().click();
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
