import { describe, expect, test } from 'vitest';
import { FORMATS, type RunRecord } from '../index.ts';
import { suite } from './helpers/command.ts';
import { smallRecordOf, TOKEN, withStore } from './helpers/stores.ts';

const ofStore = (name: string, more: object = {}): Promise<RunRecord> =>
  withStore(name, ({ url }) => smallRecordOf(url, { explain: 0, ...more }));

const wordsOf = (record: RunRecord) =>
  /aria-label="([^"]*)"/.exec(FORMATS.badge.render(record))?.[1] ?? 'none';

describe('the badge', () => {
  test('says how many checks of the decisive level passed', async () => {
    const only = ['invalid/rejects-n*', 'ordinary/answers-200'];
    const broken = await ofStore('id-any-string', { only });
    const { MUST } = broken.summary;
    expect(wordsOf(broken)).toBe(`Plant Store API: MUST ${MUST.pass} of ${MUST.pass + MUST.fail}`);
    const strict = await ofStore('401-no-challenge', { only: ['auth/*'], strict: true });
    expect(wordsOf(strict)).toMatch(/^Plant Store API: SHOULD \d of \d$/);
    const whole = (await ofStore('reference', { only })).summary.MUST;
    expect(wordsOf(await ofStore('reference', { only }))).toBe(
      `Plant Store API: MUST ${whole.pass} of ${whole.pass + whole.skipped}`,
    );
    expect(wordsOf({ ...broken, outcome: 'conformant' })).toBe('Plant Store API: conformant');
    expect(wordsOf(await smallRecordOf('http://127.0.0.1:1', { only }))).toBe('Plant Store API: not judged');
  }, 60_000);

  test('is accessible to screen readers, loads nothing, and shows nothing from the store', async () => {
    await withStore('reference', async ({ url }) => {
      const args = ['--only', 'ordinary/answers-200', '--format', 'badge', '--out', '-'];
      const { stdout } = await suite(['run', url, ...args], { PLANT_STORE_TOKEN: TOKEN });
      expect(stdout).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img" aria-label="([^"]+)">\n {2}<title>\1<\/title>/,
      );
      expect(stdout.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
        /https?:|url\(|@import|<script|href/,
      );
    });
  });
});
