import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { attributesOf, type Page, readPage, valuesOf } from './read-page.ts';

/* What holds for both HTML pages: that of a run and that of a comparison. */

/** @param again renders the same page in another locale and time zone */
export function expectSameElsewhere(first: string, again: () => string): void {
  const { LC_ALL, TZ } = process.env;
  Object.assign(process.env, { LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' });
  expect(again()).toBe(first);
  for (const [name, value] of Object.entries({ LC_ALL, TZ }))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}

export function expectWellFormed(page: Page): void {
  const ids = valuesOf(page, 'id');
  expect(new Set(ids).size).toBe(ids.length);
  const headings = page.tags.flatMap(({ name }) => /^h([1-6])$/.exec(name)?.[1] ?? []).map(Number);
  expect(headings.filter((level) => level === 1)).toEqual([1]);
  for (const [index, level] of headings.entries())
    expect(level).toBeLessThanOrEqual((headings[index - 1] ?? 0) + 1);
}

/** Its policy allows only its own style and script, by their hashes. */
export function expectOnlyOwnAssets(page: Page): void {
  const policy = page.tags.find(({ attributes }) => attributes.has('http-equiv'))?.attributes.get('content');
  const hash = (name: string) =>
    `'sha256-${createHash('sha256')
      .update(page.raw.get(name) ?? '')
      .digest('base64')}'`;
  expect(policy).toBe(
    `default-src 'none'; style-src ${hash('style')}; script-src ${hash('script')}; base-uri 'none'; form-action 'none'`,
  );
  expect(page.tags.filter(({ name }) => name === 'script' || name === 'style')).toHaveLength(2);
  expect(attributesOf(page).filter((name) => /^(?:style|on.*)$/i.test(name))).toEqual([]);
}

/** Texts of a store have added no markup. @param clean the same page with harmless texts */
export function expectOnlyText(html: string, clean: string): void {
  const [page, harmless] = [readPage(html), readPage(clean)];
  const names = ({ tags }: Page) => [...new Set(tags.map(({ name }) => name))].sort();
  expect(names(page)).toEqual(names(harmless));
  expect(page.raw).toEqual(harmless.raw);
  expect(attributesOf(page).filter((name) => /^(?:style|on.*|src)$/i.test(name))).toEqual([]);
  const text = html.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
  expect(text).not.toContain('<script>window');
  expect(text).toContain('&lt;script>window.__pwned');
}

/** It contains no control characters and no commands for a log. */
export function expectPrintable(html: string): void {
  expect(/[^\P{Cc}\n]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/u.exec(html)?.[0]).toBeUndefined();
  expect(/^\s*::[a-z-]+[^\n]*::/m.exec(html)?.[0]).toBeUndefined();
  expect(/##(?:\[|vso\[)/i.exec(html)?.[0]).toBeUndefined();
  expect(html).toContain('\\u202edesrever');
}
