import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { announce } from '../cli/announce.ts';
import { type ProgressEvent, progress } from '../cli/progress.ts';

/** What is written while a run goes on: each event after so many seconds. */
function written(
  isTTY: boolean,
  ...events: readonly (readonly [seconds: number, event: ProgressEvent])[]
): string[] {
  const texts: string[] = [];
  const show = progress(
    { isTTY, columns: 60, write: (text: string | Uint8Array) => texts.push(String(text)) > 0 },
    5000,
  );
  for (const [seconds, event] of events) {
    vi.advanceTimersByTime(seconds * 1000);
    show(event);
  }
  return texts;
}

const start: ProgressEvent = { type: 'start', planned: 2 };
const sent = (requests: number): ProgressEvent => ({ type: 'progress', requests });
const failure = (id: string): ProgressEvent => ({ type: 'failure', id });
const result: ProgressEvent = { type: 'result' };
const end: ProgressEvent = { type: 'end' };

describe('the progress of a run', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubEnv('CI', '');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  test('is one line on a terminal, which is redrawn and disappears at the end', () => {
    const texts = written(true, [0, start], [0.5, sent(1000)], [0.5, end]);
    expect(texts.join('')).not.toContain('\n');
    expect(texts.at(-2)).toBe('\r20%  1,000 requests  1,000/s  about 4 s left\u001b[K');
    expect(texts.at(-1)).toBe('\r\u001b[K');
  });

  test('never takes more than the width of the terminal', () => {
    const texts = written(true, [0, start], [0, failure('a')], [0, failure('b')], [0, sent(10)], [1, end]);
    for (const text of texts) expect(stripVTControlCharacters(text).length).toBeLessThan(60);
    expect(texts.at(-2)).toContain('2 checks f');
  });

  test('is a line every 10 seconds elsewhere', () => {
    const texts = written(
      false,
      [0, start],
      [0, sent(500)],
      [0, failure('a')],
      [0, failure('a')],
      [25, sent(4990)],
      [9, result],
      [0, result],
      [7, end],
      [60, end],
    );
    expect(texts).toEqual([
      '10%  500 requests  50/s  about 90 s left  1 check failed\n',
      '10%  500 requests  25/s  about 3 min left  1 check failed\n',
      '99%  4,990 requests  166/s  about 1 s left  1 check failed\n',
      'finding causes for 6 s  4,990 requests  125/s  1 check failed\n',
    ]);
  });

  test('of a short run is not printed elsewhere', () => {
    expect(written(false, [0, start], [5, failure('a')], [4, end])).toEqual([]);
  });
});

describe('the announcement of a run', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  test.each([true, false])('takes up rows of the screen only if it is on that of the report: %s', (isTTY) => {
    let written = '';
    const write = (text: string) => {
      written += text;
      return true;
    };
    vi.stubGlobal('process', {
      ...process,
      stdout: { isTTY },
      stderr: { isTTY, columns: isTTY ? 80 : undefined, write },
    });
    const rows = announce({ requests: 6300, plants: 2600 }, 'http://127.0.0.1:18082');
    expect(rows).toBe(isTTY ? 2 : 0);
    expect(written.split('\n')).toHaveLength(isTTY ? 3 : 2);
    expect(written.replaceAll(/\s+/g, ' ')).toBe(
      'Sending about 6,300 requests to http://127.0.0.1:18082, creating about 2,600 plants. ',
    );
  });
});
